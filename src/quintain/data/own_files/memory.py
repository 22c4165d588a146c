"""Memory: how much of it the reader of one file may use, as a small one can stand for much data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from quintain.data.files.limits import Limits
from quintain.jobs.subprocess_reader import Allowance

GIGABYTE = 1_000_000_000
USUAL = 2.0
"""Gigabytes that are allowed unless somebody says otherwise."""
_SECONDS = 30
"""How much computing time goes with a gigabyte."""
RAISE = "if you trust the file, raise the limit with --memory"
_STATED: ContextVar[float] = ContextVar("memory", default=USUAL)


@contextmanager
def reading_memory(gigabytes: float) -> Iterator[None]:
    """Say how many gigabytes the reader of one file may use.

    >>> with reading_memory(8):
    ...     memory_allowance().memory
    8000000000
    """
    token = _STATED.set(gigabytes)
    try:
        yield
    finally:
        _STATED.reset(token)


def memory_allowance() -> Allowance:
    """What the reader of one file may use now."""
    stated = _STATED.get()
    return Allowance(int(stated * GIGABYTE), int(_SECONDS * max(1.0, stated)))


def memory_limits() -> Limits:
    """The limits on files with a schema; more memory raises them in proportion."""
    usual, factor = Limits(), _STATED.get() / USUAL
    rows, file_bytes = int(usual.rows * factor), int(usual.file_bytes * factor)
    return Limits(rows=max(1, rows), file_bytes=max(1, file_bytes))
