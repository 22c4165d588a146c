"""Watch: look at the time and at the memory of a process with everything that it started."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from quintain.programs.failures import Reason
from quintain.programs.limits import CallLimits
from quintain.programs.sandbox.exchange import TICK

_PAGE = os.sysconf("SC_PAGE_SIZE")


class Watch:
    """Says why a process has to be stopped; None as long as it may go on.

    Limits of the operating system are per process; this adds up a whole tree of processes.
    """

    def __init__(
        self, process: int, limits: CallLimits, kernel_memory: Callable[[list[int]], int]
    ) -> None:
        self._process, self._memory = process, limits.memory
        self._kernel_memory = kernel_memory
        self._deadline = time.monotonic() + limits.seconds
        self._next = 0.0

    def __call__(self) -> Reason | None:
        now = time.monotonic()
        if now > self._deadline:
            return Reason.OUT_OF_TIME
        if now >= self._next:
            self._next = now + TICK
            processes = list(descendants(self._process))
            if memory_above(processes, self._memory - self._kernel_memory(processes)):
                return Reason.OUT_OF_MEMORY
        return None


def descendants(process: int) -> Iterator[int]:
    """The processes that a process started, directly or not; those that it lost are children of
    the first process of their namespace, so a new session or a double fork does not hide them."""
    queue = [process]
    while queue:
        children = _children(queue.pop())
        queue += children
        yield from children


def _children(process: int) -> list[int]:
    """Those of all its threads. A process or a thread may end while we look."""
    numbers: list[int] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            with suppress(OSError):
                numbers += map(int, (thread / "children").read_text().split())
    return numbers


def memory_above(processes: list[int], most: int) -> bool:
    """Whether processes use more memory than a limit together.

    The quick sum counts shared pages in each process. Only if it is above the limit is the exact
    one asked for, which takes longer.
    """
    if sum(map(_resident, processes)) <= most:
        return False
    return sum(map(_proportional, processes)) > most


def _resident(process: int) -> int:
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
    return 0


def _proportional(process: int) -> int:
    """Memory with each shared page divided by the number of processes that share it."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except ProcessLookupError:
        return 0
    except OSError:
        return _resident(process)
    return 0
