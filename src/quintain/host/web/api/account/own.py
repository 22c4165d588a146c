"""Own: sign up, get a token, and look after the own account with a program."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request

from quintain.host.accounts.administration import set_password
from quintain.host.accounts.own_account import own_account
from quintain.host.accounts.registering import sign_up
from quintain.host.accounts.tokens import (
    NewToken,
    make_token,
    revoke_token,
    sign_in_for_token,
    tokens_of,
)
from quintain.host.web.api.account.shapes import (
    AccountFacts,
    NewPasswordForm,
    NewTokenFacts,
    Number,
    SignInForm,
    SignUpForm,
    TokenFacts,
    TokenForm,
)
from quintain.host.web.requests import SiteOf, VisitorOf
from quintain.host.web.security.limiting import limit_new_accounts, limit_sign_in

OWN = APIRouter(tags=["account"])


@OWN.post("/sign-in", status_code=201)
def get_token(request: Request, site: SiteOf, form: SignInForm) -> NewTokenFacts:
    """A token for a program, from address, password and second factor."""
    limit_sign_in(request, form.email)
    made = sign_in_for_token(site, form.email, form.password, form.code, form.label, form.scopes)
    return _new(made)


@OWN.post("/sign-up", status_code=201)
def make_account(request: Request, site: SiteOf, form: SignUpForm) -> dict[str, int]:
    """Make an account; returns its number."""
    limit_new_accounts(request)
    return {"id": sign_up(site, form.email, form.name, form.password, form.link)}


@OWN.post("/set-password")
def set_new_password(request: Request, site: SiteOf, form: NewPasswordForm) -> dict[str, int]:
    """Set a password with a link of an operator; returns the number of the account."""
    limit_new_accounts(request)
    return {"id": set_password(site, form.link, form.password)}


@OWN.get("/account")
def show_account(site: SiteOf, visitor: VisitorOf) -> AccountFacts:
    """What the site knows of you."""
    return AccountFacts.of(own_account(site, visitor))


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


def _new(made: NewToken) -> NewTokenFacts:
    return NewTokenFacts(**TokenFacts.of(made.token).model_dump(), token=made.secret)
