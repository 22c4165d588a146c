"""Journal: the events of a contest, in order, in a store that only grows.

Each event names the hash of the one before, so nobody can change, remove or insert an event without
changing every later one. The hashes are the leaves of a Merkle tree, and the organisers sign its
root: anyone who has a signed root can prove later what was in the journal.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import islice
from typing import TypeVar, cast

from quintain.errors import NotVerified
from quintain.journal.events import GENESIS, SUBMITTED, Event, Submitted, read_event, write_time
from quintain.journal.state import State
from quintain.journal.store import Store
from quintain.journal.tree import Tree, leaf_hash

E = TypeVar("E", bound=Event)

_SALT_BYTES = 16


class Journal:
    """The events in a store.

    Parameters
    ----------
    closed : when the last phase closed whose checkpoint is signed; no event gets an earlier time.
    """

    def __init__(self, store: Store, closed: datetime | None = None) -> None:
        self._store = store
        self._closed = closed

    def locked(self) -> AbstractContextManager[None]:
        """Let one writer in at a time: what it reads inside is still so when it appends."""
        return self._store.locked()

    def size(self) -> int:
        """How many events there are: the number of the last one."""
        last = self._store.last()
        return 0 if last is None else read_event(last).number

    def events(self) -> Iterator[Event]:
        """Every event, in order."""
        return map(read_event, self._store.lines())

    def lines(self) -> list[bytes]:
        """Every event as its line, in order."""
        return list(self._store.lines())

    def submissions(self, team: str | None = None) -> Iterator[Submitted]:
        """Every submission, in order, or those of one team."""
        for line in self._store.lines(event=SUBMITTED, team=team):
            event = read_event(line)
            assert isinstance(event, Submitted)  # the store looked for them
            yield event

    def public_lines(self) -> Iterator[bytes]:
        """The lines that everybody may read before the end: all but those of submissions."""
        return self._store.lines(without=SUBMITTED)

    def state(self, size: int | None = None) -> State:
        """The state of the contest now, or after the first ``size`` events."""
        events = map(read_event, self.public_lines())
        return State.of(event for event in events if size is None or event.number <= size)

    def time_after(self, now: datetime) -> datetime:
        """The time that the next event gets: that of the clock, but none before the last event."""
        line = self._store.last()
        moments = [now, *filter(None, [self._closed])]
        return max(moments if line is None else [*moments, read_event(line).moment])

    def append(self, event: E, *, now: datetime, salts: bytes) -> E:
        """Number, date, chain and store an event; the caller has the lock.

        Parameters
        ----------
        now : the time of the clock; a clock that was set back does not turn time back.
        salts : a secret key, from which the salt of each event is derived.
        """
        line, number = self._store.last(), self._last_number() + 1
        if line is not None and read_event(line).salt != salt_of(salts, number - 1):
            raise NotVerified("the secret keys are not those with which the journal began")
        fields = {
            "number": number,
            "time": write_time(self.time_after(now)),
            "previous": GENESIS if line is None else leaf_hash(line).hex(),
            "salt": salt_of(salts, number),
        }
        numbered = cast(E, event.model_copy(update=fields))
        written = numbered.line()
        read_event(written)  # a line that nobody can read would end the contest
        self._store.append(written)
        return numbered

    def _last_number(self) -> int:
        """The number of the last event: how many there are, without counting them."""
        line = self._store.last()
        return 0 if line is None else read_event(line).number

    def hash_at(self, number: int) -> str:
        """The hash of an event by its number; empty if there is none."""
        last = self._store.last()
        if last is None or number < 1:
            return ""
        if self._last_number() == number:
            return leaf_hash(last).hex()
        line = next(self._store.lines(start=number - 1), None)
        return "" if line is None else leaf_hash(line).hex()

    def tree(self, known: Tree = Tree.EMPTY, size: int | None = None) -> Tree:
        """The tree over all events, or the first ``size``; ``known`` is that over fewer of them."""
        if known.size and self._last_number() == known.size:
            return known
        tree, lines = known, self._store.lines(start=known.size)
        for line in islice(lines, None if size is None else size - known.size):
            tree = tree.append(leaf_hash(line))
        return tree


def salt_of(key: bytes, number: int) -> str:
    """The salt of an event: without the key nobody can guess it, with the key nobody chooses."""
    return hmac.digest(key, b"event %d" % number, "sha256")[:_SALT_BYTES].hex()
