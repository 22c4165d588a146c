"""Languages of accounts and of contests."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables to this version."""
    for table in ("account", "edition"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(sa.Column("language", sa.Text(), nullable=True))


def downgrade() -> None:
    """Change the tables to the version before."""
    for table in ("account", "edition"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_column("language")
