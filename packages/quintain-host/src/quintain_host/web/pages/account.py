"""Pages of accounts: sign in and up, the own account, and the accounts of a site for operators."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import quote, urlsplit

import segno
from fastapi import APIRouter, Form, Request
from fastapi.responses import Response
from markupsafe import Markup

from quintain.errors import QuintainError
from quintain.wording.languages import say, say_list, to_say
from quintain_host.accounts import administration as service
from quintain_host.accounts.administration import (
    add_account,
    change_password,
    end_other_sessions,
    own_account,
    own_sessions,
    owner_of_link,
    rename,
    require_welcome,
    set_password,
    sign_up,
    sign_ups_again,
)
from quintain_host.accounts.links import set_password_url
from quintain_host.accounts.passwords import UNUSABLE
from quintain_host.accounts.second_factor import confirm, offer
from quintain_host.accounts.sessions import (
    SCOPES,
    Signed,
    give_code,
    make_token,
    sign_in,
    sign_out,
    tokens_of,
)
from quintain_host.sign_on.identities import own_sign_ons
from quintain_host.web.api import account as commands
from quintain_host.web.pages.command_form import Facts, add_form, add_forms
from quintain_host.web.pages.form_again import beside_fields
from quintain_host.web.pages.render import page, redirect
from quintain_host.web.requests import (
    SiteOf,
    VisitorOf,
    cookie_name,
    give_cookie,
    remember_device,
    site_of,
    take_cookie_back,
)
from quintain_host.web.security.rate_limits import (
    TooMany,
    limit_codes,
    limit_new_accounts,
    limit_sign_in,
)

Text = Annotated[str, Form(max_length=1000)]

SIGNING_IN = APIRouter()

_AFTER_SIGN_UP = to_say(
    "Now sign in. If this address had an account before, it is unchanged: use the password that it "
    "had, or ask the operators for a link."
)
"""The same sentence for a new address and for one that has an account."""


@SIGNING_IN.get("/sign-in")
def sign_in_page(request: Request, next: str = "") -> Response:
    """Ask for address and password."""
    return page(request, "account/sign_in.html.j2", next=local_path(next), email="", problem="")


@SIGNING_IN.post("/sign-in")
def sign_in_form(
    request: Request,
    site: SiteOf,
    email: Text = "",
    password: Text = "",
    next: Text = "",
) -> Response:
    """Begin a session; with a second factor, ask for its code next."""
    limit_sign_in(request, email)
    to = local_path(next)

    def work() -> Response:
        return begin_in(request, sign_in(site, email, password, cookie_of(request)), to)

    return or_again(request, "account/sign_in.html.j2", work, next=to, email=email)


@SIGNING_IN.get("/sign-in/code")
def code_page(request: Request, visitor: VisitorOf, next: str = "") -> Response:
    """Ask for the code of the second factor."""
    if visitor.awaits_code is None:
        return redirect(request, "/sign-in" if visitor.account is None else local_path(next))
    return page(request, "account/code.html.j2", next=local_path(next), problem="")


@SIGNING_IN.post("/sign-in/code")
def code_form(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    code: Text = "",
    next: Text = "",
) -> Response:
    """Complete a session with the second factor."""
    to = local_path(next)
    account = visitor.awaits_code
    if account is None:
        return redirect(request, "/sign-in")
    limit_codes(request, account)

    def work() -> Response:
        cookie = give_code(site, visitor, cookie_of(request), code)
        return _begin_session(request, cookie, to, account)

    return or_again(request, "account/code.html.j2", work, next=to)


@SIGNING_IN.post("/sign-out")
def sign_out_form(request: Request, site: SiteOf, visitor: VisitorOf) -> Response:
    """End the session."""
    sign_out(site, visitor, cookie_of(request))
    elsewhere = [provider.title for provider in site.settings.sign_on]
    notice = say("You have signed out.")
    if elsewhere:
        providers = say_list(elsewhere)
        notice = say(
            "You have signed out. At %(providers)s you may still be signed in.", providers=providers
        )
    response = redirect(request, "/", notice)
    take_cookie_back(response, site.settings)
    return response


@SIGNING_IN.get("/sign-up")
def sign_up_page(request: Request, site: SiteOf, link: str = "", next: str = "") -> Response:
    """Ask for what an account needs."""
    require_welcome(site, link)
    form, to = "account/sign_up.html.j2", local_path(next)
    return page(request, form, invitation=link, next=to, email="", name="", problem="")


@SIGNING_IN.post("/sign-up")
def sign_up_form(
    request: Request,
    site: SiteOf,
    email: Text = "",
    name: Text = "",
    password: Text = "",
    link: Text = "",
    next: Text = "",
) -> Response:
    """Make an account; who has one already is told the same."""
    limit_new_accounts(request)
    to = local_path(next)

    def work() -> Response:
        sign_up(site, email, name, password, link)
        return redirect(request, f"/sign-in?next={quote(to)}", say(_AFTER_SIGN_UP))

    shown = {"email": email, "name": name, "invitation": link, "next": to}
    return or_again(request, "account/sign_up.html.j2", work, **shown)


@SIGNING_IN.get("/set-password/{secret}")
def set_password_page(request: Request, site: SiteOf, secret: str) -> Response:
    """Ask for a new password, for somebody with a link."""
    owner = owner_of_link(site, secret)
    return page(request, "account/set_password.html.j2", email=owner.email, problem="")


@SIGNING_IN.post("/set-password/{secret}")
def set_password_form(request: Request, site: SiteOf, secret: str, password: Text = "") -> Response:
    """Set a password with a link."""
    owner = owner_of_link(site, secret)

    def work() -> Response:
        account = set_password(site, secret, password)
        response = redirect(request, "/sign-in", say("Your password is set. Sign in with it."))
        remember_device(response, site, account)  # strangers may have used up all attempts
        return response

    return or_again(request, "account/set_password.html.j2", work, email=owner.email)


def begin_in(request: Request, signed: Signed, to: str) -> Response:
    """Give a browser a new session; with a second factor, ask for its code next."""
    if signed.needs_code:
        return _begin_session(request, signed.cookie, f"/sign-in/code?next={quote(to)}")
    return _begin_session(request, signed.cookie, to, signed.account)


def _begin_session(request: Request, cookie: str, to: str, account: int | None = None) -> Response:
    """Give a browser its session; once the sign-in of an account is complete, know the device."""
    response, site = redirect(request, to), site_of(request)
    give_cookie(response, site.settings, cookie)
    if account is not None:
        remember_device(response, site, account)
    return response


ACCOUNT = APIRouter(prefix="/account")


@ACCOUNT.get("")
def account_page(request: Request, site: SiteOf, visitor: VisitorOf) -> Response:
    """What the site knows of the visitor."""
    visitor.require_browser()
    return page(request, "account/account.html.j2", **_account_facts(site, visitor), problem="")


def _account_facts(site: SiteOf, visitor: VisitorOf) -> dict[str, Any]:
    account, linked = own_account(site, visitor), own_sign_ons(site, visitor)
    known = {provider.issuer: provider for provider in site.settings.sign_on}
    return {
        "account": account,
        "has_password": account.password != UNUSABLE,
        "sessions": own_sessions(site, visitor),
        "repeated": sign_ups_again(site, visitor),
        "sign_ons": [(row, known.get(row.issuer)) for row in linked],
        "further": [known[issuer] for issuer in known.keys() - {row.issuer for row in linked}],
    }


@ACCOUNT.post("/name")
def name_form(request: Request, site: SiteOf, visitor: VisitorOf, name: Text = "") -> Response:
    """Change the visitor's name."""
    rename(site, visitor, name)
    return redirect(request, "/account", say("Your name is changed."))


