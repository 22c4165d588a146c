"""Shapes: accounts, tokens and forms as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from quintain.host.database.people import Account, Token

Email = Annotated[str, Field(max_length=254)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Password = Annotated[str, Field(max_length=1000)]
Code = Annotated[str, Field(max_length=40)]
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
"""A number of a row; databases have no larger ones."""
Scope = Literal["read", "submit", "organise"]


class Sent(BaseModel):
    """What programs send; a field that is not known is a mistake."""

    model_config = ConfigDict(extra="forbid")


class SignInForm(Sent):
    """Who asks for a token."""

    email: Email
    password: Password
    code: Code = ""
    label: Name = "a program"
    scopes: list[Scope] = Field(default=["read", "submit"], min_length=1, max_length=3)


class SignUpForm(Sent):
    """What a new account needs; a link where accounts are by invitation."""

    email: Email
    name: Name
    password: Password
    link: str = Field(default="", max_length=100)


class NewPasswordForm(Sent):
    """A link of an operator, and the password that its owner wants."""

    link: str = Field(max_length=100)
    password: Password


class TokenForm(Sent):
    """What a new token is for."""

    label: Name
    scopes: list[Scope] = Field(min_length=1, max_length=3)
    days: int | None = Field(default=None, ge=1, le=3650)


class AccountForm(Sent):
    """An account for somebody else."""

    email: Email
    name: Name


class OperatorForm(Sent):
    """Whether a person runs the site."""

    operator: bool

    @classmethod
    def read_form(cls, fields: Mapping[str, str]) -> dict[str, str]:
        """From a form, in which a box that nobody ticked is absent."""
        return {"operator": fields.get("operator") or "no"}


class TokenFacts(BaseModel):
    """A token, without its secret."""

    id: int
    label: str
    scopes: list[str]
    created: datetime
    expires: datetime

    @classmethod
    def of(cls, token: Token) -> TokenFacts:
        """The facts of a row."""
        return cls.model_validate(token, from_attributes=True)


class NewTokenFacts(TokenFacts):
    """A token that was just made; the secret is told this one time."""

    token: str


class AccountFacts(BaseModel):
    """An account, for its owner and for operators."""

    id: int
    email: str
    name: str
    operator: bool
    second_factor: bool
    disabled: bool
    created: datetime

    @classmethod
    def of(cls, account: Account) -> AccountFacts:
        """The facts of a row."""
        return cls(
            id=account.id,
            email=account.email,
            name=account.name,
            operator=account.operator,
            second_factor=account.totp is not None,
            disabled=account.disabled is not None,
            created=account.created,
        )


class NewLinkFacts(BaseModel):
    """A link to send to one person; it is told this one time."""

    account: int | None = None
    url: str
