"""People reach each other."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from quintain_host.database import base

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables to this version."""
    op.create_table(
        "contact",
        sa.Column("account", sa.Integer(), nullable=False),
        sa.Column("checked", base.Utc(timezone=True), nullable=True),
        sa.Column("muted", sa.JSON(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("webhook", sa.Text(), nullable=False),
        sa.Column("webhook_key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_contact_account")),
        sa.PrimaryKeyConstraint("account", name=op.f("pk_contact")),
    )
    op.create_table(
        "letter",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("account", sa.Integer(), nullable=True),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("edition", sa.Text(), nullable=True),
        sa.Column("team", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("paragraphs", sa.JSON(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("links", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("created", base.Utc(timezone=True), nullable=False),
        sa.Column("not_before", base.Utc(timezone=True), nullable=False),
        sa.Column("ended", base.Utc(timezone=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_letter_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_letter")),
    )
    op.create_index("ix_letter_due", "letter", ["state", "not_before"])
    op.create_index("ix_letter_edition", "letter", ["edition", "team", "created"])
    op.create_table(
        "notice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account", sa.Integer(), nullable=False),
        sa.Column("edition", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("time", base.Utc(timezone=True), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("advice", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=True),
        sa.Column("read", base.Utc(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_notice_account")),
        sa.ForeignKeyConstraint(["edition"], ["edition.id"], name=op.f("fk_notice_edition")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice")),
        sa.UniqueConstraint(
            "edition", "cause", "account", name=op.f("uq_notice_edition_cause_account")
        ),
    )
    op.create_index("ix_notice_account", "notice", ["account", "id"])
    op.create_index("ix_notice_unread", "notice", ["account", "read"])
    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("edition", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("account", sa.Integer(), nullable=False),
        sa.Column("time", base.Utc(timezone=True), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("answered", base.Utc(timezone=True), nullable=True),
        sa.Column("answerer", sa.Integer(), nullable=True),
        sa.Column("to_all", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_question_account")),
        sa.ForeignKeyConstraint(["answerer"], ["account.id"], name=op.f("fk_question_answerer")),
        sa.ForeignKeyConstraint(
            ["edition", "team"], ["team.edition", "team.id"], name=op.f("fk_question_edition_team")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question")),
    )
    op.create_index("ix_question_edition", "question", ["edition", "answered"])


def downgrade() -> None:
    """Change the tables to the version before."""
    op.drop_table("question")
    op.drop_table("notice")
    op.drop_table("letter")
    op.drop_table("contact")
