"""Pages of notices: the inbox, how the site reaches a person, signed links, and questions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, Response

from quintain.wording.languages import say, to_say
from quintain_host.access import Visitor
from quintain_host.accounts.administration import (
    ask_for_address_check,
    ask_for_reset,
    own_account,
)
from quintain_host.notices import contacts
from quintain_host.notices.contacts import own_contact, subscription_behind
from quintain_host.notices.inbox import notices_of
from quintain_host.notices.questions import STANDARD, questions_for
from quintain_host.notices.words import KINDS
from quintain_host.organising.overview import overview_of
from quintain_host.site import Site
from quintain_host.views.calendar import calendar_url, contest_calendar, person_calendar
from quintain_host.views.contest import contest_for
from quintain_host.web.api import notices as commands
from quintain_host.web.api.organise.fields import EditionId
from quintain_host.web.pages.account import Text, or_again
from quintain_host.web.pages.command_form import add_form, add_forms
from quintain_host.web.pages.organise.forms import organise_page
from quintain_host.web.pages.render import page, redirect
from quintain_host.web.requests import SiteOf, VisitorOf
from quintain_host.web.security.rate_limits import limit_codes, limit_resets

INBOX = APIRouter(prefix="/notices")


@INBOX.get("")
def inbox_page(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: Annotated[str, Query(max_length=64)] = "",
) -> HTMLResponse:
    """The notices of the visitor, of one contest or of all."""
    every = notices_of(site, visitor)
    contests = {shown.notice.edition: shown.contest for shown in every if shown.notice.edition}
    chosen = edition if edition in contests else ""
    shown = notices_of(site, visitor, chosen) if chosen else every
    return page(request, "notices/inbox.html.j2", notices=shown, contests=contests, chosen=chosen)


add_forms(
    INBOX,
    ("/read", commands.read_all, "/notices", to_say("All notices are marked as read.")),
    ("/{number}/read", commands.read_notice, "/notices", to_say("The notice is marked as read.")),
)

REACHING = APIRouter()
"""How the site reaches a person, and what people do with links that it sent them."""


@REACHING.get("/account/notices")
def contact_page(request: Request, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """Which notices the visitor gets by mail and by webhook, and the link to the calendar."""
    facts = _contact_facts(site, visitor)
    return page(request, _CONTACT, **facts, url=facts["contact"].webhook, problem="")


_CONTACT = "notices/contact.html.j2"


def _contact_facts(site: Site, visitor: Visitor) -> dict[str, Any]:
    contact = own_contact(site, visitor)
    return {
        "account": own_account(site, visitor),
        "contact": contact,
        "kinds": KINDS,
        "calendar": calendar_url(site, contact),
    }


@REACHING.post("/account/notices")
def mails_form(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    kind: Annotated[list[str], Form(max_length=20)] = [],  # noqa: B006 -- FastAPI copies it
) -> Response:
    """Choose the notices that come by mail."""
    contacts.choose_mails(site, visitor, kind)
    return redirect(request, "/account/notices", say("Your choice is stored."))


@REACHING.post("/account/webhook")
def webhook_form(request: Request, site: SiteOf, visitor: VisitorOf, url: Text = "") -> Response:
    """Choose where a program gets the notices."""

    def work() -> Response:
        contacts.choose_webhook(site, visitor, url)
        return redirect(request, "/account/notices", say("The webhook is stored."))

    return or_again(request, _CONTACT, work, **_contact_facts(site, visitor), url=url)


@REACHING.post("/account/renew-links")
def renew_form(request: Request, site: SiteOf, visitor: VisitorOf) -> Response:
    """End all links to unsubscribe and to the calendar."""
    contacts.renew_key(site, visitor)
    return redirect(request, "/account/notices", say("Your old links have ended."))


@REACHING.post("/account/check-address")
def ask_check_form(request: Request, site: SiteOf, visitor: VisitorOf) -> Response:
    """Send a mail with which the visitor shows that the address is right."""
    limit_codes(request, visitor.require_browser())
    ask_for_address_check(site, visitor)
    return redirect(request, "/account/notices", say("A mail is on its way to your address."))


@REACHING.get("/check-address/{secret}")
def check_page(request: Request, site: SiteOf, secret: str) -> HTMLResponse:
    """Ask for one press of a button: programs that read mail open links, and press nothing."""
    contacts.require_check_link(site, secret)
    return page(request, "notices/check_address.html.j2")


@REACHING.post("/check-address/{secret}")
def check_form(request: Request, site: SiteOf, secret: str) -> Response:
    """Note that an address is right."""
    contacts.check_address(site, secret)
    return redirect(request, "/", say("Your address is checked. The site now sends you notices."))


_SAME_FOR_ALL = to_say(
    "If this address has an account here, a mail with a link is on its way to it. It can take a "
    "few minutes."
)
"""The same sentence for every address."""


@REACHING.get("/forgot-password")
def forgot_page(request: Request) -> HTMLResponse:
    """Ask for the address of somebody who has forgotten the password."""
    return page(request, "notices/forgot_password.html.j2")


@REACHING.post("/forgot-password")
def forgot_form(request: Request, site: SiteOf, email: Text = "") -> Response:
    """Send a link for a new password, if the address has an account; the answer is the same."""
    limit_resets(request, email)
    ask_for_reset(site, email)
    return redirect(request, "/sign-in", say(_SAME_FOR_ALL))


_ALL = to_say("all notices")


@REACHING.get("/unsubscribe/{signed}")
def unsubscribe_page(request: Request, site: SiteOf, signed: str) -> HTMLResponse:
    """Ask what the reader of a mail wants no more of."""
    kind = subscription_behind(site, signed)
    words = say(KINDS.get(kind, _ALL))
    return page(request, "notices/unsubscribe.html.j2", words=words, ended=False)


@REACHING.post("/unsubscribe/{signed}")
def unsubscribe_form(request: Request, site: SiteOf, signed: str, every: Text = "") -> Response:
    """Send no more mail of a kind; mail programs do this with one click (RFC 8058)."""
    kind = subscription_behind(site, signed)
    contacts.unsubscribe(site, signed, everything=bool(every))
    words = say(_ALL if every else KINDS.get(kind, _ALL))
    return page(request, "notices/unsubscribe.html.j2", words=words, ended=True)


_CALENDAR = "text/calendar; charset=utf-8"


@REACHING.get("/calendar/{signed}")
def own_calendar(site: SiteOf, signed: str) -> Response:
    """The dates of all contests of a person, for a calendar that knows the signed link."""
    return Response(person_calendar(site, signed), media_type=_CALENDAR)


@REACHING.get("/contests/{edition}/calendar.ics")
def calendar_of_contest(edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """The dates of a contest for calendars; members of a team get its own deadlines."""
    own = visitor.teams.get(edition)
    contest = contest_for(site, visitor, edition)
    content = contest_calendar(site, contest, "" if own is None else own.team)
    return Response(content, media_type=_CALENDAR)


QUESTIONS = APIRouter()


@QUESTIONS.get("/contests/{edition}/questions")
def list_questions(
    request: Request, edition: EditionId, site: SiteOf, visitor: VisitorOf
) -> HTMLResponse:
    """What teams wanted to know, and the form to ask."""
    contest = contest_for(site, visitor, edition)
    shown = questions_for(site, visitor, edition)
    return page(request, "notices/questions.html.j2", edition=contest.row, questions=shown)


@QUESTIONS.get("/organise/{edition}/questions")
def answer_page(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """The questions of all teams, those first that wait for an answer."""
    row = overview_of(site, visitor, edition).edition
    shown = questions_for(site, visitor, edition)
    shown.sort(key=lambda one: one.question.answered is not None)
    return organise_page(request, "questions", row, questions=shown, standard=STANDARD)


_QUESTIONS = "/contests/{edition}/questions"
add_form(
    QUESTIONS, _QUESTIONS, commands.ask, back=_QUESTIONS, notice=to_say("The organisers have it.")
)
add_form(
    QUESTIONS,
    "/organise/{edition}/questions/{number}/answer",
    commands.answer,
    back="/organise/{edition}/questions",
    notice=to_say("The answer is sent."),
)
