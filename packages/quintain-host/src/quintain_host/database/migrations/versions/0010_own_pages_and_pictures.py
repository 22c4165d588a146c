"""Own pages, pictures and a logo of a contest, and the name of its organisers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from quintain_host.database import base

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables to this version."""
    op.create_table(
        "own_page",
        sa.Column("edition", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("changed", base.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["edition"], ["edition.id"], name=op.f("fk_own_page_edition")),
        sa.PrimaryKeyConstraint("edition", "name", name=op.f("pk_own_page")),
    )
    op.create_table(
        "picture",
        sa.Column("edition", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["edition"], ["edition.id"], name=op.f("fk_picture_edition")),
        sa.PrimaryKeyConstraint("edition", "name", name=op.f("pk_picture")),
    )
    with op.batch_alter_table("edition", schema=None) as batch_op:
        batch_op.add_column(sa.Column("logo", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("organisers", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    """Change the tables to the version before."""
    with op.batch_alter_table("edition", schema=None) as batch_op:
        batch_op.drop_column("organisers")
        batch_op.drop_column("logo")

    op.drop_table("picture")
    op.drop_table("own_page")
