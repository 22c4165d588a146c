"""Site: the folder of a host, with its database, its settings and its clock.

Nothing in the host asks for the time but this clock.

::

    site.toml               the settings of the operator; may be missing
    address                 where the server listens, for links, if the settings have no address
    site.db                 the database, unless the settings name another one
    uploads/AB/HASH         what teams sent, by content
    editions/EDITION/       the edition folder, as on the command line
    kits/EDITION/TEAM.zip   kits, ready to be downloaded
    exports/EDITION/        archives and bundles, ready to be downloaded
    previews/EDITION/       drafts as a team would see them, with keys of their own
    rejudged/NUMBER/        copies of edition folders that are judged a second time
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from quintain.errors import QuintainError
from quintain.host.access import NotThere
from quintain.host.database.database import Database
from quintain.host.editions.hosted_folder import Beside, HostedFolder
from quintain.host.settings import Settings, read_settings, with_address
from quintain.host.uploads import Uploads


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

SETTINGS = "site.toml"
ADDRESS = "address"
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

    def edition_root(self, edition: str) -> Path:
        """Where the folder of an edition is; raises ``NotThere`` for what cannot be an id."""
        if not _PLAIN.fullmatch(edition):
            raise NotThere(f"there is no contest {edition[:80]!r} here")
        return self.root / "editions" / edition

    def folder(
        self,
        edition: str,
        beside: Beside | None = None,
        guard: Callable[[], None] | None = None,
    ) -> HostedFolder:
        """The folder of an edition; see :class:`HostedFolder`."""
        return HostedFolder(self.edition_root(edition), self.database, edition, beside, guard)

    def kit(self, edition: str, team: str) -> Path:
        """Where the kit of a team is, once a worker has made it."""
        return self.root / "kits" / edition / f"{team}.zip"

    def rejudged_folder(self, number: int) -> Path:
        """Where the copy of an edition folder is that is judged a second time."""
        return self.root / "rejudged" / str(number)

    def export_file(self, edition: str, name: str) -> Path:
        """Where an archive or a bundle of an edition is, once a worker has made it."""
        return self.root / "exports" / edition / name

    def preview(self, edition: str) -> Path:
        """Where the preview of a draft is, once a worker has made it."""
        return self.root / "previews" / edition

    def close(self) -> None:
        """Close the database."""
        self.database.close()
