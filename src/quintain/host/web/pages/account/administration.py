"""Administration: the page on which operators look after all accounts of the site."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from quintain.host.accounts import administration as service
from quintain.host.accounts.registering import add_account
from quintain.host.accounts.urls import set_password_url
from quintain.host.web.api.account import everybody as commands
from quintain.host.web.pages.account.forms import Text, or_again
from quintain.host.web.pages.command_form import Facts, add_form
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
def add_account_form(
    request: Request, site: SiteOf, visitor: VisitorOf, email: Text = "", name: Text = ""
) -> Response:
    """Make an account for somebody, and show the link for its password once."""

    def work() -> Response:
        added = add_account(site, visitor, email, name)
        url = set_password_url(site, added.secret)
        return _show_link(request, {"site": site, "visitor": visitor, "url": url})

    everybody = service.accounts(site, visitor)
    return or_again(request, _PAGE, work, accounts=everybody, new_link="")


def _show_link(request: Request, facts: Facts) -> Response:
    """The page with a new link, which is shown once."""
    everybody = service.accounts(facts["site"], facts["visitor"])
    return page(request, _PAGE, accounts=everybody, new_link=facts["url"], problem="")


add_form(ADMINISTRATION, "/invite", commands.invite_somebody, render=_show_link)
add_form(ADMINISTRATION, "/{number}/password-link", commands.make_password_link, render=_show_link)
for path, command, sentence in (
    ("disable", commands.disable_account, "is disabled"),
    ("enable", commands.enable_account, "is enabled"),
    ("operator", commands.change_operator, "is changed"),
    ("remove-second-factor", commands.end_second_factor, "has no second factor now"),
):
    notice = "Account {number} " + sentence + "."
    add_form(ADMINISTRATION, f"/{{number}}/{path}", command, back="/accounts", notice=notice)
