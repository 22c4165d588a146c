"""Data files of drafts and limits of teams."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables to this version."""
    op.create_table(
        "draft_file",
        sa.Column("edition", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["edition"], ["edition.id"], name=op.f("fk_draft_file_edition")),
        sa.PrimaryKeyConstraint("edition", "name", name=op.f("pk_draft_file")),
    )
    with op.batch_alter_table("team", schema=None) as batch_op:
        batch_op.add_column(sa.Column("limits", sa.JSON(), server_default="{}", nullable=False))


def downgrade() -> None:
    """Change the tables to the version before."""
    with op.batch_alter_table("team", schema=None) as batch_op:
        batch_op.drop_column("limits")

    op.drop_table("draft_file")
