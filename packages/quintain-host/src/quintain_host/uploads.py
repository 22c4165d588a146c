"""Uploads: what teams sent, stored by content until the intake worker looks at it.

Nothing here reads a content. A name of a sender is never a name on this machine.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from quintain.errors import QuintainError
from quintain.jobs.files import file_draft, file_mode, make_folder, sync_folder, write_file
from quintain.wording.languages import say
from quintain_host.sharing.contents import ContentStore, fetch

NEEDED = ("waiting", "trying", "accepted")
"""The states of uploads whose files are never removed."""

_BLOCK = 2**20
_HASH = re.compile(r"[0-9a-f]{64}")


class TooLarge(QuintainError):
    """An upload is larger than the site allows."""

    status = 413


class Uploads:
    """A folder of files by the SHA-256 of their content."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, digest: str) -> Path:
        """Where a content is."""
        return self.place(digest)

    def place(self, digest: str) -> Path:
        """Where a content belongs on this machine."""
        if not _HASH.fullmatch(digest):
            raise QuintainError(say("%(digest)r is not a SHA-256", digest=digest))
        return self.root / digest[:2] / digest

    def read(self, digest: str) -> bytes:
        """A content by its hash."""
        return self.path(digest).read_bytes()

    def keep(self, content: bytes) -> str:
        """Store a content; returns its hash. It survives a power failure."""
        digest = hashlib.sha256(content).hexdigest()
        path = self.place(digest)
        try:
            os.utime(path)  # it was sent again, so it is not a leftover
        except OSError:
            write_file(path, content, durable=True)
        return digest

    def remove(self, digest: str, before: float) -> bool:
        """Remove a content, unless somebody has sent it since a time; False if it stays."""
        path, aside = self.place(digest), self.root / f".part-{digest}"
        try:
            path.rename(aside)
        except OSError:  # it is gone, or this process may not remove it
            return False
        old = aside.stat().st_mtime < before
        if not old:  # it came again while we looked
            with suppress(FileExistsError):
                os.link(aside, path)
        aside.unlink()
        return old

    def keep_stream(self, file: BinaryIO, most: int) -> tuple[str, int]:
        """Store what a file has, part by part; returns its hash and its size.

        Raises as soon as there are more than ``most`` bytes, and keeps none of them.
        """
        make_folder(self.root, durable=True)
        digest, size = hashlib.sha256(), 0
        with NamedTemporaryFile(dir=self.root, prefix=".part-", delete=False) as part:
            try:
                while block := file.read(_BLOCK):
                    part.write(block)
                    digest.update(block)
                    size += len(block)
                    if size > most:
                        raise TooLarge(say("an upload may have at most %(most)s bytes", most=most))
                part.flush()
                os.fsync(part.fileno())
                path = self.place(digest.hexdigest())
                make_folder(path.parent, durable=True)
                os.fchmod(part.fileno(), file_mode(path))
                Path(part.name).replace(path)
                sync_folder(path.parent)
            except BaseException:
                Path(part.name).unlink(missing_ok=True)
                raise
        return digest.hexdigest(), size


class SharedUploads(Uploads):
    """Uploads that all machines of a site see; the folder has those that this machine needed.

    What was sent once stays in the store: another machine may be about to need it.
    """

    def __init__(self, root: Path, contents: ContentStore) -> None:
        super().__init__(root)
        self._contents = contents

    def path(self, digest: str) -> Path:
        """Where a content is; it is fetched if another machine took it."""
        path = self.place(digest)
        if not path.is_file():
            with file_draft(path) as file:
                fetch(self._contents, stored_name(digest), digest, file)
        return path

    def keep(self, content: bytes) -> str:
        """Store a content; returns its hash. It is in the store then."""
        digest = super().keep(content)
        self._contents.put(stored_name(digest), self.place(digest))
        return digest

    def keep_stream(self, file: BinaryIO, most: int) -> tuple[str, int]:
        """Store what a file has, part by part; see :meth:`Uploads.keep_stream`."""
        digest, size = super().keep_stream(file, most)
        self._contents.put(stored_name(digest), self.place(digest))
        return digest, size


def stored_name(digest: str) -> str:
    """The name of an upload in the store."""
    return f"uploads/{digest[:2]}/{digest}"
