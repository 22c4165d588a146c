"""Supervisor: a small process that runs a program and ends it when its caller ends.

    python -I -S supervisor.py LIFELINE PROGRAM ARGUMENT ...

The caller holds the other end of a socket, the lifeline, and never writes to it. However the caller
ends, even by a kill, its end of the socket closes. Then the program is killed, with everything that
it started. This file imports nothing of quintain: it must start quickly.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence

CANNOT_START = 127
"""The exit code if the program cannot be started; the reason is sent through the lifeline."""


def supervise(lifeline: socket.socket, words: Sequence[str]) -> int:
    """Run a program until it ends or the lifeline closes; returns its exit code."""
    try:
        program = subprocess.Popen(words, start_new_session=True)  # noqa: S603 - the user's own
    except OSError as error:
        lifeline.sendall(str(error).encode())
        return CANNOT_START
    _let_go()
    threading.Thread(target=_kill_at_end, args=(lifeline, program.pid), daemon=True).start()
    code = program.wait()
    _kill_group(program.pid)  # its children have read the private records, too
    return code if code >= 0 else 128 - code


def _let_go() -> None:
    """Close the streams of the program here, so that its caller sees when it closes them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _kill_at_end(lifeline: socket.socket, group: int) -> None:
    """Wait until the caller is gone."""
    with contextlib.suppress(OSError):
        lifeline.recv(1)
    _kill_group(group)


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as end:
        result = supervise(end, sys.argv[2:])
    os._exit(result)
