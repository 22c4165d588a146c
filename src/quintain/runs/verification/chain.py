"""Chain: the lines of a journal, each of which must follow from the one before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from quintain.errors import NotVerified
from quintain.journal.events import GENESIS, Event, read_event, write_time
from quintain.journal.journal import salt_of
from quintain.journal.tree import Tree, leaf_hash
from quintain.runs.folder.paths import JOURNAL

LONGEST_JOURNAL = 500_000_000
"""How many bytes of a journal are read into memory: about a million submissions."""


@dataclass(frozen=True, slots=True)
class JournalChain:
    """The journal of a folder, as far as it can be read, and what is wrong with its lines."""

    lines: tuple[bytes, ...] = ()
    events: tuple[Event, ...] = ()
    problems: tuple[str, ...] = ()

    def roots(self) -> list[str]:
        """The root of the journal at every size, from no event to all of them."""
        tree, out = Tree.EMPTY, [Tree.EMPTY.root().hex()]
        for line in self.lines:
            tree = tree.append(leaf_hash(line))
            out.append(tree.root().hex())
        return out


def read_chain(path: Path) -> JournalChain:
    """Read a journal; reading stops at the first line that is no event."""
    if not path.is_file():
        return JournalChain(problems=(f"{JOURNAL}: is missing",))
    size = path.stat().st_size
    if size > LONGEST_JOURNAL:
        return JournalChain(
            problems=(f"{JOURNAL}: has {size} bytes; the limit is {LONGEST_JOURNAL}",)
        )
    content = path.read_bytes()
    lines = tuple(content.split(b"\n")[:-1])
    problems, events = [], []
    if not content.endswith(b"\n"):
        problems.append(
            f"{JOURNAL}: does not end in a line feed; the last line is cut off and does not count"
        )
    for number, line in enumerate(lines, 1):
        try:
            events.append(read_event(line))
        except NotVerified as problem:
            problems.append(f"{JOURNAL}: line {number}: {problem}")
            break
    problems += _faults(events, lines)
    return JournalChain(lines, tuple(events), tuple(problems))


def _faults(events: list[Event], lines: tuple[bytes, ...]) -> Iterator[str]:
    previous, last = GENESIS, None
    for number, (event, line) in enumerate(zip(events, lines, strict=False), 1):
        if event.line() != line:
            yield f"{JOURNAL}: line {number} is not written as the journal writes its lines"
        if event.previous != previous or event.number != number:
            yield f"{JOURNAL}: line {number} does not follow the one before"
        moment = _moment(event)
        if moment is None:
            yield f"{JOURNAL}: line {number}: {event.time[:40]!r} is no time in UTC"
        elif last is not None and moment < last:
            yield f"{JOURNAL}: line {number}: its time is before that of the line before"
        previous, last = leaf_hash(line).hex(), moment or last


def _moment(event: Event) -> datetime | None:
    """The time of an event; None if it is not written as the journal writes times."""
    try:
        return event.moment if write_time(event.moment) == event.time else None
    except (ValueError, OverflowError):
        return None


def wrong_salts(events: tuple[Event, ...], key: bytes) -> Iterator[str]:
    """Every salt that the revealed key does not give; free salts could hide a second history."""
    for event in events:
        if event.salt != salt_of(key, event.number):
            yield f"{JOURNAL}: line {event.number}: its salt is not the one that the keys give"