@ACCOUNT.post("/password")
def password_form(
    request: Request, site: SiteOf, visitor: VisitorOf, old: Text = "", new: Text = ""
) -> Response:
    """Change the visitor's password."""
    limit_codes(request, visitor.require_browser())

    def work() -> Response:
        change_password(site, visitor, cookie_of(request), old, new)
        return redirect(
            request,
            "/account",
            say("Your password is changed. Other sessions and tokens have ended."),
        )

    return or_again(request, "account/account.html.j2", work, **_account_facts(site, visitor))


@ACCOUNT.post("/sessions")
def sessions_form(request: Request, site: SiteOf, visitor: VisitorOf) -> Response:
    """End the visitor's other sessions."""
    end_other_sessions(site, visitor, cookie_of(request))
    return redirect(request, "/account", say("You are signed out everywhere else."))


@ACCOUNT.get("/second-factor")
def second_factor_page(
    request: Request, site: SiteOf, visitor: VisitorOf, next: str = ""
) -> Response:
    """Show the secret for a phone, as a QR code and as text."""
    facts = _offer_facts(site, visitor, next)
    return page(request, "account/second_factor.html.j2", **facts, problem="")


@ACCOUNT.post("/second-factor")
def second_factor_form(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    password: Text = "",
    code: Text = "",
    next: Text = "",
) -> Response:
    """Turn the second factor on, and show the recovery codes once."""
    limit_codes(request, visitor.require_browser())
    facts = _offer_facts(site, visitor, next)

    def work() -> Response:
        codes = confirm(site, visitor, cookie_of(request), password, code)
        back = facts["next"] or "/account"
        return page(request, "account/recovery_codes.html.j2", codes=codes, back=back)

    return or_again(request, "account/second_factor.html.j2", work, **facts)


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


