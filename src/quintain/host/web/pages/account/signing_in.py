"""Signing in: the pages to sign in and out, to make an account, and to set a password."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import Response

from quintain.host.accounts.administration import owner_of_link, set_password
from quintain.host.accounts.registering import require_welcome, sign_up
from quintain.host.accounts.sessions import give_code, sign_in, sign_out
from quintain.host.web.flash import redirect
from quintain.host.web.pages.account.forms import Text, cookie_of, or_again
from quintain.host.web.pages.render import page
from quintain.host.web.requests import SiteOf, VisitorOf, site_of
from quintain.host.web.security.cookies import give_cookie, take_cookie_back
from quintain.host.web.security.limiting import limit_codes, limit_new_accounts, limit_sign_in
from quintain.host.web.security.redirects import local_path

SIGNING_IN = APIRouter()


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
        signed = sign_in(site, email, password, cookie_of(request))
        code = f"/sign-in/code?next={quote(to)}"
        return _signed_in(request, signed.cookie, code if signed.needs_code else to)

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
    if visitor.awaits_code is None:
        return redirect(request, "/sign-in")
    limit_codes(request, visitor.awaits_code)

    def work() -> Response:
        return _signed_in(request, give_code(site, visitor, cookie_of(request), code), to)

    return or_again(request, "account/code.html.j2", work, next=to)


@SIGNING_IN.post("/sign-out")
def sign_out_form(request: Request, site: SiteOf, visitor: VisitorOf) -> Response:
    """End the session."""
    sign_out(site, visitor, cookie_of(request))
    response = redirect(request, "/", "You have signed out.")
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
    """Make an account and sign in."""
    limit_new_accounts(request)
    to = local_path(next)

    def work() -> Response:
        sign_up(site, email, name, password, link)
        signed = sign_in(site, email, password, cookie_of(request))
        return _signed_in(request, signed.cookie, to, "Welcome. You are signed in.")

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
        set_password(site, secret, password)
        return redirect(request, "/sign-in", "Your password is set. Sign in with it.")

    return or_again(request, "account/set_password.html.j2", work, email=owner.email)


def _signed_in(request: Request, cookie: str, to: str, notice: str = "") -> Response:
    response = redirect(request, to, notice)
    give_cookie(response, site_of(request).settings, cookie)
    return response
