"""Sandbox: runs the process of one call, and ends it with everything that it started."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from importlib import resources
from typing import ClassVar

from quintain.jobs.termination import tidy_termination
from quintain.programs.failures import Reason
from quintain.programs.limits import GIB, MIB, CallLimits
from quintain.programs.sandbox.arithmetic import arithmetic_settings
from quintain.programs.sandbox.exchange import Ask, Exchange
from quintain.programs.sandbox.kernel_memory import socket_bytes
from quintain.programs.sandbox.watch import Watch


@dataclass(frozen=True, slots=True)
class Ending:
    """How a call ended.

    Parameters
    ----------
    answer : what the process wrote for us.
    log : the first part of what it printed.
    code : its exit code, or minus the signal that ended it.
    stopped : why we ended it; None if it ended by itself.
    seconds : how long it ran.
    """

    answer: bytes
    log: bytes
    code: int
    stopped: Reason | None
    seconds: float


class Sandbox(ABC):
    """Where programs run: the same call gives the same bytes in every sandbox.

    Attributes
    ----------
    name : the name by which jobs and commands know it.
    forgets : whether no call can leave a note for the next, as far as we know.
    """

    name: ClassVar[str]
    forgets: bool = False

    @abstractmethod
    def started(self, limits: CallLimits) -> AbstractContextManager[subprocess.Popen[bytes]]:
        """Start an interpreter that waits for a call; at the end, all its processes are killed."""

    @abstractmethod
    def settings(self, limits: CallLimits) -> Mapping[str, int]:
        """What the process applies to itself before it loads the program."""

    def kernel_memory(self, limits: CallLimits, processes: list[int]) -> int:
        """Memory that belongs to no process, but to the program."""
        return socket_bytes(processes)

    def run(
        self, message: Sequence[bytes], limits: CallLimits, most: int, ask: Ask | None = None
    ) -> Ending:
        """Send a message, and return the answer; stop the process if it is above ``most`` bytes.

        ``ask`` hears what the process asks before it answers, where it may ask.
        """
        began = time.monotonic()
        with tidy_termination(), self.started(limits) as process:
            exchange = Exchange(process, message, most, ask)
            count = partial(self.kernel_memory, limits)
            stopped = exchange.run(Watch(process.pid, limits, count))
        answer, log = bytes(exchange.answer), bytes(exchange.log)
        return Ending(answer, log, process.wait(), stopped, time.monotonic() - began)


def limits_of_resources(limits: CallLimits) -> dict[str, int]:
    """The limits of the operating system that every sandbox sets, by their names there.

    Address space is mostly reserved and not used, so its limit is wider than that of the data.
    """
    cpu_seconds = limits.seconds * (os.cpu_count() or 1) + 5
    return {
        "AS": 4 * limits.memory,
        "DATA": limits.memory,
        "FSIZE": scratch_bytes(limits),
        "CPU": int(min(cpu_seconds, 1e9)),
        "CORE": 0,
    }


def scratch_bytes(limits: CallLimits) -> int:
    """How much a program may write to temporary files: they are memory in some sandboxes."""
    return min(max(limits.memory // 16, 64 * MIB), GIB)


def interpreter() -> list[str]:
    """The command of an interpreter that makes one call; it needs no file of this package."""
    text = (resources.files("quintain.programs") / "child.py").read_text()
    return [sys.executable, "-s", "-P", "-B", "-c", text]


def environment(home: str) -> dict[str, str]:
    """The whole environment of a program; it computes the same in every run, on every machine."""
    path = os.pathsep.join([os.path.dirname(sys.executable), os.defpath])  # noqa: PTH120 -- a text
    return {
        "HOME": home,
        "TMPDIR": home,
        "USER": "program",
        "PATH": path,
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        **arithmetic_settings(),
    }