def _offer_facts(site: SiteOf, visitor: VisitorOf, next: str) -> dict[str, Any]:
    """What the page about a second factor shows; ``next`` is the page that asked for it."""
    account = own_account(site, visitor)
    offered = offer(site, visitor)
    picture = segno.make(offered.uri, micro=False).svg_inline(
        scale=5, dark="#000", light="#fff", svgclass="qr", lineclass=None, omitsize=False
    )
    safe = Markup(picture)  # noqa: S704 -- squares and nothing else
    return {
        "on": account.totp is not None,
        "has_password": account.password != UNUSABLE,
        "secret": offered.secret,
        "picture": safe,
        "next": local_path(next) if next else "",
    }


add_form(
    ACCOUNT,
    "/tokens/{number}/revoke",
    commands.end_token,
    back="/account/tokens",
    notice=to_say("The token is revoked."),
)


ADMINISTRATION = APIRouter(prefix="/accounts")

_ACCOUNTS = "account/accounts.html.j2"


@ADMINISTRATION.get("")
def accounts_page(request: Request, site: SiteOf, visitor: VisitorOf) -> Response:
    """Every account of the site."""
    everybody = service.accounts(site, visitor)
    return page(request, _ACCOUNTS, accounts=everybody, new_link="", problem="")


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
    return or_again(request, _ACCOUNTS, work, accounts=everybody, new_link="")


def _show_link(request: Request, facts: Facts) -> Response:
    """The page with a new link, which is shown once."""
    everybody = service.accounts(facts["site"], facts["visitor"])
    return page(request, _ACCOUNTS, accounts=everybody, new_link=facts["url"], problem="")


add_form(ADMINISTRATION, "/invite", commands.invite_somebody, render=_show_link)
add_form(ADMINISTRATION, "/{number}/password-link", commands.make_password_link, render=_show_link)
add_forms(
    ADMINISTRATION,
    (
        "/{number}/disable",
        commands.disable_account,
        "/accounts",
        to_say("Account %(number)s is disabled."),
    ),
    (
        "/{number}/enable",
        commands.enable_account,
        "/accounts",
        to_say("Account %(number)s is enabled."),
    ),
    (
        "/{number}/operator",
        commands.change_operator,
        "/accounts",
        to_say("Account %(number)s is changed."),
    ),
    (
        "/{number}/remove-second-factor",
        commands.end_second_factor,
        "/accounts",
        to_say("Account %(number)s has no second factor now."),
    ),
)


def cookie_of(request: Request) -> str:
    """The secret of the visitor's session; empty if there is none."""
    return request.cookies.get(cookie_name(site_of(request).settings), "")


def or_again(
    request: Request, template: str, work: Callable[[], Response], **fields: Any
) -> Response:
    """Do the work of a form. If it is refused, show the form again with the reason.

    Parameters
    ----------
    fields : what the form shows again; never a password.
    """
    try:
        return work()
    except TooMany:
        raise
    except QuintainError as problem:
        if problem.status >= 500:
            raise
        shown = page(request, template, problem.status, problem=problem.say(), **fields)
        return beside_fields(shown, request.url.path, problem)


_LOCAL = re.compile(r"/(?:[A-Za-z0-9._~!$&'()*+,;=:@%-][A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?")


def local_path(text: str) -> str:
    """A path of this site from a form or a query; everything else becomes its home page.

    Examples
    --------
    >>> local_path("/contests/amic?team=1")
    '/contests/amic?team=1'
    >>> local_path("//evil.example"), local_path(r"/\\evil.example"), local_path("https://a.b")
    ('/', '/', '/')
    """
    parts = urlsplit(text) if len(text) <= 500 and _LOCAL.fullmatch(text) else None
    return "/" if parts is None or parts.scheme or parts.netloc else text
