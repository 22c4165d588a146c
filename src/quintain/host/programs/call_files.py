"""Call files: the sealed inputs and results of calls in the folder of a site, and their key.

The scoring worker and the program workers of a site share the key; the web process cannot read it.
It is part of every token of a worker, in the half that is never sent.
"""

from __future__ import annotations

import re
import secrets
from pathlib import Path

from quintain.errors import QuintainError
from quintain.jobs.files import write_file
from quintain.programs.remote import KEY_BYTES, RemoteCall, Seal, input_of, read_ending, result_of
from quintain.programs.sandbox.provider import Ending

FOLDER = "calls"
_NAME = re.compile(r"[0-9a-f]{64}")


class CallFiles:
    """The sealed files of calls in the folder of a site; nobody reads them without the key."""

    def __init__(self, root: Path) -> None:
        self.root = root / FOLDER

    def input(self, name: str) -> Path:
        """Where the input of a call is."""
        return self.root / f"{_require_name(name)}.input"

    def result(self, name: str, attempt: int) -> Path:
        """Where the result of an attempt is. A worker that lost its job has another attempt."""
        return self.root / f"{_require_name(name)}.{attempt}.result"

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
        for path in self.root.glob(f"{_require_name(name)}.*"):
            path.unlink(missing_ok=True)


def _require_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise QuintainError(f"{name[:80]!r} is not the name of a call")
    return name


KEY = "secret/program.key"
"""Where the key is in the folder of a site; groups never get to read a folder of this name."""


def site_seal(root: Path) -> Seal:
    """The seal of a site."""
    return Seal(bytes.fromhex(site_key(root)))


def site_key(root: Path) -> str:
    """The key of a site as digits; it is made when it is needed for the first time."""
    path = root / KEY
    if not path.is_file():
        _make_key(path)
    return path.read_text().strip()


def _make_key(path: Path) -> None:
    draft = path.with_name(f"program.{secrets.token_hex(8)}")
    write_file(draft, secrets.token_bytes(KEY_BYTES).hex().encode(), durable=True)
    try:
        path.hardlink_to(draft)  # of several processes, the first one decides
    except FileExistsError:
        pass
    finally:
        draft.unlink()
