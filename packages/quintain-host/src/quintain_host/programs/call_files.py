"""Call files: the sealed inputs and results of calls, and the key of a site that seals them.

They are in the folder of the site, or in the store that its machines share. The scoring worker and
the program workers of a site share the key; the web process cannot read it. It is part of every
token of a worker, in the half that is never sent.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quintain.errors import QuintainError
from quintain.jobs.files import write_file
from quintain.programs.remote import KEY_BYTES, RemoteCall, Seal, input_of, read_ending, result_of
from quintain.programs.sandbox.provider import Ending
from quintain_host.sharing.contents import ContentStore, FolderContents
from quintain_host.sharing.site_files import PROGRAM_KEY, shared_site_file
from quintain_host.site import Site

FOLDER = "calls"
_NAME = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class CallFiles:
    """The sealed files of calls; nobody reads them without the key."""

    contents: ContentStore

    def input(self, name: str) -> Iterator[bytes]:
        """The sealed input of a call, part by part."""
        return self.contents.chunks(_input(name))

    def keep_input(self, seal: Seal, call: RemoteCall) -> str:
        """Store the input of a call; returns its name, which is the same for the same call."""
        content = call.to_bytes()
        name = seal.name(content)
        if not self.contents.has(_input(name)):
            self.contents.write(_input(name), seal.close(content, input_of(name)))
        return name

    def keep_result(self, name: str, attempt: int, sealed: bytes) -> None:
        """Store the sealed result of an attempt. A worker that lost its job has another attempt."""
        self.contents.write(_result(name, attempt), sealed)

    def has_result(self, name: str, attempt: int) -> bool:
        """Whether the result of an attempt is there."""
        return self.contents.has(_result(name, attempt))

    def read_result(self, seal: Seal, name: str, attempt: int) -> Ending:
        """How an attempt ended."""
        sealed = b"".join(self.contents.chunks(_result(name, attempt)))
        return read_ending(seal.open(sealed, result_of(name)))

    def remove(self, name: str, attempts: int) -> None:
        """Remove everything about a call that was made so many times."""
        self.contents.remove(_input(name))
        for attempt in range(1, attempts + 1):
            self.contents.remove(_result(name, attempt))


def calls_of(site: Site) -> CallFiles:
    """The call files of a site."""
    return CallFiles(site.contents or FolderContents(site.root))


def _input(name: str) -> str:
    return f"{FOLDER}/{_require_name(name)}.input"


def _result(name: str, attempt: int) -> str:
    return f"{FOLDER}/{_require_name(name)}.{attempt}.result"


def _require_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise QuintainError(f"{name[:80]!r} is not the name of a call")
    return name


def site_seal(site: Site) -> Seal:
    """The seal of a site."""
    return Seal(bytes.fromhex(site_key(site)))


def site_key(site: Site) -> str:
    """The key of a site as digits; it is made when it is needed for the first time."""
    if site.contents is not None:
        content = shared_site_file(site.database, site.contents, PROGRAM_KEY, _new_key())
        return content.decode().strip()
    path = site.root / PROGRAM_KEY
    if not path.is_file():
        _make_key(path)
    return path.read_text().strip()


def _make_key(path: Path) -> None:
    draft = path.with_name(f"program.{secrets.token_hex(8)}")
    write_file(draft, _new_key(), durable=True)
    try:
        path.hardlink_to(draft)  # of several processes, the first one decides
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _new_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES).hex().encode()
