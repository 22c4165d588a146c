"""Site files: files of the site itself that all machines share; they never change once they exist.

Like the files of an edition they are contents in the store, which the database names.
"""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

from sqlalchemy import func, select

from quintain_host.database.database import Database
from quintain_host.database.sharing import SharedFile
from quintain_host.sharing.contents import ContentStore, content_name, fetch
from quintain_host.sharing.working_copy import is_closed

PROGRAM_KEY = "secret/program.key"
"""The key that seals calls of programs. Neither groups nor web processes get to read it."""

SITE_FILES = (PROGRAM_KEY,)
"""Every site file by its path in the folder of a site on one machine."""

_NOBODY = ""
"""Stands for the edition of a file that belongs to none."""


def shared_site_file(
    database: Database, contents: ContentStore, path: str, content: bytes
) -> bytes:
    """What all machines have in a site file: of several that bring a content, the first decides."""
    digest = _digest(database, path) or _name(database, contents, path, content)
    file = io.BytesIO()
    fetch(contents, _place(path, digest), digest, file)
    return file.getvalue()


def adopt_site_files(root: Path, database: Database, contents: ContentStore) -> int:
    """Share the site files of a folder that nobody shares yet; returns how many that was.

    One that the database names already is put into the store if it is missing there.
    """
    number = 0
    for path in SITE_FILES:
        if not (root / path).is_file():
            continue
        content, digest = (root / path).read_bytes(), _digest(database, path)
        if digest is None:
            _name(database, contents, path, content)
            number += 1
        elif digest == _hash(content) and not contents.has(_place(path, digest)):
            contents.write(_place(path, digest), content)
            number += 1
    return number


def _digest(database: Database, path: str) -> str | None:
    with database.reading() as session:
        return session.scalar(select(SharedFile.digest).where(SharedFile.path == path))


def _name(database: Database, contents: ContentStore, path: str, content: bytes) -> str:
    """Store a content, then name it, unless another machine was faster; returns what is named."""
    digest = _hash(content)
    contents.write(_place(path, digest), content)
    with database.writing("site files") as session:
        first = session.get(SharedFile, path)
        if first is not None and first.digest is not None:
            return first.digest
        last = session.scalar(select(func.max(SharedFile.version)).filter_by(edition=_NOBODY))
        named = {"version": (last or 0) + 1, "digest": digest, "mode": 0o600}
        session.add(SharedFile(path=path, edition=_NOBODY, **named))
    return digest


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _place(path: str, digest: str) -> str:
    return content_name(digest, closed=is_closed(path))
