"""Render: a template with the facts that every page shows, or a redirect to another page."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup, escape

from quintain import figures
from quintain.figures.format import visible_lines
from quintain.figures.page import WORDS
from quintain.journal.events import write_time
from quintain.runs import report
from quintain.wording.languages import (
    in_context,
    say_and,
    spoken,
    translation,
    translation_of_count,
    write_day,
    write_decimal,
    write_grouped,
    write_moment,
)
from quintain_host.editions.shown import has_attackers, round_name
from quintain_host.languages.board_words import board_words
from quintain_host.languages.catalogue import LANGUAGES
from quintain_host.languages.nouns import count
from quintain_host.languages.sentences import as_sentence
from quintain_host.languages.states import state_word
from quintain_host.notices.inbox import unread_count
from quintain_host.organising.drafts import may_create
from quintain_host.site import Site
from quintain_host.views.own_look import own_look
from quintain_host.web.pages.markdown import markdown, plain_words
from quintain_host.web.requests import site_of, visitor_of
from quintain_host.web.security.csrf import csrf, csrf_token
from quintain_host.web.static_files import static

TEMPLATES = Path(__file__).parent.parent / "templates"
SHARED = Path(figures.__path__[0]) / "page"
"""The macros that reports and pages share, such as ``words.html.j2``."""
REPORT = Path(report.__path__[0])
"""The templates of reports; pages name them ``report/macros.html.j2``."""


def moment(time: datetime) -> Markup:
    """A time in UTC, for people and for browsers."""
    return Markup('<time datetime="{}">{}</time>').format(time.isoformat(), write_moment(time))


def day(one: date) -> Markup:
    """A day, for people and for browsers."""
    text = write_day(datetime.combine(one, datetime.min.time(), UTC))
    return Markup('<time datetime="{}">{}</time>').format(one.isoformat(), text)


_CELL = re.compile(r"<(tr|th|td)\b(?:(?![^>]*colspan)([^>]*>)((?:\s|</?bdi>)*</td>)?)?")


def name_columns(lines: Markup, heads: Sequence[str]) -> Markup:
    """The lines of a table in which each cell names its column; empty cells name none.

    On a phone a line is a card, which shows these names and leaves out what is empty.
    """
    place = 0

    def cell(match: re.Match[str]) -> str:
        nonlocal place
        tag, rest, empty = match.groups()
        place = 0 if tag == "tr" else place + 1
        if tag != "td" or rest is None or empty is not None:
            return match[0]
        return f'<td data-label="{escape(heads[place - 1])}"{rest}'

    return Markup(_CELL.sub(cell, lines))  # noqa: S704 -- only our own names are added, escaped


def visible(value: object) -> object:
    """Text without invisible characters, but with its lines; Jinja escapes the rest."""
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return visible_lines(value)


def _text(text: str, /, **values: Any) -> Markup:
    """A text of a template in the language of the page, with its values escaped."""
    return _fill(translation(text), values)


def _text_in_context(context: str, text: str, /, **values: Any) -> Markup:
    """The same for a short text, with what it is about."""
    return _text(in_context(context, text), **values)


def _count_text(one: str, many: str, n: int, /, **values: Any) -> Markup:
    """The same for one thing or for many."""
    return _fill(translation_of_count(one, many, n), {"num": n, **values})


def _fill(text: str, values: Mapping[str, Any]) -> Markup:
    shown = {name: visible(value) for name, value in values.items()}
    return Markup(text) % shown  # noqa: S704 -- a text of ours or of the catalogue


ENVIRONMENT = Environment(
    extensions=["jinja2.ext.i18n"],
    loader=ChoiceLoader(
        [
            FileSystemLoader([TEMPLATES, SHARED]),
            PrefixLoader({"report": FileSystemLoader(REPORT)}),
        ]
    ),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    finalize=visible,
)
ENVIRONMENT.filters.update(
    WORDS
    | {"count": count, "grouped": write_grouped, "moment": moment, "rfc3339": write_time}
    | {"day": day, "decimal": write_decimal, "name_columns": name_columns}
    | {"as_sentence": as_sentence, "markdown": markdown, "plain_words": plain_words}
    | {"state_word": state_word, "board_words": board_words, "say_and": say_and}
)
ENVIRONMENT.globals |= {"static": static, "csrf": csrf, "csrf_token": csrf_token}
ENVIRONMENT.newstyle_gettext = True  # type: ignore[attr-defined]
ENVIRONMENT.globals |= {"gettext": _text, "ngettext": _count_text, "pgettext": _text_in_context}
ENVIRONMENT.globals |= {"spoken": spoken, "languages": LANGUAGES}


def sign_in_path(request: Request) -> str:
    """The address of the page to sign in, which leads back to this page."""
    path = request.url.path
    if (
        request.method != "GET"
        or path == "/"
        or path.startswith(("/sign-in", "/sign-up", "/sign-on"))
    ):
        return "/sign-in"
    here = f"{request.url.path}?{request.url.query}".removesuffix("?")  # an invitation is a query
    return f"/sign-in?next={quote(here)}"


def page(request: Request, template: str, status: int = 200, **facts: Any) -> HTMLResponse:
    """A page; templates know the site, the visitor and the request."""
    site = site_of(request)
    html = ENVIRONMENT.get_template(template).render(
        site=site.settings,
        visitor=visitor_of(request),
        request=request,
        notice="" if status >= 400 else _read_notice(request),
        now=site.clock.now(),
        unread=unread_count(site, visitor_of(request)),
        may_create=may_create(site, visitor_of(request)),
        sign_in_path=sign_in_path(request),
        status=status,
        has_attackers=partial(has_attackers, site),
        round_name=partial(round_name, site),
        own_look=cache(partial(own_look, site)),  # several parts of a page ask
        **facts,
    )
    response = HTMLResponse(html, status_code=status)
    if status < 400:  # beside an error the sentence would contradict it: it waits for the next page
        _forget_notice(request, response)
    return response


_LONGEST_NOTICE = 500
SHOWN_AGAIN = "quintain.shown_again"
"""What the scope of a request has whose page will show the mistakes in a form."""


def redirect(request: Request, to: str, notice: str = "") -> RedirectResponse:
    """Send a browser to a page after a form, with a sentence that the page shows once.

    The sentence travels in a cookie of this site and is shown as text. Addresses stay free of it,
    so nobody can send a link that makes the site say something.

    Parameters
    ----------
    to : a path of this site; it has to begin with one slash.
    """
    response = RedirectResponse(to, status_code=303)
    site: Site = request.app.state.site
    if notice:
        text = base64.urlsafe_b64encode(notice[:_LONGEST_NOTICE].encode()).decode()
        response.set_cookie(
            _cookie_name(site),
            text,
            max_age=60,
            httponly=True,
            samesite="lax",
            secure=site.settings.secure,
        )
    return response


def _read_notice(request: Request) -> str:
    """The sentence for this page; empty if there is none, or the page shows a form again."""
    if request.scope.get(SHOWN_AGAIN):
        return ""
    value = request.cookies.get(_cookie_name(request.app.state.site), "")
    try:
        return base64.urlsafe_b64decode(value.encode()).decode()[:_LONGEST_NOTICE]
    except (binascii.Error, UnicodeError):
        return ""


def _forget_notice(request: Request, response: Response) -> None:
    """Remove the sentence once a page has shown it."""
    site: Site = request.app.state.site
    if _cookie_name(site) in request.cookies:
        response.delete_cookie(_cookie_name(site), secure=site.settings.secure, httponly=True)


def _cookie_name(site: Site) -> str:
    """A browser accepts a name that begins with ``__Host-`` from this very host alone."""
    return "__Host-notice" if site.settings.secure else "notice"
