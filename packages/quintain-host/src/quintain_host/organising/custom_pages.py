"""Own pages: what organisers write beside the pages of the site, such as prizes or answers."""

from __future__ import annotations

import re
from itertools import count

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.errors import Refused
from quintain.wording.languages import tell
from quintain_host.access import BadInput, NotThere, Visitor, check_each
from quintain_host.audit_log import log
from quintain_host.database.contests import CustomPage
from quintain_host.organising.settings import plain_text
from quintain_host.site import Site

MOST_PAGES = 20
LONGEST_TITLE = 40
"""Titles stand in the row of tabs."""
LONGEST_PAGE = 50_000
_LONGEST_NAME = 40


def add_page(site: Site, visitor: Visitor, edition: str, title: str, text: str) -> str:
    """Add a page after the others; returns the name in its address."""
    visitor.require_organiser(edition)
    title, text = check_each(lambda: _title(title), lambda: _text(text))
    with site.database.writing(edition) as session:
        pages = _pages(session, edition)
        if len(pages) >= MOST_PAGES:
            raise Refused(
                tell(
                    "a contest can have %(most)s pages; remove one first",
                    most=MOST_PAGES,
                )
            )
        name = _free_name(title, {page.name for page in pages})
        session.add(
            CustomPage(
                edition=edition,
                name=name,
                title=title,
                text=text,
                position=max((page.position for page in pages), default=0) + 1,
                changed=site.clock.now(),
            )
        )
        log(session, site, visitor, "page.add", edition, page=name, title=title)
        return name


def change_page(
    site: Site,
    visitor: Visitor,
    edition: str,
    name: str,
    title: str,
    text: str,
    position: int | None = None,
) -> None:
    """Change what a page says, and its place among the others; its address stays."""
    visitor.require_organiser(edition)
    title, text = check_each(lambda: _title(title), lambda: _text(text))
    with site.database.writing(edition) as session:
        row = _page(session, edition, name)
        row.title, row.text, row.changed = title, text, site.clock.now()
        if position is not None:
            row.position = position
        log(session, site, visitor, "page.change", edition, page=name, title=title)


def remove_page(site: Site, visitor: Visitor, edition: str, name: str) -> None:
    """Take a page away; the audit log still has its title."""
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        row = _page(session, edition, name)
        session.delete(row)
        log(session, site, visitor, "page.remove", edition, page=name, title=row.title)


def page_name(title: str) -> str:
    """The name of a page in its address; empty if the title has no letter that fits.

    Examples
    --------
    >>> page_name("Prizes & partners"), page_name("賞")
    ('prizes-partners', '')
    """
    return re.sub("[^a-z0-9]+", "-", title.lower())[:_LONGEST_NAME].strip("-")


def _free_name(title: str, used: set[str]) -> str:
    plain = page_name(title) or "page"
    names = (plain if number == 1 else f"{plain}-{number}" for number in count(1))
    return next(name for name in names if name not in used)


def _pages(session: Session, edition: str) -> list[CustomPage]:
    return list(session.scalars(select(CustomPage).where(CustomPage.edition == edition)))


def _page(session: Session, edition: str, name: str) -> CustomPage:
    row = session.get(CustomPage, (edition, name))
    if row is None:
        raise NotThere(tell("the contest has no page %(name)s", name=repr(name)))
    return row


def _title(text: str) -> str:
    title = " ".join(text.split())
    if not title or len(title) > LONGEST_TITLE or not title.isprintable():
        problem = tell(
            "a page needs a title of 1 to %(most)s characters that can be printed",
            most=LONGEST_TITLE,
        )
        raise BadInput(problem).about("title")
    return title


def _text(text: str) -> str:
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise BadInput(tell("write what the page says")).about("text")
    if len(text) > LONGEST_PAGE:
        problem = tell(
            "the text has %(n)s characters; the limit is %(most)s", n=len(text), most=LONGEST_PAGE
        )
        raise BadInput(problem).about("text")
    return plain_text(text)
