"""Tables of what people are told: notices, how to reach people, letters on their way, questions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from quintain_host.database.base import Base


class Notice(Base):
    """Something that one person should know; plain text.

    Parameters
    ----------
    kind : one of ``quintain_host.notices.words.KINDS``.
    title, text, advice : what happened, in a few words and in full, and what to do now.
    place : the path of the page where to do it.
    cause : what it is about, if that must be said once only, such as a phase that opens.
    read : when its owner has read it.
    """

    __tablename__ = "notice"

    id: Mapped[int] = mapped_column(primary_key=True)
    account: Mapped[int] = mapped_column(ForeignKey("account.id"))
    edition: Mapped[str | None] = mapped_column(ForeignKey("edition.id"))
    kind: Mapped[str] = mapped_column(Text)
    time: Mapped[datetime]
    title: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    advice: Mapped[str] = mapped_column(Text)
    place: Mapped[str] = mapped_column(Text)
    cause: Mapped[str | None] = mapped_column(Text)
    read: Mapped[datetime | None]

    __table_args__ = (
        Index("ix_notice_account", "account", "id"),
        Index("ix_notice_unread", "account", "read"),
        UniqueConstraint("edition", "cause", "account"),
    )


class Contact(Base):
    """How a person can be reached. A person who has set nothing has no row.

    Parameters
    ----------
    checked : when the owner of the address showed that it is theirs; only then it gets notices.
    muted : the kinds of notices that the person wants no mail about.
    key : signs the links to unsubscribe and to the calendar; a new key ends all old links.
    webhook, webhook_key : where a program of the person gets notices, and what signs them.
    """

    __tablename__ = "contact"

    account: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True)
    checked: Mapped[datetime | None]
    muted: Mapped[list[Any]] = mapped_column(default=list)
    key: Mapped[str] = mapped_column(Text)
    webhook: Mapped[str] = mapped_column(Text, default="")
    webhook_key: Mapped[str] = mapped_column(Text, default="")


class Letter(Base):
    """A mail, or a request to a webhook, on its way.

    Parameters
    ----------
    channel : "mail" or "webhook".
    account : to whom it goes, at the address that the person has when it is sent.
    address : where it goes if there is no account; empty once it was sent.
    paragraphs : texts, and objects that say which link is made when the letter is sent: no secret
        is stored.
    place : the path of the page that it is about.
    links : the numbers of the links that the last attempt made.
    state : "waiting", "sent", "failed" for good, or "dropped" because nobody wants it any more.
    attempt : goes up with every claim, so that of two workers one sends it.
    not_before : nobody claims it earlier.
    """

    __tablename__ = "letter"

    id: Mapped[int] = mapped_column(primary_key=True)
    channel: Mapped[str] = mapped_column(Text)
    account: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    address: Mapped[str] = mapped_column(Text, default="")
    edition: Mapped[str | None] = mapped_column(Text)
    team: Mapped[str | None] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    subject: Mapped[str] = mapped_column(Text)
    paragraphs: Mapped[list[Any]]
    place: Mapped[str] = mapped_column(Text, default="")
    links: Mapped[list[Any]] = mapped_column(default=list)
    state: Mapped[str] = mapped_column(Text, default="waiting")
    attempt: Mapped[int] = mapped_column(default=0)
    created: Mapped[datetime]
    not_before: Mapped[datetime]
    ended: Mapped[datetime | None]
    reason: Mapped[str] = mapped_column(Text, default="")

    __table_args__ = (
        Index("ix_letter_due", "state", "not_before"),
        Index("ix_letter_edition", "edition", "team", "created"),
    )


class TeamQuestion(Base):
    """What a team asks the organisers, and their answer, to the team or to everybody."""

    __tablename__ = "question"
    __table_args__ = (
        ForeignKeyConstraint(["edition", "team"], ["team.edition", "team.id"]),
        Index("ix_question_edition", "edition", "answered"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    edition: Mapped[str] = mapped_column(Text)
    team: Mapped[str] = mapped_column(Text)
    account: Mapped[int] = mapped_column(ForeignKey("account.id"))
    time: Mapped[datetime]
    text: Mapped[str] = mapped_column(Text)
    answer: Mapped[str] = mapped_column(Text, default="")
    answered: Mapped[datetime | None]
    answerer: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    to_all: Mapped[bool] = mapped_column(default=False)
