"""Second factors with recovery codes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables to this version."""
    with op.batch_alter_table("account", schema=None) as batch_op:
        batch_op.add_column(sa.Column("totp_offer", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("recovery", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Change the tables to the version before."""
    with op.batch_alter_table("account", schema=None) as batch_op:
        batch_op.drop_column("recovery")
        batch_op.drop_column("totp_offer")
