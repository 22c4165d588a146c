"""The trial whose files an upload submits."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables to this version."""
    with op.batch_alter_table("upload", schema=None) as batch_op:
        batch_op.add_column(sa.Column("trial", sa.Integer(), nullable=True))


def downgrade() -> None:
    """Change the tables to the version before."""
    with op.batch_alter_table("upload", schema=None) as batch_op:
        batch_op.drop_column("trial")
