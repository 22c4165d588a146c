"""Accounts over the API: people look after their own one, and operators after all of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field

from quintain_host.accounts import administration as service
from quintain_host.accounts.links import set_password_url, sign_up_url
from quintain_host.accounts.sessions import (
    NewToken,
    make_token,
    revoke_token,
    sign_in_for_token,
    tokens_of,
)
from quintain_host.database.people import Account, LinkedSignOn, Token
from quintain_host.sign_on.identities import own_sign_ons, remove_sign_on
from quintain_host.web.requests import SiteOf, VisitorOf
from quintain_host.web.security.rate_limits import limit_new_accounts, limit_resets, limit_sign_in

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


class ResetForm(Sent):
    """Who has forgotten the password."""

    email: Email


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


class SignOnFacts(BaseModel):
    """A person at a provider, who signs in to your account."""

    id: int
    issuer: str
    email: str
    created: datetime

    @classmethod
    def of(cls, row: LinkedSignOn) -> SignOnFacts:
        """The facts of a row."""
        return cls.model_validate(row, from_attributes=True)


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


OWN = APIRouter(tags=["account"])


@OWN.post("/sign-in", status_code=201)
def get_token(request: Request, site: SiteOf, form: SignInForm) -> NewTokenFacts:
    """A token for a program, from address, password and second factor."""
    limit_sign_in(request, form.email)
    made = sign_in_for_token(site, form.email, form.password, form.code, form.label, form.scopes)
    return _new(made)


@OWN.post("/sign-up", status_code=202)
def make_account(request: Request, site: SiteOf, form: SignUpForm) -> None:
    """Make an account, unless the address has one; the answer is the same. Sign in afterwards."""
    limit_new_accounts(request)
    service.sign_up(site, form.email, form.name, form.password, form.link)


@OWN.post("/set-password")
def set_new_password(request: Request, site: SiteOf, form: NewPasswordForm) -> dict[str, int]:
    """Set a password with a link of an operator; returns the number of the account."""
    limit_new_accounts(request)
    return {"id": service.set_password(site, form.link, form.password)}


@OWN.post("/reset-password", status_code=202)
def ask_for_reset(request: Request, site: SiteOf, form: ResetForm) -> None:
    """Send a link for a new password by mail; the answer does not say whether anybody gets one."""
    limit_resets(request, form.email)
    service.ask_for_reset(site, form.email)


@OWN.get("/account")
def show_account(site: SiteOf, visitor: VisitorOf) -> AccountFacts:
    """What the site knows of you."""
    return AccountFacts.of(service.own_account(site, visitor))


@OWN.get("/account/tokens")
def list_tokens(site: SiteOf, visitor: VisitorOf) -> list[TokenFacts]:
    """Your tokens that are valid."""
    return [TokenFacts.of(token) for token in tokens_of(site, visitor)]


@OWN.post("/account/tokens", status_code=201)
def add_token(site: SiteOf, visitor: VisitorOf, form: TokenForm) -> NewTokenFacts:
    """Make a token for your programs; sign in with a browser for it."""
    return _new(make_token(site, visitor, form.label, form.scopes, form.days))


@OWN.delete("/account/tokens/{number}", status_code=204)
def end_token(site: SiteOf, visitor: VisitorOf, number: Annotated[Number, Path()]) -> None:
    """Revoke a token of yours."""
    revoke_token(site, visitor, number)


@OWN.get("/account/sign-ons")
def list_sign_ons(site: SiteOf, visitor: VisitorOf) -> list[SignOnFacts]:
    """By which providers of OpenID Connect you sign in."""
    return [SignOnFacts.of(row) for row in own_sign_ons(site, visitor)]


@OWN.delete("/account/sign-ons/{number}", status_code=204)
def end_sign_on(site: SiteOf, visitor: VisitorOf, number: Annotated[Number, Path()]) -> None:
    """Remove a sign-on of yours; sign in with a browser for it."""
    remove_sign_on(site, visitor, number)


def _new(made: NewToken) -> NewTokenFacts:
    return NewTokenFacts(**TokenFacts.of(made.token).model_dump(), token=made.secret)


EVERYBODY = APIRouter(prefix="/accounts", tags=["accounts"])

AccountNumber = Annotated[Number, Path()]


@EVERYBODY.get("")
def list_accounts(site: SiteOf, visitor: VisitorOf) -> list[AccountFacts]:
    """Every account of the site."""
    return [AccountFacts.of(account) for account in service.accounts(site, visitor)]


@EVERYBODY.post("", status_code=201)
def make_account_for(site: SiteOf, visitor: VisitorOf, form: AccountForm) -> NewLinkFacts:
    """Make an account for somebody, who sets a password with the link."""
    added = service.add_account(site, visitor, form.email, form.name)
    return NewLinkFacts(account=added.number, url=set_password_url(site, added.secret))


@EVERYBODY.post("/invite", status_code=201)
def invite_somebody(site: SiteOf, visitor: VisitorOf) -> NewLinkFacts:
    """Make a link with which one person makes an account."""
    return NewLinkFacts(url=sign_up_url(site, service.invite(site, visitor)))


@EVERYBODY.post("/{number}/password-link", status_code=201)
def make_password_link(site: SiteOf, visitor: VisitorOf, number: AccountNumber) -> NewLinkFacts:
    """Make a link with which somebody sets a new password."""
    secret = service.password_link(site, visitor, number)
    return NewLinkFacts(account=number, url=set_password_url(site, secret))


@EVERYBODY.post("/{number}/disable", status_code=204)
def disable_account(site: SiteOf, visitor: VisitorOf, number: AccountNumber) -> None:
    """Disable an account."""
    service.disable(site, visitor, number)


@EVERYBODY.post("/{number}/enable", status_code=204)
def enable_account(site: SiteOf, visitor: VisitorOf, number: AccountNumber) -> None:
    """Enable an account again."""
    service.enable(site, visitor, number)


@EVERYBODY.post("/{number}/operator", status_code=204)
def change_operator(
    site: SiteOf, visitor: VisitorOf, number: AccountNumber, form: OperatorForm
) -> None:
    """Let a person run the site, or no longer."""
    service.set_operator(site, visitor, number, operator=form.operator)


@EVERYBODY.post("/{number}/remove-second-factor", status_code=204)
def end_second_factor(site: SiteOf, visitor: VisitorOf, number: AccountNumber) -> None:
    """Turn off the second factor of somebody who has lost it."""
    service.remove_second_factor(site, visitor, number)
