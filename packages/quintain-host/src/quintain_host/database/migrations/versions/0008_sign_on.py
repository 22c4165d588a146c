"""Sign-on by providers of OpenID Connect."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from quintain_host.database import base

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables to this version."""
    op.create_table(
        "sign_on",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account", sa.Integer(), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("created", base.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_sign_on_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_on")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_sign_on_issuer_subject")),
    )
    op.create_index(op.f("ix_sign_on_account"), "sign_on", ["account"])
    op.create_table(
        "sign_on_attempt",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("account", sa.Integer(), nullable=True),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("person", sa.JSON(), nullable=True),
        sa.Column("expires", base.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account"], ["account.id"], name=op.f("fk_sign_on_attempt_account")
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_sign_on_attempt")),
    )


def downgrade() -> None:
    """Change the tables to the version before."""
    op.drop_table("sign_on_attempt")
    op.drop_table("sign_on")
