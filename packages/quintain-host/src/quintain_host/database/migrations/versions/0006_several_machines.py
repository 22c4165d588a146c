"""Several machines: lines of the queue by place, limits of requests, and shared files."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables to this version."""
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.add_column(sa.Column("place", sa.Text(), nullable=False, server_default=""))
        batch_op.drop_index("ix_job_claim")
    op.execute(
        "UPDATE job SET place = CASE WHEN lane = 'program' "
        "THEN edition || ' ' || COALESCE(team, '') ELSE edition END"
    )
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.alter_column("place", server_default=None)
        batch_op.create_index("ix_job_claim", ["state", "lane", "place", "id"], unique=False)
        batch_op.create_index("ix_job_line", ["lane", "place", "turn"], unique=False)
    op.create_table(
        "rate_bucket",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("full_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", "key", name=op.f("pk_rate_bucket")),
    )
    op.create_index(op.f("ix_rate_bucket_full_at"), "rate_bucket", ["full_at"], unique=False)
    op.create_table(
        "shared_file",
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("edition", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("mode", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("path", name=op.f("pk_shared_file")),
    )
    op.create_index("ix_shared_file_version", "shared_file", ["edition", "version"], unique=True)


def downgrade() -> None:
    """Change the tables to the version before."""
    op.drop_table("shared_file")
    op.drop_table("rate_bucket")
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.drop_index("ix_job_line")
        batch_op.drop_index("ix_job_claim")
        batch_op.drop_column("place")
        batch_op.create_index("ix_job_claim", ["state", "lane", "id"], unique=False)
