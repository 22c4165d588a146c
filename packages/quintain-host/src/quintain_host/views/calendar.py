"""Calendar: the dates of contests as a file for calendars (RFC 5545), in UTC."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from sqlalchemy import select

from quintain.figures.format import printable
from quintain_host.access import TeamMembership, Visitor
from quintain_host.database.contests import Member, Organiser
from quintain_host.database.notices import Contact
from quintain_host.notices.contacts import contact_behind, sign_purpose
from quintain_host.site import Site
from quintain_host.views.contest import Contest, PhaseView, contest_for, phases_of

PURPOSE = "calendar"
"""What the signed link to the calendar of a person is for."""

_LONGEST_LINE = 75
"""How many bytes a line has at most; longer ones are folded."""


def contest_calendar(site: Site, contest: Contest, team: str = "") -> str:
    """The phases of one contest, as a team has them."""
    return _write(site, contest.row.title, [(contest, team)])


def calendar_url(site: Site, contact: Contact) -> str:
    """The link to the calendar of a person; it needs no cookie."""
    return f"{site.settings.url}/calendar/{sign_purpose(contact, PURPOSE)}"


def person_calendar(site: Site, signed: str) -> str:
    """The phases of all contests in which the person has a part whom a signed link names."""
    with site.database.reading() as session:
        contact, _ = contact_behind(session, signed, {PURPOSE})
        own = session.scalars(select(Member).where(Member.account == contact.account))
        teams = {row.edition: TeamMembership(row.team, row.captain) for row in own}
        organised = select(Organiser.edition).where(Organiser.account == contact.account)
        organises = frozenset(session.scalars(organised))
    visitor = Visitor(account=contact.account, teams=teams, organises=organises)
    contests = [
        (contest_for(site, visitor, edition), teams[edition].team if edition in teams else "")
        for edition in sorted({*teams, *organises})
    ]
    return _write(site, site.settings.title, contests)


def _write(site: Site, title: str, contests: Sequence[tuple[Contest, str]]) -> str:
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//quintain//quintain//EN",
        "CALSCALE:GREGORIAN",
        f"X-WR-CALNAME:{_text(title)}",
    ]
    for contest, team in contests:
        for phase in phases_of(contest, team):
            lines += _events(site, contest, phase)
    return "".join(f"{line}\r\n" for line in _fold([*lines, "END:VCALENDAR"]))


def _events(site: Site, contest: Contest, phase: PhaseView) -> Iterator[str]:
    """A phase with both dates is one event; a phase with one date is a moment."""
    start, end = phase.opens or phase.closes, phase.closes
    if start is None:
        return
    place = f"{site.settings.url}/contests/{contest.id}"
    name = f"phase {phase.id}{f' of {phase.track_title}' if phase.track_title else ''}"
    verb = "" if phase.opens is not None and end is not None else _verb(phase)
    yield "BEGIN:VEVENT"
    yield f"UID:{_text(f'{contest.id}/{phase.track}/{phase.id}@{site.settings.url}')}"
    yield f"DTSTAMP:{_time(contest.now)}"
    yield f"DTSTART:{_time(start)}"
    if end is not None and end > start:
        yield f"DTEND:{_time(end)}"
    yield f"SUMMARY:{_text(f'{contest.row.title}: {name}{verb}')}"
    description = f"{phase.task} {phase.extended}".strip()
    yield f"DESCRIPTION:{_text(description)}"
    yield f"URL:{place}"
    yield "END:VEVENT"


def _verb(phase: PhaseView) -> str:
    return " opens" if phase.opens is not None else " closes"


def _time(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _text(text: str) -> str:
    """A text that ends no line and begins no other value.

    >>> _text("a; b, c\\n\\\\d")
    'a\\\\; b\\\\, c \\\\\\\\d'
    """
    plain = printable(text)
    for sign in ("\\", ";", ","):
        plain = plain.replace(sign, f"\\{sign}")
    return plain


def _fold(lines: Iterable[str]) -> Iterator[str]:
    """Lines of at most 75 bytes; the next part of a longer one begins with a space."""
    for line in lines:
        part, size = "", 0
        for character in line:
            width = len(character.encode())
            if size + width > _LONGEST_LINE:
                yield part
                part, size = " ", 1
            part, size = part + character, size + width
        yield part
