"""Tables of people: accounts, their sign-ons, sessions, tokens, and links that are used once."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, LargeBinary, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from quintain_host.database.base import Base

ACCOUNTS = "accounts"
"""The name under which writers of accounts wait for each other."""


class Account(Base):
    """A person who can sign in.

    ``email`` is normalised and is shown to its owner, the operators, and the organisers of contests
    in which the person is in a team. ``totp`` is the shared secret of the second factor;
    ``totp_used`` is the last time step that was accepted, so that no code counts twice.
    ``totp_offer`` is a secret that its owner has not confirmed yet. ``recovery`` has the hashes of
    the codes that replace the second factor, each once. ``language`` is the one in which the site
    writes to the person; None is that of the site.
    """

    __tablename__ = "account"

    id: Mapped[int] = mapped_column(primary_key=True)
    email: Mapped[str] = mapped_column(Text, unique=True)
    name: Mapped[str] = mapped_column(Text)
    password: Mapped[str] = mapped_column(Text)
    operator: Mapped[bool] = mapped_column(default=False)
    totp: Mapped[str | None] = mapped_column(Text)
    totp_used: Mapped[int] = mapped_column(default=0)
    totp_offer: Mapped[str | None] = mapped_column(Text)
    recovery: Mapped[list[Any] | None]
    created: Mapped[datetime]
    disabled: Mapped[datetime | None]
    language: Mapped[str | None] = mapped_column(Text)


class SignIn(Base):
    """A session of a browser; the cookie has the secret, this row only its hash."""

    __tablename__ = "sign_in"

    hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    account: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    csrf: Mapped[str] = mapped_column(Text)
    second_factor: Mapped[bool] = mapped_column(default=False)
    created: Mapped[datetime]
    expires: Mapped[datetime]


class LinkedSignOn(Base):
    """A person at a provider of OpenID Connect, who signs in to an account here.

    ``issuer`` and ``subject`` together name the person for ever. ``email`` is what the provider
    said when both were linked; it is shown to the owner of the account and decides nothing.
    """

    __tablename__ = "sign_on"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    account: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    issuer: Mapped[str] = mapped_column(Text)
    subject: Mapped[str] = mapped_column(Text)
    email: Mapped[str] = mapped_column(Text, default="")
    created: Mapped[datetime]


class SignOnAttempt(Base):
    """A browser that was sent to a provider and has not come back, or has no account yet.

    ``hash`` is that of the secret in its cookie, from which everything follows that only this
    browser may know. ``account`` is the account to link; None signs in. ``person`` is who came
    back, as the provider says, until there is an account.
    """

    __tablename__ = "sign_on_attempt"

    hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    provider: Mapped[str] = mapped_column(Text)
    account: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    place: Mapped[str] = mapped_column(Text)
    person: Mapped[dict[str, Any] | None]
    expires: Mapped[datetime]


class Token(Base):
    """A token of the API, for a person's programs or for a worker; only its hash is stored.

    ``scopes`` are words such as "submit", "read", "organise" and "work". A token of a worker has no
    account.
    """

    __tablename__ = "token"

    id: Mapped[int] = mapped_column(primary_key=True)
    hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    account: Mapped[int | None] = mapped_column(ForeignKey("account.id"), index=True)
    worker: Mapped[str | None] = mapped_column(Text)
    label: Mapped[str] = mapped_column(Text)
    scopes: Mapped[list[Any]]
    created: Mapped[datetime]
    expires: Mapped[datetime]
    revoked: Mapped[datetime | None]


class Link(Base):
    """A link that somebody sends: to make an account, to set a password, or for a team.

    ``edition`` and ``team`` say what it is for; ``left`` is how often it can still be used.
    """

    __tablename__ = "link"

    id: Mapped[int] = mapped_column(primary_key=True)
    hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    purpose: Mapped[str] = mapped_column(Text)  # "account", "password", "address" ...
    account: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    edition: Mapped[str | None] = mapped_column(Text, index=True)
    team: Mapped[str | None] = mapped_column(Text)
    note: Mapped[str] = mapped_column(Text, default="")
    left: Mapped[int] = mapped_column(default=1)
    created: Mapped[datetime]
    expires: Mapped[datetime]
    revoked: Mapped[datetime | None]
