"""Site: the folder of a host, with its database, its settings and its clock.

Nothing in the host asks for the time but this clock.

::

    site.toml               the settings of the operator; may be missing
    address                 where the server listens, for links, if the settings have no address
    identity                tells this site from others; its database names it
    site.db                 the database, unless the settings name another one
    uploads/AB/HASH         what teams sent, by content
    editions/EDITION/       the edition folder, as on the command line
    kits/EDITION/TEAM.zip   kits, ready to be downloaded
    exports/EDITION/        archives and bundles, ready to be downloaded
    previews/EDITION/       drafts as a team would see them, with keys of their own
    rejudged/NUMBER/        copies of edition folders that are judged a second time
    calls/                  sealed inputs and results of programs, until a call is over

Where machines share their files through a store, each process has its own copy of the folders that
belong to editions, in ``copies/NAME/``; see :mod:`quintain_host.sharing`.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy.orm import Session

from quintain.errors import QuintainError
from quintain.runs.folder import paths
from quintain_host.access import NotThere
from quintain_host.database.database import Database
from quintain_host.editions.hosted_folder import Beside, HostedFolder, HostStore
from quintain_host.settings import Settings, read_settings, with_address
from quintain_host.sharing.contents import ContentStore, open_contents
from quintain_host.sharing.working_copy import WorkingCopy
from quintain_host.uploads import SharedUploads, Uploads


class Clock(Protocol):
    """Says what time it is; tests have clocks of their own."""

    def now(self) -> datetime:
        """The time now, in UTC."""


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """The time now, in UTC."""
        return datetime.now(UTC)


_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
"""A part of an address that can be the name of a folder; it leads nowhere else."""

_FOLLOW = 0.2
"""For how many seconds a page may show what a web process knew before."""

SETTINGS = "site.toml"
ADDRESS = "address"
IDENTITY = "identity"
DATABASE = "site.db"


class Site:
    """A host, as every process of it sees it.

    Parameters
    ----------
    root : the folder of the site.
    settings : instead of those in the folder.
    """

    def __init__(
        self,
        root: Path,
        *,
        settings: Settings | None = None,
        database: str = "",
        clock: Clock | None = None,
    ) -> None:
        if not root.is_dir():
            raise QuintainError(f"{root} is not the folder of a site; quintain serve makes one")
        self.root = root
        self.settings = settings or with_address(read_settings(root / SETTINGS), root / ADDRESS)
        url = database or self.settings.database
        self.database = Database(url) if url else Database.in_file(root / DATABASE)
        self.clock: Clock = clock or SystemClock()
        self.uploads = Uploads(root / "uploads")
        self.contents: ContentStore | None = None
        self.working_copy: WorkingCopy | None = None
        self.files, self._follows = root, False
        if self.settings.store:
            self.contents = open_contents(self.settings.store)
            self.uploads = SharedUploads(root / "uploads", self.contents)
            self._work_in("main", follows=True)

    def _work_in(
        self, name: str, *, closed: bool = True, follows: bool = False, pause: float = 0.0
    ) -> None:
        assert self.contents is not None  # else all processes see the same files
        self.files = self.root / "copies" / name
        self.working_copy = WorkingCopy(
            self.files, self.database, self.contents, closed=closed, pause=pause
        )
        self._follows = follows

    def for_pages(self) -> Site:
        """The site as a web process sees it: it follows the others, and reads no secrets."""
        return self._in_copy("web", closed=False, follows=True, pause=_FOLLOW)

    def for_lane(self, lane: str) -> Site:
        """The site as one lane of a worker sees it: it changes with the jobs of the lane."""
        return self._in_copy(lane)

    def _in_copy(self, name: str, **options: Any) -> Site:
        if self.contents is None:
            return self
        other = copy.copy(self)
        other._work_in(name, **options)
        return other

    def edition_root(self, edition: str) -> Path:
        """Where the folder of an edition is; raises ``NotThere`` for what cannot be an id."""
        if not _PLAIN.fullmatch(edition):
            raise NotThere(f"there is no contest {edition[:80]!r} here")
        return self._place("editions", edition)

    def _place(self, top: str, edition: str) -> Path:
        """A folder of an edition, as it is now."""
        shared = self.working_copy
        if self._follows and shared is not None and not shared.is_fresh(edition):
            shared.pull(edition)
            root = self.files / "editions" / edition
            if (root / paths.EDITION).is_file():
                HostStore(self.database, edition, root / paths.JOURNAL, shared=shared).follow()
        return self.files / top / edition

    def folder(
        self,
        edition: str,
        beside: Beside | None = None,
        guard: Callable[[], None] | None = None,
        require: Callable[[Session], None] | None = None,
    ) -> HostedFolder:
        """The folder of an edition; see :class:`HostedFolder`."""
        root = self.edition_root(edition)
        shared = self.working_copy
        return HostedFolder(root, self.database, edition, beside, guard, shared, require)

    def kit(self, edition: str, team: str) -> Path:
        """Where the kit of a team is, once a worker has made it."""
        return self._place("kits", edition) / f"{team}.zip"

    def rejudged_folder(self, number: int) -> Path:
        """Where the copy of an edition folder is that is judged a second time."""
        return self.files / "rejudged" / str(number)

    def export_file(self, edition: str, name: str) -> Path:
        """Where an archive or a bundle of an edition is, once a worker has made it."""
        return self._place("exports", edition) / name

    def published_folder(self, edition: str) -> Path:
        """Where the results of an edition are, for everybody."""
        return self._place("published", edition)

    def preview(self, edition: str) -> Path:
        """Where the preview of a draft is, once a worker has made it."""
        return self._place("previews", edition)

    def close(self) -> None:
        """Close the database."""
        self.database.close()
