"""Remember whose turn it was."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables to this version."""
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.add_column(sa.Column("turn", sa.Integer(), nullable=True))
        batch_op.create_index(batch_op.f("ix_job_turn"), ["turn"], unique=False)


def downgrade() -> None:
    """Change the tables to the version before."""
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_job_turn"))
        batch_op.drop_column("turn")
