"""Audit log: who did what and when, in a chain of hashes that shows every later change.

A line is written in the transaction of what it tells about, so there is none without the other.
It names people by the number of their account, and it never has a secret or an e-mail address.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from quintain.errors import NotVerified
from quintain_host.access import Visitor
from quintain_host.database.work import LogLine
from quintain_host.site import Site

START = "0" * 64
"""What the first line names instead of a line before."""

_LOCK = int.from_bytes(hashlib.sha256(b"quintain audit log").digest()[:8], "big", signed=True)


@dataclass(frozen=True, slots=True)
class Head:
    """The end of the log. A copy of it elsewhere shows if lines were cut off the end later."""

    lines: int
    hash: str


def log(
    session: Session,
    site: Site,
    visitor: Visitor | None,
    action: str,
    edition: str | None = None,
    **details: Any,
) -> None:
    """Add a line in the transaction of the caller; call it after the changes that it tells about.

    Parameters
    ----------
    visitor : None if the site itself does something, or a command on its machine.
    action : a noun and a verb, such as "account.add" or "team.approve".
    details : values that JSON can have; no secrets, no e-mail addresses.
    """
    session.flush()
    _wait_for_others(session)
    newest = session.scalars(select(LogLine).order_by(LogLine.number.desc()).limit(1)).first()
    line = LogLine(
        number=1 if newest is None else newest.number + 1,
        time=site.clock.now().astimezone(UTC),
        account=None if visitor is None else visitor.account,
        action=action,
        edition=edition,
        details=json.loads(json.dumps(details)),
        previous=START if newest is None else newest.hash,
        hash="",
    )
    line.hash = _digest(line)
    session.add(line)
    session.flush()


def _wait_for_others(session: Session) -> None:
    """PostgreSQL lets writers with other names in; the log has one writer at a time."""
    if session.connection().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


def head_of_log(site: Site) -> Head:
    """The end of the log now. Everybody may keep it: it says nothing about the lines."""
    with site.database.reading() as session:
        newest = session.scalars(select(LogLine).order_by(LogLine.number.desc()).limit(1)).first()
    return Head(0, START) if newest is None else Head(newest.number, newest.hash)


def verify_log(site: Site) -> Head:
    """Check every line; raises ``NotVerified`` with the number of the first that was changed."""
    for fault in faults_of_log(site):
        raise NotVerified(fault)
    return head_of_log(site)


def faults_of_log(site: Site, heads: Mapping[Head, str] | None = None) -> Iterator[str]:
    """Everything that is wrong with the log, in words.

    Parameters
    ----------
    heads : ends of the log that were published, each with where it was.
    """
    kept: dict[int, list[tuple[str, str]]] = {}
    for head, place in (heads or {}).items():
        kept.setdefault(head.lines, []).append((head.hash, place))
    kept.pop(0, None)
    previous, last = START, 0
    with site.database.reading() as session:
        for line in session.scalars(select(LogLine).order_by(LogLine.number)).yield_per(1000):
            for number in range(last + 1, line.number):
                yield f"line {number} of the audit log is missing"
            follows = line.number > last + 1 or line.previous == previous
            if not follows or line.hash != _digest(line):
                yield f"line {line.number} of the audit log was changed"
            for digest, place in kept.pop(line.number, ()):
                if digest != line.hash:
                    yield f"line {line.number} of the audit log is not the one that {place} names"
            previous, last = line.hash, line.number
    for number in sorted(kept):
        places = ", ".join(place for _, place in kept[number])
        yield (
            f"the audit log has {last} lines, and {places} names line {number}: "
            "somebody cut off its end"
        )


def _digest(line: LogLine) -> str:
    fields = {
        "number": line.number,
        "time": _time_text(line.time),
        "account": line.account,
        "action": line.action,
        "edition": line.edition,
        "details": line.details,
        "previous": line.previous,
    }
    content = json.dumps(fields, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()


def _time_text(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="microseconds")
