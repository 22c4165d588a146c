"""Supervised: a program of the user's that ends with its caller, with everything it started."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from quintain.jobs import supervisor

Stream = int | IO[bytes]
"""Where a program reads or writes: a constant of :mod:`subprocess`, or an open file."""


class CannotStart(Exception):
    """A program could not be started; the message says why."""


class Supervised:
    """A running program; leaving the ``with`` block ends it.

    If this process is killed, the program is killed as well; see :mod:`quintain.jobs.supervisor`.

    Parameters
    ----------
    words : the program and its arguments.
    folder : where it runs.
    environment : all its environment variables.
    stdin, stdout, stderr : where it reads and writes.

    >>> with Supervised(["true"], folder=Path("/"), environment={}) as program:
    ...     program.wait(60)
    0
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        stdin: Stream = subprocess.DEVNULL,
        stdout: Stream = subprocess.DEVNULL,
        stderr: Stream = subprocess.DEVNULL,
    ) -> None:
        self._lifeline, other = socket.socketpair()
        start = [sys.executable, "-I", "-S", str(supervisor.__file__), str(other.fileno())]
        with other:
            self.process = subprocess.Popen(  # noqa: S603 - the user wrote this command
                [*start, *words],
                cwd=folder,
                env=dict(environment),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                bufsize=0,
                pass_fds=(other.fileno(),),
                start_new_session=True,
            )

    def wait(self, seconds: float | None = None) -> int | None:
        """The exit code of the program; None if it runs longer than so many seconds.

        Raises :class:`CannotStart` if there is no such program. A program that a signal ended has
        128 and the number of the signal, as in a shell.
        """
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        if code == supervisor.CANNOT_START and (reason := self._lifeline.recv(1000)):
            raise CannotStart(reason.decode(errors="replace"))
        return code

    def end(self) -> None:
        """Kill the program and everything it started, and wait for it; twice does no harm."""
        self._lifeline.close()
        with self.process:  # closes the pipes and waits
            pass

    def forget(self) -> None:
        """In a forked process: the program belongs to the parent."""
        self.process.returncode = 0  # so that nobody here waits for it
        self._lifeline.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()
