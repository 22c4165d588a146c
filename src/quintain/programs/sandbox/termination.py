"""Termination: a request to end this process also ends the program that it runs, and tidies up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def tidy_termination() -> Iterator[None]:
    """Let SIGTERM raise ``SystemExit`` inside the block, unless somebody else handles it.

    By default it would end the process on the spot, with the temporary folder of the program left.
    """
    by_default = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if not by_default or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _end(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
