"""Moments: all files of a site as the database names them at one moment, and a folder as a site.

Contents never change in the store, so a moment of the database is a moment of the files. Nobody has
to wait for a backup.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, select

from quintain.jobs.files import file_draft
from quintain.runs.folder import paths
from quintain_host.database.base import JOURNAL
from quintain_host.database.contests import KEPT_CONTENTS
from quintain_host.database.sharing import SharedFile
from quintain_host.database.work import Upload
from quintain_host.sharing.contents import ContentStore, content_name, fetch
from quintain_host.sharing.site_files import adopt_site_files
from quintain_host.sharing.working_copy import TOPS, WorkingCopy, is_closed
from quintain_host.site import SETTINGS, Site
from quintain_host.uploads import NEEDED, Uploads, stored_name


def stage_moment(site: Site, connection: Connection, stage: Path) -> dict[str, Path]:
    """Write the files of a site, as a connection sees them, into a folder; returns them by name.

    The names are those that the files have in the folder of a site on one machine.
    """
    assert site.contents is not None  # else the files are in the folder of the site
    staged = {}
    for row in connection.execute(select(SharedFile.__table__)):
        if row.digest is not None:
            name = content_name(row.digest, closed=is_closed(row.path))
            with file_draft(stage / row.path, public=bool(row.mode & 0o004)) as file:
                fetch(site.contents, name, row.digest, file)
            staged[row.path] = stage / row.path
    uploads = Uploads(Path("uploads"))
    for digest, needed in sorted(_sent_contents(connection).items()):
        path = str(uploads.place(digest))
        if needed or site.contents.has(stored_name(digest)):
            with file_draft(stage / path) as file:
                fetch(site.contents, stored_name(digest), digest, file)
            staged[path] = stage / path
    for path in _journals(connection, stage, staged):
        staged[path] = stage / path
    if (site.root / SETTINGS).is_file():
        staged[SETTINGS] = site.root / SETTINGS
    return dict(sorted(staged.items()))


def _sent_contents(connection: Connection) -> dict[str, bool]:
    """The contents that people sent, and whether somebody needs them; others may be removed."""
    digests = {str(digest): True for digest in connection.execute(KEPT_CONTENTS).scalars()}
    for files, state in connection.execute(select(Upload.files, Upload.state)):
        for digest in files.values():
            digests[digest] = digests.get(digest, False) or state in NEEDED
    return digests


def _journals(connection: Connection, stage: Path, staged: dict[str, Path]) -> list[str]:
    """Write the journal of every edition with a folder; returns the names of the files."""
    written = []
    for edition in sorted({path.split("/")[1] for path in staged if path.startswith("editions/")}):
        own = select(JOURNAL.c.line).where(JOURNAL.c.journal == edition)
        lines = connection.execute(own.order_by(JOURNAL.c.number)).scalars().all()
        if lines:
            path = f"editions/{edition}/{paths.JOURNAL}"
            with file_draft(stage / path) as file:
                file.writelines(f"{line}\n".encode() for line in lines)
            written.append(path)
    return written


def share_folder(site: Site) -> int:
    """Put everything in the folder of a site into its store; returns how many files that was.

    For a site that was on one machine so far, and for one that was restored. What the store and the
    database have already stays as it is.
    """
    assert site.contents is not None  # the caller has a store
    copy = WorkingCopy(site.root, site.database, site.contents)
    number = adopt_site_files(site.root, site.database, site.contents)
    editions = {path.name for top in TOPS for path in (site.root / top).glob("[!.]*")}
    for edition in sorted(editions):
        number += copy.adopt(edition)
    for path in sorted((site.root / "uploads").glob("[0-9a-f][0-9a-f]/*")):
        number += put_missing(site.contents, stored_name(path.name), path)
    return number


def put_missing(contents: ContentStore, name: str, path: Path) -> bool:
    """Put a content into the store, if it is not there yet."""
    if contents.has(name):
        return False
    contents.put(name, path)
    return True
