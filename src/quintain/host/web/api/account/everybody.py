"""Everybody: the accounts of a site, for operators."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from quintain.host.accounts import administration as service
from quintain.host.accounts.registering import add_account, invite
from quintain.host.accounts.urls import set_password_url, sign_up_url
from quintain.host.web.api.account.shapes import (
    AccountFacts,
    AccountForm,
    NewLinkFacts,
    Number,
    OperatorForm,
)
from quintain.host.web.requests import SiteOf, VisitorOf

EVERYBODY = APIRouter(prefix="/accounts", tags=["accounts"])

AccountNumber = Annotated[Number, Path()]


@EVERYBODY.get("")
def list_accounts(site: SiteOf, visitor: VisitorOf) -> list[AccountFacts]:
    """Every account of the site."""
    return [AccountFacts.of(account) for account in service.accounts(site, visitor)]


@EVERYBODY.post("", status_code=201)
def make_account_for(site: SiteOf, visitor: VisitorOf, form: AccountForm) -> NewLinkFacts:
    """Make an account for somebody, who sets a password with the link."""
    added = add_account(site, visitor, form.email, form.name)
    return NewLinkFacts(account=added.number, url=set_password_url(site, added.secret))


@EVERYBODY.post("/invite", status_code=201)
def invite_somebody(site: SiteOf, visitor: VisitorOf) -> NewLinkFacts:
    """Make a link with which one person makes an account."""
    return NewLinkFacts(url=sign_up_url(site, invite(site, visitor)))


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
