"""Hosted folder: an edition folder whose journal is in the database of a host."""

from __future__ import annotations

from pathlib import Path

from quintain.host.database.database import Database
from quintain.host.editions.host_store import Beside, HostStore
from quintain.journal.journal import Journal
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder


class HostedFolder(Folder):
    """An edition folder on a host; every command of the engine works on it.

    Parameters
    ----------
    edition : the id of the edition.
    beside : see :class:`quintain.host.editions.host_store.HostStore`.
    """

    def __init__(
        self, root: Path, database: Database, edition: str, beside: Beside | None = None
    ) -> None:
        super().__init__(root)
        self.store = HostStore(database, edition, self.at(paths.JOURNAL), beside)

    def journal(self) -> Journal:
        """The journal; what is appended to it is in the database first."""
        return Journal(self.store)
