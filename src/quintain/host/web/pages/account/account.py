"""Account: the pages on which people look after their own account."""

from __future__ import annotations

from typing import Annotated, Any

import segno
from fastapi import APIRouter, Form, Request
from fastapi.responses import Response
from markupsafe import Markup

from quintain.host.accounts.own_account import (
    change_password,
    end_other_sessions,
    own_account,
    own_sessions,
    rename,
)
from quintain.host.accounts.second_factor import confirm, offer
from quintain.host.accounts.tokens import SCOPES, make_token, tokens_of
from quintain.host.web.api.account.own import end_token
from quintain.host.web.flash import redirect
from quintain.host.web.pages.account.forms import Text, cookie_of, or_again
from quintain.host.web.pages.command_form import add_form
from quintain.host.web.pages.render import page
from quintain.host.web.requests import SiteOf, VisitorOf
from quintain.host.web.security.limiting import limit_codes

ACCOUNT = APIRouter(prefix="/account")


@ACCOUNT.get("")
def account_page(request: Request, site: SiteOf, visitor: VisitorOf) -> Response:
    """What the site knows of the visitor."""
    visitor.require_browser()
    return page(
        request,
        "account/account.html.j2",
        account=own_account(site, visitor),
        sessions=own_sessions(site, visitor),
        problem="",
    )


@ACCOUNT.post("/name")
def name_form(request: Request, site: SiteOf, visitor: VisitorOf, name: Text = "") -> Response:
    """Change the visitor's name."""
    rename(site, visitor, name)
    return redirect(request, "/account", "Your name is changed.")


@ACCOUNT.post("/password")
def password_form(
    request: Request, site: SiteOf, visitor: VisitorOf, old: Text = "", new: Text = ""
) -> Response:
    """Change the visitor's password."""
    limit_codes(request, visitor.require_browser())

    def work() -> Response:
        change_password(site, visitor, cookie_of(request), old, new)
        return redirect(
            request, "/account", "Your password is changed. Other sessions and tokens have ended."
        )

    account, sessions = own_account(site, visitor), own_sessions(site, visitor)
    facts = {"account": account, "sessions": sessions}
    return or_again(request, "account/account.html.j2", work, **facts)


@ACCOUNT.post("/sessions")
def sessions_form(request: Request, site: SiteOf, visitor: VisitorOf) -> Response:
    """End the visitor's other sessions."""
    end_other_sessions(site, visitor, cookie_of(request))
    return redirect(request, "/account", "You are signed out everywhere else.")


@ACCOUNT.get("/second-factor")
def second_factor_page(request: Request, site: SiteOf, visitor: VisitorOf) -> Response:
    """Show the secret for a phone, as a QR code and as text."""
    return page(request, "account/second_factor.html.j2", **_offered(site, visitor), problem="")


@ACCOUNT.post("/second-factor")
def second_factor_form(
    request: Request, site: SiteOf, visitor: VisitorOf, password: Text = "", code: Text = ""
) -> Response:
    """Turn the second factor on, and show the recovery codes once."""
    limit_codes(request, visitor.require_browser())

    def work() -> Response:
        codes = confirm(site, visitor, cookie_of(request), password, code)
        return page(request, "account/recovery_codes.html.j2", codes=codes)

    return or_again(request, "account/second_factor.html.j2", work, **_offered(site, visitor))


@ACCOUNT.get("/tokens")
def tokens_page(request: Request, site: SiteOf, visitor: VisitorOf) -> Response:
    """The visitor's tokens for programs."""
    visitor.require_browser()
    return page(request, "account/tokens.html.j2", **_tokens(site, visitor), problem="")


@ACCOUNT.post("/tokens")
def tokens_form(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    label: Text = "",
    scope: Annotated[list[str], Form()] = [],  # noqa: B006 -- FastAPI copies it
) -> Response:
    """Make a token and show it once."""
    visitor.require_browser()

    def work() -> Response:
        made = make_token(site, visitor, label, scope)
        facts = _tokens(site, visitor, made.secret)
        return page(request, "account/tokens.html.j2", **facts, problem="")

    return or_again(request, "account/tokens.html.j2", work, **_tokens(site, visitor))


def _tokens(site: SiteOf, visitor: VisitorOf, secret: str = "") -> dict[str, Any]:
    return {"tokens": tokens_of(site, visitor), "scopes": SCOPES, "secret": secret}


def _offered(site: SiteOf, visitor: VisitorOf) -> dict[str, Any]:
    account = own_account(site, visitor)
    offered = offer(site, visitor)
    picture = segno.make(offered.uri, micro=False).svg_inline(
        scale=5, dark="#000", light="#fff", svgclass="qr", lineclass=None, omitsize=False
    )
    safe = Markup(picture)  # noqa: S704 -- squares and nothing else
    return {"on": account.totp is not None, "secret": offered.secret, "picture": safe}


add_form(
    ACCOUNT,
    "/tokens/{number}/revoke",
    end_token,
    back="/account/tokens",
    notice="The token is revoked.",
)
