"""Hosted folder: an edition folder whose journal is in the database of a host.

A line of the journal is appended to the database, in one transaction with everything that belongs
to it: the upload that was accepted, the job that recorded it, the next job. Then it is copied to
the file, which jobs and pages read. A crash in between leaves the copy behind; the next writer
catches up. Where machines share their files through a store, what the folder has new is recorded
in the same transaction; see :mod:`quintain_host.sharing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.orm import Session

from quintain.errors import FolderError
from quintain.jobs.executor import Executor
from quintain.jobs.graph import nothing_more
from quintain.jobs.job import Job, Then
from quintain.journal.database_store import DatabaseStore
from quintain.journal.events import read_event
from quintain.journal.file_store import FileStore
from quintain.journal.journal import Journal
from quintain.runs.folder import paths
from quintain.runs.folder.closings import last_closing_time
from quintain.runs.folder.folder import Folder
from quintain_host.database.database import Database
from quintain_host.sharing.working_copy import ChangedElsewhere, WorkingCopy

Beside = Callable[[Session, int], None]
"""Changes rows in the transaction of an event, by the number of the event."""


class HostStore:
    """The lines of the journal of one edition.

    Parameters
    ----------
    edition : its id, the name of the journal in the database.
    path : the copy in the edition folder.
    beside : called for every line that is appended; if it raises, nothing is appended.
    shared : the working copy that the folder is in, where machines share files.
    require : raises in a transaction if the caller may not record files any more.
    """

    def __init__(
        self,
        database: Database,
        edition: str,
        path: Path,
        beside: Beside | None = None,
        shared: WorkingCopy | None = None,
        require: Callable[[Session], None] | None = None,
    ) -> None:
        self._database = database
        self._edition = edition
        self._rows = DatabaseStore(database.engine, edition)
        self._copy = FileStore(path)
        self._beside = beside
        self._shared = shared
        self._require = require or (lambda _session: None)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out until the block ends; the copy is complete inside."""
        with self._copy.locked():
            if self._shared is None:
                self._catch_up()
                yield
                return
            with self._database.holding(self._edition):
                self._catch_up()
                yield
                self._shared.push(self._edition, self._require)

    def catch_up(self) -> None:
        """Copy the lines that are missing in the file: of a crash, or of another machine."""
        with self._copy.locked():
            self._catch_up()

    def follow(self) -> None:
        """Copy the lines that are missing in the file, if there are any."""
        if self._rows.size() != self._last_copy():
            self.catch_up()

    def append(self, line: bytes) -> None:
        """Add a line to the record, then to the copy; it is on the disk when this returns."""
        number = read_event(line).number
        changes = self._shared.changes(self._edition) if self._shared else []
        with (
            self._database.writing(self._edition) as session,
            self._rows.within(session.connection()),
        ):
            if self._rows.size() != number - 1:  # the lock was lost, or there was none
                raise ChangedElsewhere(f"the journal of {self._edition} has changed meanwhile")
            self._rows.append(line)
            if self._beside is not None:
                self._beside(session, number)
            recorded = self._shared.record(session, self._edition, changes) if self._shared else []
        if self._shared is not None:
            self._shared.keep(self._edition, changes, recorded)
        self._copy.append(line)

    def lines(
        self,
        *,
        start: int = 0,
        event: str | None = None,
        team: str | None = None,
        without: str | None = None,
    ) -> Iterator[bytes]:
        """The lines, in order; see :class:`quintain.journal.store.Store`."""
        return self._copy.lines(start=start, event=event, team=team, without=without)

    def last(self) -> bytes | None:
        """The line that was appended last, or None if there is none."""
        return self._copy.last()

    def size(self) -> int:
        """How many lines there are."""
        return self._copy.size()

    def _last_copy(self) -> int:
        """The number of the last line in the file."""
        last = self._copy.last()
        return 0 if last is None else read_event(last).number

    def _catch_up(self) -> None:
        known = self._last_copy()
        if self._rows.size() < known:
            raise FolderError(
                f"the database has fewer events of {self._edition} than its folder: restore the "
                "newest backup of the database"
            )
        missing = list(self._rows.lines(start=known))
        if self._shared is not None:  # after the lines: the files that they name are there by now
            self._shared.pull(self._edition)
        if missing:
            self._copy.extend(missing)


class HostedFolder(Folder):
    """An edition folder on a host; every command of the engine works on it.

    Parameters
    ----------
    edition : the id of the edition.
    beside : see :class:`quintain_host.editions.hosted_folder.HostStore`.
    guard : called before results are written; raises for a worker that has lost its job, so that
        no old result replaces a newer one.
    shared, require : see :class:`quintain_host.editions.hosted_folder.HostStore`.
    """

    def __init__(
        self,
        root: Path,
        database: Database,
        edition: str,
        beside: Beside | None = None,
        guard: Callable[[], None] | None = None,
        shared: WorkingCopy | None = None,
        require: Callable[[Session], None] | None = None,
    ) -> None:
        super().__init__(root)
        journal = self.at(paths.JOURNAL)
        self.store = HostStore(database, edition, journal, beside, shared, require)
        self._guard = guard

    def journal(self) -> Journal:
        """The journal; what is appended to it is in the database first."""
        return Journal(self.store, last_closing_time(self.root))

    def run(
        self, jobs: Sequence[Job], *, executor: Executor, label: str, then: Then = nothing_more
    ) -> int:
        """Run the jobs that are not done yet, and those that follow; returns how many."""
        self._require_guarded()
        return super().run(jobs, executor=executor, label=label, then=then)

    def finish(self, job: Job, contents: Mapping[str, bytes]) -> None:
        """Write the outputs of a job that ran in this process."""
        self._require_guarded()
        super().finish(job, contents)

    def _require_guarded(self) -> None:
        if self._guard is not None:
            self._guard()
