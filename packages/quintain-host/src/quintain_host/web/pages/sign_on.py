"""Pages of sign-on: a browser goes to a provider of OpenID Connect and comes back signed in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from quintain.errors import QuintainError
from quintain.wording.languages import say, to_say
from quintain_host.access import NotThere, Visitor
from quintain_host.accounts.administration import require_welcome
from quintain_host.accounts.sessions import Signed
from quintain_host.database.people import SignOnAttempt
from quintain_host.sign_on.attempts import (
    MINUTES,
    AttemptSecrets,
    end_attempt,
    new_attempt,
    note_attempt,
    see_attempt,
    take_attempt,
)
from quintain_host.sign_on.calls import SignOnFailed
from quintain_host.sign_on.identities import (
    link_sign_on,
    make_account_of,
    refusal_of,
    sign_in_as,
)
from quintain_host.sign_on.person import ProvedPerson
from quintain_host.site import Site
from quintain_host.web.api import account as commands
from quintain_host.web.pages.account import Text, begin_in, cookie_of, local_path, or_again
from quintain_host.web.pages.command_form import add_form
from quintain_host.web.pages.render import page, redirect
from quintain_host.web.requests import SiteOf, VisitorOf, site_of
from quintain_host.web.security.rate_limits import limit_new_accounts

if TYPE_CHECKING:
    from quintain_host.sign_on.provider import Provider  # needs Authlib, which few sites need

SIGN_ON = APIRouter()

_NEW = "/sign-up/sign-on"
_COOKIE = re.compile(r"([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{0,100})")


@SIGN_ON.post("/sign-on/{provider}")
async def go_form(
    request: Request, site: SiteOf, provider: str, next: Text = "", link: Text = ""
) -> Response:
    """Send a browser to a provider to sign in.

    Parameters
    ----------
    link : the secret of an invitation, for somebody who has no account yet.
    """
    return await _send_away(request, site, provider, local_path(next), link=link)


@SIGN_ON.post("/account/sign-ons/{provider}")
async def link_form(request: Request, site: SiteOf, visitor: VisitorOf, provider: str) -> Response:
    """Send the browser of somebody who is signed in to a provider, to link both."""
    account = visitor.require_browser()
    return await _send_away(request, site, provider, "/account", account=account)


async def _send_away(
    request: Request,
    site: Site,
    name: str,
    place: str,
    *,
    account: int | None = None,
    link: str = "",
) -> Response:
    """A page that leads to the provider at once.

    No form may lead to another host, so it is not a redirect: see ``form-action`` in the policy.
    """
    provider, secrets = _provider(request, name), new_attempt()
    try:
        url = await provider.begin(secrets)
    except SignOnFailed as problem:
        return await run_in_threadpool(_show_failure, request, problem)
    await run_in_threadpool(note_attempt, site, secrets, name, place, account=account)
    response = await run_in_threadpool(
        page, request, "account/sign_on_go.html.j2", url=url, title=provider.settings.title
    )
    _give_cookie(response, site, secrets, link)
    return response


@SIGN_ON.get("/sign-on/{provider}/back")
async def back_page(
    request: Request, site: SiteOf, visitor: VisitorOf, provider: str, state: str = ""
) -> Response:
    """Somebody comes back from a provider."""
    known, (secrets, link) = _provider(request, provider), _read_cookie(request)
    try:
        attempt = await run_in_threadpool(take_attempt, site, secrets, provider, state)
        answer = {name: value for name, value in request.query_params.items() if value}
        person = await known.identify(answer, secrets, site.clock.now())
        response = await run_in_threadpool(
            _arrive, request, site, visitor, known, attempt, person, link
        )
    except SignOnFailed as problem:
        response = await run_in_threadpool(_show_failure, request, problem)
        _take_cookie_back(response, site)
    return response


def _arrive(
    request: Request,
    site: Site,
    visitor: Visitor,
    provider: Provider,
    attempt: SignOnAttempt,
    person: ProvedPerson,
    link: str,
) -> Response:
    """Sign a person in, link an account, or ask whether to make one."""
    title = provider.settings.title
    if attempt.account is not None:
        if visitor.account != attempt.account:
            raise SignOnFailed(
                say("you signed out, or in as somebody else, in the meantime: begin again")
            )
        link_sign_on(site, visitor, person, provider.settings.id)
        response: Response = redirect(
            request, "/account", say("You can sign in by %(title)s now.", title=title)
        )
        _take_cookie_back(response, site)
        return response
    signed = sign_in_as(site, person, provider.settings.id, cookie_of(request))
    if signed is not None:
        return _enter(request, site, signed, attempt.place)
    secrets = new_attempt()
    note_attempt(site, secrets, attempt.provider, attempt.place, person=person.as_json())
    response = redirect(request, _NEW)
    _give_cookie(response, site, secrets, link)
    return response


@SIGN_ON.get(_NEW)
def new_account_page(request: Request, site: SiteOf) -> Response:
    """Ask somebody who came from a provider whether to make an account."""
    secrets, link = _read_cookie(request)
    try:
        attempt, person = _newcomer(site, secrets)
    except SignOnFailed as problem:
        return _show_failure(request, problem)
    try:
        require_welcome(site, link)
        refusal = refusal_of(site, person)
    except QuintainError as problem:
        refusal = problem.say()
    return page(
        request,
        "account/sign_on_new.html.j2",
        title=_provider(request, attempt.provider).settings.title,
        email=person.email,
        name=person.name,
        refusal=refusal,
        problem="",
    )


@SIGN_ON.post(_NEW)
def new_account_form(request: Request, site: SiteOf, name: Text = "") -> Response:
    """Make an account for somebody who came from a provider."""
    limit_new_accounts(request)
    secrets, link = _read_cookie(request)
    try:
        attempt, person = _newcomer(site, secrets)
    except SignOnFailed as problem:
        return _show_failure(request, problem)

    def work() -> Response:
        signed = make_account_of(site, person, attempt.provider, name, link, cookie_of(request))
        end_attempt(site, secrets)
        return _enter(request, site, signed, attempt.place)

    title = _provider(request, attempt.provider).settings.title
    shown = {"title": title, "email": person.email, "name": name, "refusal": ""}
    return or_again(request, "account/sign_on_new.html.j2", work, **shown)


def _newcomer(site: Site, secrets: AttemptSecrets) -> tuple[SignOnAttempt, ProvedPerson]:
    """The attempt of somebody who came back without an account, and who it is."""
    attempt = see_attempt(site, secrets)
    if attempt.person is None:
        raise SignOnFailed(say("this sign-on is not complete: begin again"))
    return attempt, ProvedPerson(**attempt.person)


def _enter(request: Request, site: Site, signed: Signed, place: str) -> Response:
    """Give a browser its session, or ask for the code of the second factor first."""
    response = begin_in(request, signed, local_path(place))
    _take_cookie_back(response, site)
    return response


def _show_failure(request: Request, problem: SignOnFailed) -> Response:
    return page(request, "account/sign_on_failed.html.j2", problem.status, sentence=problem.say())


def _provider(request: Request, name: str) -> Provider:
    provider: Provider | None = request.app.state.providers.get(name)
    if provider is None:
        raise NotThere(say("nobody signs in to this site by that provider"))
    return provider


add_form(
    SIGN_ON,
    "/account/sign-ons/{number}/remove",
    commands.end_sign_on,
    back="/account",
    notice=to_say("The sign-on is removed."),
)


# --- the cookie of an attempt ---------------------------------------------------------------------


def _cookie_name(site: Site) -> str:
    return "__Host-sign-on" if site.settings.secure else "sign-on"


def _give_cookie(response: Response, site: Site, secrets: AttemptSecrets, link: str) -> None:
    """Let a browser carry the secret of its attempt, and the invitation that it came with."""
    value = f"{secrets.cookie}.{link}"
    response.set_cookie(
        _cookie_name(site),
        value if _COOKIE.fullmatch(value) else f"{secrets.cookie}.",
        max_age=60 * MINUTES,
        path="/",
        secure=site.settings.secure,
        httponly=True,
        samesite="lax",  # a browser that comes back from a provider brings it
    )


def _read_cookie(request: Request) -> tuple[AttemptSecrets, str]:
    """What the browser carries; secrets that fit nothing if it carries nothing."""
    match = _COOKIE.fullmatch(request.cookies.get(_cookie_name(site_of(request)), ""))
    return (new_attempt(), "") if match is None else (AttemptSecrets(match[1]), match[2])


def _take_cookie_back(response: Response, site: Site) -> None:
    name, secure = _cookie_name(site), site.settings.secure
    response.delete_cookie(name, path="/", secure=secure, httponly=True, samesite="lax")
