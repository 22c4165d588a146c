"""News: what the organisers tell everybody, as plain text."""

from __future__ import annotations

from quintain.errors import Refused
from quintain.host.access import NotThere, Visitor
from quintain.host.audit_log import log
from quintain.host.database.contests import News
from quintain.host.organising.settings import plain_text
from quintain.host.site import Site

LONGEST_TITLE = 200
LONGEST_NEWS = 10_000


def publish(site: Site, visitor: Visitor, edition: str, title: str, text: str) -> int:
    """Publish a piece of news; returns its number."""
    visitor.require_organiser(edition)
    title, text = " ".join(title.split()), text.replace("\r\n", "\n").strip()
    if not title or len(title) > LONGEST_TITLE:
        raise Refused(f"news need a title of 1 to {LONGEST_TITLE} characters")
    if len(text) > LONGEST_NEWS:
        raise Refused(f"the text has {len(text)} characters; the limit is {LONGEST_NEWS}")
    with site.database.writing(edition) as session:
        row = News(
            edition=edition,
            time=site.clock.now(),
            title=plain_text(title),
            text=plain_text(text),
        )
        session.add(row)
        session.flush()
        log(session, site, visitor, "news.publish", edition, news=row.id, title=title)
        return row.id


def withdraw(site: Site, visitor: Visitor, edition: str, number: int) -> None:
    """Take a piece of news back; the audit log still has its title."""
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        row = session.get(News, number)
        if row is None or row.edition != edition:
            raise NotThere("there is no such piece of news")
        session.delete(row)
        log(session, site, visitor, "news.withdraw", edition, news=number, title=row.title)
