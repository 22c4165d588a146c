"""Remember who knows the data of a team."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables to this version."""
    op.create_table(
        "insider",
        sa.Column("edition", sa.Text(), nullable=False),
        sa.Column("account", sa.Integer(), nullable=False),
        sa.Column("team", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_insider_account")),
        sa.ForeignKeyConstraint(["edition"], ["edition.id"], name=op.f("fk_insider_edition")),
        sa.PrimaryKeyConstraint("edition", "account", name=op.f("pk_insider")),
    )


def downgrade() -> None:
    """Change the tables to the version before."""
    op.drop_table("insider")
