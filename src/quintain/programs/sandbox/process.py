"""A process without containment: for your own programs, and for machines that hold nothing else.

The process has an empty environment and its own folder, and is killed with its group. This keeps
honest mistakes from spreading. It does not stop an enemy: the program runs as the user who starts
it, reads what that user reads, and a child in a new session survives.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from subprocess import PIPE
from typing import ClassVar

from quintain.jobs.scratch import ScratchFolder
from quintain.programs.limits import CallLimits
from quintain.programs.sandbox.provider import (
    Sandbox,
    environment,
    interpreter,
    limits_of_resources,
)


class Process(Sandbox):
    """Runs a program as the user who starts it, in a temporary folder."""

    name: ClassVar[str] = "process"

    def settings(self, limits: CallLimits) -> Mapping[str, int]:
        """Limits, and the parent with which the process dies."""
        return {"parent": os.getpid(), **limits_of_resources(limits)}

    @contextmanager
    def started(self, limits: CallLimits) -> Iterator[subprocess.Popen[bytes]]:
        """Start an interpreter in a new folder and a new session."""
        with _folder() as folder:
            process = subprocess.Popen(  # noqa: S603 -- running programs is the purpose
                interpreter(),
                cwd=folder,
                env=environment(folder),
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                bufsize=0,
                start_new_session=True,
            )
            try:
                yield process
            finally:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                with process:  # closes the pipes and waits
                    process.kill()


@contextmanager
def _folder() -> Iterator[str]:
    """A temporary folder; nothing that a program does to it causes an error when it is removed."""
    folder = ScratchFolder()
    try:
        yield folder.name
    finally:
        try:
            folder.cleanup()
        except RecursionError:  # thousands of nested folders
            subprocess.run(["/bin/rm", "-rf", "--", folder.name], check=False)  # noqa: S603 -- ours
