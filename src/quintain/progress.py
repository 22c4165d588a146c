"""Progress of long work: silent in the library, a bar on a terminal, plain lines elsewhere.

Library code wraps its long loops in :func:`track`; only the command line decides how that looks,
by entering :func:`shown_by` with a sink.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Sink = Callable[[str, int, int], None]
"""Called with a label, how much is done and how much there is."""

_sink: ContextVar[Sink | None] = ContextVar("progress sink", default=None)


@contextmanager
def shown_by(sink: Sink) -> Iterator[None]:
    """Send progress to a sink inside this block."""
    token = _sink.set(sink)
    try:
        yield
    finally:
        _sink.reset(token)


def report(label: str, done: int, total: int) -> None:
    """Say how far some work is."""
    sink = _sink.get()
    if sink is not None:
        sink(label, done, total)


def track(items: Iterable[T], label: str, total: int) -> Iterator[T]:
    """Yield items, reporting progress after each.

    >>> with shown_by(print):
    ...     squares = [i * i for i in track(range(2), "squares", 2)]
    squares 0 2
    squares 1 2
    squares 2 2
    """
    report(label, 0, total)
    for done, item in enumerate(items, start=1):
        yield item
        report(label, done, total)
