"""Working copy: the files of editions in a folder of one process, kept equal to the truth.

The truth is the table ``shared_file``; see :mod:`quintain_host.sharing`.
"""

from __future__ import annotations

import fcntl
import os
import stat
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TypeVar

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from quintain.errors import Refused
from quintain.jobs.files import (
    CLOSED_FOLDERS,
    Identity,
    file_digest,
    file_draft,
    identity,
    make_folder,
)
from quintain.runs.folder import paths
from quintain_host.database.database import Database
from quintain_host.database.sharing import SharedFile
from quintain_host.queue import RetryLater
from quintain_host.sharing.contents import ContentStore, content_name, fetch

TOPS = ("editions", "kits", "exports", "published", "previews")
"""The folders of a site with a folder for each edition, which machines share."""

_AT_ONCE = 8
"""How many contents are sent or fetched at the same time."""

_BATCH = 500
T = TypeVar("T")


class ChangedElsewhere(RetryLater):
    """Another machine changed what this one was about to change; the job is done again."""

    status = 503


def is_closed(path: str) -> bool:
    """Whether a web process must not read a file.

    >>> is_closed("editions/amic/secret/seeds.json"), is_closed("kits/amic/red.zip")
    (True, False)
    """
    return not CLOSED_FOLDERS.isdisjoint(PurePosixPath(path).parts)


@dataclass(frozen=True, slots=True)
class _Known:
    """A file as the database has it."""

    version: int
    digest: str | None
    mode: int


@dataclass(frozen=True, slots=True)
class Change:
    """A file of a working copy that is to be recorded; without a digest, it was removed."""

    path: str
    digest: str | None
    mode: int
    identity: Identity | None


@dataclass(slots=True)
class _EditionCopy:
    """What a process knows about the files of one edition.

    Parameters
    ----------
    version : up to which version the changes of others are in the copy.
    known : the files as the database has them.
    clean : the files of the copy that have the content that is known, as they were then.
    looked : when somebody looked for changes the last time.
    """

    version: int = 0
    known: dict[str, _Known] = field(default_factory=dict)
    clean: dict[str, Identity] = field(default_factory=dict)
    looked: float = float("-inf")
    lock: threading.RLock = field(default_factory=threading.RLock)


