"""Call files: the sealed inputs and results of calls in the folder of a site."""

from __future__ import annotations

import re
from pathlib import Path

from quintain.errors import QuintainError
from quintain.jobs.files import write_file
from quintain.programs.remote import RemoteCall, Seal, input_of, read_ending, result_of
from quintain.programs.sandbox.provider import Ending

FOLDER = "calls"
_NAME = re.compile(r"[0-9a-f]{64}")


class CallFiles:
    """The sealed files of calls in the folder of a site; nobody reads them without the key."""

    def __init__(self, root: Path) -> None:
        self.root = root / FOLDER

    def input(self, name: str) -> Path:
        """Where the input of a call is."""
        return self.root / f"{_checked(name)}.input"

    def result(self, name: str, attempt: int) -> Path:
        """Where the result of an attempt is. A worker that lost its job has another attempt."""
        return self.root / f"{_checked(name)}.{attempt}.result"

    def keep_input(self, seal: Seal, call: RemoteCall) -> str:
        """Store the input of a call; returns its name, which is the same for the same call."""
        content = call.to_bytes()
        name = seal.name(content)
        if not self.input(name).is_file():
            write_file(self.input(name), seal.close(content, input_of(name)), durable=True)
        return name

    def keep_result(self, name: str, attempt: int, sealed: bytes) -> None:
        """Store the sealed result of an attempt."""
        write_file(self.result(name, attempt), sealed, durable=True)

    def read_result(self, seal: Seal, name: str, attempt: int) -> Ending:
        """How an attempt ended."""
        sealed = self.result(name, attempt).read_bytes()
        return read_ending(seal.open(sealed, result_of(name)))

    def remove(self, name: str) -> None:
        """Remove everything about a call."""
        for path in self.root.glob(f"{_checked(name)}.*"):
            path.unlink(missing_ok=True)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise QuintainError(f"{name[:80]!r} is no name of a call")
    return name
