"""Contents: files by name in a store that several machines reach, in a folder or on S3.

A name always has the same content, because it is its hash, or because it is used once. So writing
twice does no harm, and a file is there completely or not at all.
"""

from __future__ import annotations

import errno
import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO, Protocol
from urllib.parse import urlsplit

from quintain.errors import MissingExtra, QuintainError
from quintain.jobs.files import file_draft, write_file

_CHUNK = 2**20


class ContentStore(Protocol):
    """Keeps files under names; see the module."""

    def put(self, name: str, source: Path) -> None:
        """Keep the content of a file. It survives a power failure when this returns."""

    def write(self, name: str, content: bytes) -> None:
        """Keep a content that is in memory; as safe as :meth:`put`."""

    def chunks(self, name: str) -> Iterator[bytes]:
        """A content, part by part; raises ``FileNotFoundError`` if there is none."""

    def remove(self, name: str) -> None:
        """Remove a content that nobody needs any more; one that is not there does no harm."""

    def has(self, name: str) -> bool:
        """Whether there is a content with this name."""

    def names(self, prefix: str) -> list[str]:
        """The names below a prefix, in order."""


class StoreAway(OSError):
    """The store does not answer; a job waits until it does."""

    def __init__(self, problem: object) -> None:
        super().__init__(errno.EIO, f"the store does not answer: {problem}")


class StoreRefuses(OSError):
    """The store does not accept the keys of this process; jobs wait until somebody renews them."""

    def __init__(self, problem: object) -> None:
        mending = "renew them, look at what they may do, and start it again"
        super().__init__(
            errno.EIO, f"the store refuses the keys of this process; {mending}: {problem}"
        )


class DamagedContent(OSError):
    """A content in the store is missing or not what was written; a job waits for its repair."""

    def __init__(self, name: str) -> None:
        super().__init__(errno.EIO, f"the content {name} is damaged or missing in the store")


def open_contents(url: str) -> ContentStore:
    """The store with a URL: ``s3://BUCKET/PREFIX``, or ``file:///FOLDER`` that all machines see.

    Keys and the address of another server than Amazon's are in the environment, where all programs
    look for them: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL.
    """
    parts = urlsplit(url)
    if parts.scheme == "file" and not parts.netloc:
        return FolderContents(Path(parts.path))
    if parts.scheme == "s3" and parts.netloc:
        return BucketContents(url)
    raise QuintainError(f"{url!r} is not a store; expected s3://BUCKET/PREFIX or file:///FOLDER")


class FolderContents:
    """Contents in a folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, name: str, source: Path) -> None:
        """Copy a file into the folder; it is on the disk when this returns."""
        with source.open("rb") as content, file_draft(self._root / name, durable=True) as file:
            shutil.copyfileobj(content, file, _CHUNK)

    def write(self, name: str, content: bytes) -> None:
        """Write a file in the folder; it is on the disk when this returns."""
        write_file(self._root / name, content, durable=True)

    def chunks(self, name: str) -> Iterator[bytes]:
        """Read a content part by part; raises ``FileNotFoundError`` if there is none."""
        with (self._root / name).open("rb") as content:
            yield from iter(lambda: content.read(_CHUNK), b"")

    def remove(self, name: str) -> None:
        """Remove a file of the folder."""
        (self._root / name).unlink(missing_ok=True)

    def has(self, name: str) -> bool:
        """Whether the folder has a file of this name."""
        return (self._root / name).is_file()

    def names(self, prefix: str) -> list[str]:
        """The names of the files below a prefix, in order."""
        files = (path for path in (self._root / prefix).rglob("*") if path.is_file())
        return sorted(path.relative_to(self._root).as_posix() for path in files)


_OPTIONS = {"timeout": "60s", "connect_timeout": "5s", "allow_http": True}
_RETRIES = {"max_retries": 5, "retry_timeout": timedelta(seconds=30)}


class BucketContents:
    """Contents in a bucket of a server that speaks S3."""

    def __init__(self, url: str) -> None:
        try:
            import obstore
            from obstore.store import S3Store
        except ImportError:
            raise MissingExtra("a store on S3", "obstore", "store", "quintain-host") from None
        self._obstore: Any = obstore
        options: Any = {"client_options": _OPTIONS, "retry_config": _RETRIES}
        self._store: Any = S3Store.from_url(url, **options)

    def put(self, name: str, source: Path) -> None:
        """Send a file to the bucket, a large one in several parts; nobody sees half of it."""
        with _answers():
            self._obstore.put(self._store, name, source)

    def write(self, name: str, content: bytes) -> None:
        """Send a content to the bucket."""
        with _answers():
            self._obstore.put(self._store, name, content)

    def chunks(self, name: str) -> Iterator[bytes]:
        """Receive a content part by part; raises ``FileNotFoundError`` if there is none."""
        with _answers():
            for chunk in self._obstore.get(self._store, name).stream(min_chunk_size=_CHUNK):
                yield bytes(chunk)

    def remove(self, name: str) -> None:
        """Remove an object of the bucket."""
        with suppress(FileNotFoundError), _answers():
            self._obstore.delete(self._store, name)

    def has(self, name: str) -> bool:
        """Whether the bucket has an object of this name."""
        try:
            with _answers():
                self._obstore.head(self._store, name)
        except FileNotFoundError:
            return False
        return True

    def names(self, prefix: str) -> list[str]:
        """The names of the objects below a prefix, in order."""
        with _answers():
            pages = list(self._obstore.list(self._store, prefix))
        return sorted(str(entry["path"]) for page in pages for entry in page)


@contextmanager
def _answers() -> Iterator[None]:
    """Turn what the library says into errors that workers know."""
    from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

    try:
        yield
    except FileNotFoundError:
        raise
    except (PermissionDeniedError, UnauthenticatedError) as problem:
        raise StoreRefuses(str(problem).splitlines()[0]) from None
    except BaseError as problem:
        raise StoreAway(str(problem).splitlines()[0]) from None


def content_name(digest: str, *, closed: bool) -> str:
    """The name of a content of an edition folder.

    >>> content_name("ab12", closed=True)
    'closed/ab/ab12'
    """
    return f"{'closed' if closed else 'open'}/{digest[:2]}/{digest}"


def fetch(contents: ContentStore, name: str, digest: str, file: BinaryIO) -> None:
    """Write a content to a file, and make sure that it is the one with this hash."""
    hasher = hashlib.sha256()
    try:
        for chunk in contents.chunks(name):
            hasher.update(chunk)
            file.write(chunk)
    except FileNotFoundError:
        raise DamagedContent(name) from None
    if hasher.hexdigest() != digest:
        raise DamagedContent(name)