class WorkingCopy:
    """The working copy of a process, or of a lane of a worker.

    Parameters
    ----------
    root : its folder.
    closed : whether it has the folders with secrets, too.
    pause : for how many seconds a copy that was looked at counts as new enough for a page.
    """

    def __init__(
        self,
        root: Path,
        database: Database,
        contents: ContentStore,
        *,
        closed: bool = True,
        pause: float = 0.0,
    ) -> None:
        self.root = root
        self._database = database
        self._contents = contents
        self._closed = closed
        self._pause = pause
        self._editions: dict[str, _EditionCopy] = {}
        self._folders = FolderScan(root)
        self._lock = threading.Lock()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes out of this copy until the block ends; raises if one is in it."""
        make_folder(self.root)
        with (self.root / ".copy.lock").open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Refused(
                    f"another worker works in {self.root}: give each worker a folder of its own"
                ) from None
            yield

    # --- from the store ---------------------------------------------------------------------------

    def reset(self, edition: str) -> None:
        """Make the copy equal to the truth: fetch what is new, put away what nobody recorded."""
        own = self._of(edition)
        with own.lock:
            self._learn(own, edition)
            local = self._folders.files(edition)
            missing = [path for path in own.known if self._is_missing(own, path, local)]
            self._fetch_all(own, missing)
            for path in local:
                if path not in own.known or own.known[path].digest is None:
                    (self.root / path).unlink(missing_ok=True)
                    own.clean.pop(path, None)
            own.looked = time.monotonic()

    def is_fresh(self, edition: str) -> bool:
        """Whether somebody looked for changes a moment ago."""
        return time.monotonic() - self._of(edition).looked < self._pause

    def pull(self, edition: str) -> None:
        """Fetch what others recorded since the last time.

        Raises ``ChangedElsewhere`` rather than replace a change of this copy.
        """
        own = self._of(edition)
        with own.lock:
            if own.looked == float("-inf"):
                self.reset(edition)
                return
            for row in self._rows(edition, own.version):
                if self._closed or not is_closed(row.path):
                    self._apply(own, row)
                own.version = row.version
            own.looked = time.monotonic()

    def _of(self, edition: str) -> _EditionCopy:
        with self._lock:
            return self._editions.setdefault(edition, _EditionCopy())

    def _rows(self, edition: str, after: int) -> Sequence[SharedFile]:
        newer = select(SharedFile).where(SharedFile.edition == edition, SharedFile.version > after)
        with self._database.reading() as session:
            return session.scalars(newer.order_by(SharedFile.version)).all()

    def _learn(self, own: _EditionCopy, edition: str) -> None:
        """Read what the database names now, without fetching it."""
        for row in self._rows(edition, own.version):
            if self._closed or not is_closed(row.path):
                own.known[row.path] = _Known(row.version, row.digest, row.mode)
            own.version = row.version

    def _is_missing(self, own: _EditionCopy, path: str, local: dict[str, Identity]) -> bool:
        """Whether a file has to be fetched."""
        known, here = own.known[path], local.get(path)
        if known.digest is None or (here is not None and own.clean.get(path) == here):
            return False
        if here is None or file_digest(self.root / path) != known.digest:
            return True
        own.clean[path] = here  # an earlier process fetched or wrote it
        return False

    def _apply(self, own: _EditionCopy, row: SharedFile) -> None:
        before = own.known.get(row.path)
        if before is not None and before.version >= row.version:
            return  # this copy recorded it
        path = self.root / row.path
        here = identity(path) if path.is_file() else None
        if here is not None and own.clean.get(row.path) != here:
            if file_digest(path) != row.digest:
                raise ChangedElsewhere(f"another machine changed {row.path} meanwhile")
            own.clean[row.path] = here
        own.known[row.path] = _Known(row.version, row.digest, row.mode)
        if row.digest is None:
            path.unlink(missing_ok=True)
            own.clean.pop(row.path, None)
        elif before is None or before.digest != row.digest or here is None:
            self._fetch(own, row.path)

    def _fetch_all(self, own: _EditionCopy, missing: Collection[str]) -> None:
        # In the order of their versions: a file that names another one was written after it.
        ordered = sorted(missing, key=lambda path: own.known[path].version)
        _at_once(lambda path: self._fetch(own, path), ordered)

    def _fetch(self, own: _EditionCopy, path: str) -> None:
        known = own.known[path]
        assert known.digest is not None  # the file exists
        name = content_name(known.digest, closed=is_closed(path))
        with file_draft(self.root / path, public=bool(known.mode & stat.S_IROTH)) as file:
            fetch(self._contents, name, known.digest, file)
        own.clean[path] = identity(self.root / path)

    # --- to the store -----------------------------------------------------------------------------

    def changes(self, edition: str) -> list[Change]:
        """What this copy changed, with every content in the store already."""
        own = self._of(edition)
        local = self._folders.files(edition)
        new = []
        for path, here in local.items():
            if own.clean.get(path) == here:
                continue
            digest, known = file_digest(self.root / path), own.known.get(path)
            if known is not None and known.digest == digest:
                own.clean[path] = here
                continue
            mode = stat.S_IMODE((self.root / path).stat().st_mode)
            new.append((here[2], Change(path, digest, mode, here)))
        written = [change for _, change in sorted(new, key=lambda one: one[0])]
        removed = [
            Change(path, None, 0, None)
            for path, known in own.known.items()
            if known.digest is not None and path not in local
        ]
        _at_once(self._put, written)
        return [*written, *removed]

    def _put(self, change: Change) -> None:
        assert change.digest is not None  # the file exists
        name = content_name(change.digest, closed=is_closed(change.path))
        self._contents.put(name, self.root / change.path)

    def adopt(self, edition: str) -> int:
        """Share what the folder has, where the database names nothing else; returns how many.

        The files that the database names already are put into the store if it lacks them.
        """
        own = self._of(edition)
        self._learn(own, edition)
        missing = [
            path
            for path, known in own.known.items()
            if known.digest is not None
            and (self.root / path).is_file()
            and file_digest(self.root / path) == known.digest
            and not self._contents.has(content_name(known.digest, closed=is_closed(path)))
        ]
        for path in missing:
            self._put(Change(path, own.known[path].digest, own.known[path].mode, None))
        new = [change for change in self.changes(edition) if change.path not in own.known]
        with self._database.writing(edition) as session:
            recorded = self.record(session, edition, new)
        self.keep(edition, new, recorded)
        return len(missing) + len(new)

    def record(self, session: Session, edition: str, changes: list[Change]) -> list[_Known]:
        """Say in a transaction of the edition what its files are now.

        Raises ``ChangedElsewhere`` if another machine changed one of them since this copy saw it.
        """
        own = self._of(edition)
        newer = select(SharedFile).where(
            SharedFile.edition == edition, SharedFile.version > own.version
        )
        others = {row.path: row.version for row in session.scalars(newer)}
        for change in changes:
            known = own.known.get(change.path)
            if others.get(change.path, 0) > (known.version if known else 0):
                raise ChangedElsewhere(f"another machine changed {change.path} meanwhile")
        last = select(func.max(SharedFile.version)).where(SharedFile.edition == edition)
        version = session.scalar(last) or 0
        for start in range(0, len(changes), _BATCH):
            names = [change.path for change in changes[start : start + _BATCH]]
            session.execute(delete(SharedFile).where(SharedFile.path.in_(names)))
        recorded = []
        for number, change in enumerate(changes, version + 1):
            known = _Known(number, change.digest, change.mode)
            session.add(
                SharedFile(
                    path=change.path,
                    edition=edition,
                    version=number,
                    digest=change.digest,
                    mode=change.mode,
                )
            )
            recorded.append(known)
        session.flush()
        return recorded

    def keep(self, edition: str, changes: list[Change], recorded: list[_Known]) -> None:
        """Remember what was recorded, once its transaction has ended."""
        own = self._of(edition)
        for change, known in zip(changes, recorded, strict=True):
            own.known[change.path] = known
            if change.identity is None:
                own.clean.pop(change.path, None)
            else:
                own.clean[change.path] = change.identity

    def push(self, edition: str, require: Callable[[Session], None]) -> int:
        """Store and record what changed; returns how many files that was.

        Parameters
        ----------
        require : raises in the transaction if this process may not record anything any more.
        """
        changes = self.changes(edition)
        if not changes:
            return 0
        with self._database.writing(edition) as session:
            require(session)
            recorded = self.record(session, edition, changes)
        self.keep(edition, changes, recorded)
        return len(changes)


def _at_once(work: Callable[[T], None], items: Sequence[T]) -> None:
    """Do something with every item, several at a time; raises the first problem."""
    if len(items) > 1:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(work, items))
    elif items:
        work(items[0])


_SETTLED = 2_000_000_000
"""After how many nanoseconds without a change the list of a folder is taken from memory."""


class FolderScan:
    """Lists the shared files below a folder, and looks only into folders that have changed.

    Writers replace files and never change one in place, so the folder of a file shows every change.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._seen: dict[str, tuple[tuple[int, int], dict[str, Identity], list[str]]] = {}

    def files(self, edition: str) -> dict[str, Identity]:
        """Every shared file of an edition by its path, with facts that change when it does."""
        # A contest with thousands of submissions has as many folders, and each upload comes here.
        files: dict[str, Identity] = {}
        for top in TOPS:
            waiting = [f"{top}/{edition}"]
            while waiting:
                own, folders = self._inside(waiting.pop(), f"{top}/{edition}")
                files.update(own)
                waiting += folders
        return files

    def _inside(self, place: str, top: str) -> tuple[dict[str, Identity], list[str]]:
        """The files in a folder, and the folders in it."""
        try:
            status = os.stat(f"{self._root}/{place}")  # noqa: PTH116 - a path takes longer than the call
        except FileNotFoundError:
            self._seen.pop(place, None)
            return {}, []
        mark = (status.st_ino, status.st_mtime_ns)
        seen = self._seen.get(place)
        if seen is not None and seen[0] == mark:
            return seen[1:]
        inside = self._look(place, top)
        if time.time_ns() - status.st_mtime_ns > _SETTLED:
            self._seen[place] = mark, *inside
        return inside

    def _look(self, place: str, top: str) -> tuple[dict[str, Identity], list[str]]:
        files, folders = {}, []
        for entry in os.scandir(f"{self._root}/{place}"):
            path = f"{place}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith(paths.CACHE):
                    folders.append(path)
            elif entry.is_file(follow_symlinks=False) and not _is_own(path, top):
                status = entry.stat(follow_symlinks=False)
                files[path] = (
                    status.st_ino,
                    status.st_size,
                    status.st_mtime_ns,
                    status.st_ctime_ns,
                )
        return files, folders


def _is_own(path: str, top: str) -> bool:
    """Whether a file belongs to one process: the copy of the journal, a lock, a draft."""
    name = path.rpartition("/")[2]
    if name.startswith(".") and name.endswith((".part", ".lock")):
        return True
    journal = f"{top}/{paths.JOURNAL}"
    return top.startswith("editions/") and path in (journal, f"{journal}.cut-off")
