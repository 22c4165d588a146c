"""Hosted folder: an edition folder whose journal is in the database of a host."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from quintain.host.database.database import Database
from quintain.host.editions.host_store import Beside, HostStore
from quintain.jobs.executor import Executor
from quintain.jobs.job import Job
from quintain.journal.journal import Journal
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder


class HostedFolder(Folder):
    """An edition folder on a host; every command of the engine works on it.

    Parameters
    ----------
    edition : the id of the edition.
    beside : see :class:`quintain.host.editions.host_store.HostStore`.
    guard : called before results are written; raises for a worker that has lost its job, so that
        no old result replaces a newer one.
    """

    def __init__(
        self,
        root: Path,
        database: Database,
        edition: str,
        beside: Beside | None = None,
        guard: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(root)
        self.store = HostStore(database, edition, self.at(paths.JOURNAL), beside)
        self._guard = guard

    def journal(self) -> Journal:
        """The journal; what is appended to it is in the database first."""
        return Journal(self.store)

    def run(self, jobs: Sequence[Job], *, executor: Executor, label: str) -> int:
        """Run the jobs that are not done yet; returns how many."""
        self._require_guarded()
        return super().run(jobs, executor=executor, label=label)

    def finish(self, job: Job, contents: Mapping[str, bytes]) -> None:
        """Write the outputs of a job that ran in this process."""
        self._require_guarded()
        super().finish(job, contents)

    def _require_guarded(self) -> None:
        if self._guard is not None:
            self._guard()
