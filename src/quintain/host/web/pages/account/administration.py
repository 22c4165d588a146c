"""Administration: the page on which operators look after all accounts of the site."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from quintain.host.accounts import administration as service
from quintain.host.accounts.registering import add_account, invite
from quintain.host.accounts.urls import set_password_url, sign_up_url
from quintain.host.site import Site
from quintain.host.web.flash import redirect
from quintain.host.web.pages.account.forms import Text, or_again
from quintain.host.web.pages.render import page
from quintain.host.web.requests import SiteOf, VisitorOf

ADMINISTRATION = APIRouter(prefix="/accounts")

_PAGE = "account/accounts.html.j2"


@ADMINISTRATION.get("")
def accounts_page(request: Request, site: SiteOf, visitor: VisitorOf) -> Response:
    """Every account of the site."""
    everybody = service.accounts(site, visitor)
    return page(request, _PAGE, accounts=everybody, new_link="", problem="")


@ADMINISTRATION.post("")
def add_form(
    request: Request, site: SiteOf, visitor: VisitorOf, email: Text = "", name: Text = ""
) -> Response:
    """Make an account for somebody, and show the link for its password once."""

    def work() -> Response:
        added = add_account(site, visitor, email, name)
        return _with_link(request, site, visitor, set_password_url(site, added.secret))

    everybody = service.accounts(site, visitor)
    return or_again(request, _PAGE, work, accounts=everybody, new_link="")


@ADMINISTRATION.post("/invite")
def invite_form(request: Request, site: SiteOf, visitor: VisitorOf) -> Response:
    """Make a link with which one person makes an account."""
    return _with_link(request, site, visitor, sign_up_url(site, invite(site, visitor)))


@ADMINISTRATION.post("/{number}/password-link")
def password_link_form(request: Request, site: SiteOf, visitor: VisitorOf, number: int) -> Response:
    """Make a link with which somebody sets a new password."""
    secret = service.password_link(site, visitor, number)
    return _with_link(request, site, visitor, set_password_url(site, secret))


@ADMINISTRATION.post("/{number}/disable")
def disable_form(request: Request, site: SiteOf, visitor: VisitorOf, number: int) -> Response:
    """Keep a person out."""
    service.disable(site, visitor, number)
    return redirect(request, "/accounts", f"Account {number} is disabled.")


@ADMINISTRATION.post("/{number}/enable")
def enable_form(request: Request, site: SiteOf, visitor: VisitorOf, number: int) -> Response:
    """Let a person in again."""
    service.enable(site, visitor, number)
    return redirect(request, "/accounts", f"Account {number} is enabled.")


@ADMINISTRATION.post("/{number}/operator")
def operator_form(
    request: Request, site: SiteOf, visitor: VisitorOf, number: int, operator: Text = ""
) -> Response:
    """Let a person run the site, or no longer."""
    service.set_operator(site, visitor, number, operator=operator == "yes")
    return redirect(request, "/accounts", f"Account {number} is changed.")


@ADMINISTRATION.post("/{number}/remove-second-factor")
def remove_second_factor_form(
    request: Request, site: SiteOf, visitor: VisitorOf, number: int
) -> Response:
    """Turn off the second factor of somebody who has lost it."""
    service.remove_second_factor(site, visitor, number)
    return redirect(request, "/accounts", f"Account {number} has no second factor now.")


def _with_link(request: Request, site: Site, visitor: VisitorOf, link: str) -> Response:
    everybody = service.accounts(site, visitor)
    return page(request, _PAGE, accounts=everybody, new_link=link, problem="")
