"""Graph: pieces of work, each of which starts as soon as what it needs is there.

A graph is written as its first pieces and a function *then*: when a piece is done, ``then`` names
the pieces that can start now. So nobody waits for the slowest piece of a stage, and what a piece
depends on, such as the content of a file, is looked at when it exists.

Here is only the order: which of the pieces that are ready come next, and how many of them go to a
worker together. Where they run is the business of :mod:`quintain.jobs.executor`; the results depend
on neither.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Kind = Callable[[T], str]
"""What a piece of work is like: pieces of one kind take about as long as each other."""

AHEAD = 2
"""How many batches each worker has: one that it works on, and one that waits."""
_BATCH = 0.25
"""How many seconds a batch of small pieces should take; handing it over takes about one ms."""
_SHARE = 4
"""A batch is at most this part of what a worker still has to do, so that all end together."""


def nothing_more(_: Any) -> tuple[()]:
    """The ``then`` of pieces on which nothing depends."""
    return ()


class Ready(Generic[T]):
    """The pieces that can start now.

    Pieces of a kind that nobody has measured yet come first, in the order in which they were
    added, each by itself: any of them may be the longest of all. Then the longest come first, and
    small ones go together.

    Parameters
    ----------
    workers : how many workers take pieces.
    kind : see :data:`Kind`; without it every piece is a batch of its own.

    >>> ready = Ready(1, kind=lambda name: name[0])
    >>> ready.add(["a1", "a2", "a3", "b1", "b2"])
    >>> ready.take(), ready.take()
    (['a1'], ['b1'])
    >>> ready.took("a1", 0.01)
    >>> ready.took("b1", 9)
    >>> ready.take(), ready.take(), ready.take(), len(ready)
    (['b2'], ['a2'], ['a3'], 0)
    """

    def __init__(self, workers: int, *, kind: Kind[T] | None = None) -> None:
        self._workers = workers
        self._kind = kind
        self._waiting: dict[str, deque[T]] = {}
        self._begun: set[str] = set()
        self._times: dict[str, tuple[int, float]] = {}
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, pieces: Iterable[T]) -> None:
        """More pieces are ready."""
        for piece in pieces:
            self._waiting.setdefault(self._name(piece), deque()).append(piece)
            self._size += 1

    def took(self, piece: T, seconds: float) -> None:
        """A piece is done; it took so long."""
        name = self._name(piece)
        number, total = self._times.get(name, (0, 0.0))
        self._times[name] = number + 1, total + seconds

    def take(self) -> list[T]:
        """The next batch."""
        name = self._next()
        queue = self._waiting[name]
        batch = [queue.popleft() for _ in range(min(len(queue), self._together(name)))]
        self._begun.add(name)
        self._size -= len(batch)
        if not queue:
            del self._waiting[name]
        return batch

    def _name(self, piece: T) -> str:
        return "" if self._kind is None else self._kind(piece)

    def _next(self) -> str:
        """The kind of the next batch; the first one, if several are equal."""
        return max(self._waiting, key=lambda name: (name not in self._begun, self._seconds(name)))

    def _seconds(self, name: str) -> float:
        number, total = self._times.get(name, (0, 0.0))
        return total / number if number else float("inf")

    def _together(self, name: str) -> int:
        if self._kind is None or name not in self._times:
            return 1
        by_time = int(_BATCH / max(self._seconds(name), 1e-6))
        by_share = self._size // (_SHARE * self._workers)
        return max(1, min(by_time, by_share))
