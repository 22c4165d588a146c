"""Progress of long work: silent in the library, a bar on a terminal, plain lines elsewhere.

Library code wraps its long loops in :func:`track`. Only the command line decides how progress
looks: it enters :func:`shown_by` with a function that shows it, the sink.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Sink = Callable[[str, int, int], None]
"""Called with a label, the number of finished steps and the number of all steps."""

Notes = Callable[[str], None]
"""Called with a sentence about the work ahead."""

_sink: ContextVar[Sink | None] = ContextVar("progress sink", default=None)
_notes: ContextVar[Notes | None] = ContextVar("notes about work", default=None)


@contextmanager
def shown_by(sink: Sink, notes: Notes | None = None) -> Iterator[None]:
    """Send the progress of all work inside this block to a sink, and sentences to ``notes``."""
    token, noted = _sink.set(sink), _notes.set(notes)
    try:
        yield
    finally:
        _sink.reset(token)
        _notes.reset(noted)


def announce(sentence: str) -> None:
    """Say something about the work ahead, such as how long it takes, if somebody listens."""
    notes = _notes.get()
    if notes is not None:
        notes(sentence)


def report(label: str, done: int, total: int) -> None:
    """Send one message about progress to the sink, if there is one."""
    sink = _sink.get()
    if sink is not None:
        sink(label, done, total)


def track(items: Iterable[T], label: str, total: int) -> Iterator[T]:
    """Yield items and report the progress after each of them.

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
