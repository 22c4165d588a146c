"""Termination: a request to end this process also ends the programs that it runs, and tidies up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_REQUESTS = (signal.SIGTERM, signal.SIGHUP)
"""What a time limit sends, and a terminal that is closed."""


@contextmanager
def tidy_termination() -> Iterator[None]:
    """Let requests to end raise ``SystemExit`` inside the block, unless somebody else handles them.

    By default they would end the process on the spot, with private rows left in temporary folders.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [number for number in _REQUESTS if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, _frame: FrameType | None) -> None:
    for request in _REQUESTS:  # a further one must not stop the tidying up
        if signal.getsignal(request) is _end:
            signal.signal(request, signal.SIG_IGN)
    raise SystemExit(128 + number)
