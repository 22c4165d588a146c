"""Whose the database is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from quintain_host.database import base

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables to this version."""
    op.create_table(
        "site_claim",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("since", base.Utc(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site_claim")),
    )


def downgrade() -> None:
    """Change the tables to the version before."""
    op.drop_table("site_claim")
