"""Snapshot: the rows and the files of a site as they were at one moment, while it goes on.

For that moment, no event can be recorded in any contest. Then the files are links to contents that
nobody changes: every writer of a site makes a new file and renames it.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from quintain.host.database.database import Database
from quintain.host.site import DATABASE, Site
from quintain.runs.folder import paths

_STAGE = ".backup-"
_GROWING = (paths.JOURNAL, f"{paths.JOURNAL}.cut-off")
"""The files that are changed in place."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment of a site: a connection that sees its rows, and where the files are by name."""

    connection: Connection
    files: dict[str, Path]


@contextmanager
def snapshot(site: Site) -> Iterator[Snapshot]:
    """Hold a moment of a site until the block ends."""
    stage = site.root / f"{_STAGE}{secrets.token_hex(8)}"
    stage.mkdir(0o700)
    try:
        with one_moment(site.database) as connection:
            with _journals_locked(site):
                connection.exec_driver_sql("SELECT version_num FROM alembic_version").all()
                files = _staged(site.root, stage)
            yield Snapshot(connection, files)
    finally:
        shutil.rmtree(stage)


@contextmanager
def one_moment(database: Database) -> Iterator[Connection]:
    """A connection that sees the rows as they were at its first question."""
    with database.engine.connect() as connection:
        if connection.dialect.name == "sqlite":  # the driver by itself would begin too late
            connection = connection.execution_options(isolation_level="AUTOCOMMIT")
            connection.exec_driver_sql("BEGIN")
        else:
            connection = connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
        try:
            yield connection
        finally:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("ROLLBACK")


@contextmanager
def _journals_locked(site: Site) -> Iterator[None]:
    """Keep every journal as it is, with its copy in the folder complete."""
    with ExitStack() as locks:
        for root in sorted((site.root / "editions").glob("*")):
            if (root / paths.EDITION).is_file():
                locks.enter_context(site.folder(root.name).store.locked())
        yield


def _staged(root: Path, stage: Path) -> dict[str, Path]:
    """Every file of a site by its name, and a path under which its content stays."""
    files = {}
    for number, name in enumerate(sorted(file_names(root))):
        path = root / name
        if name.startswith("uploads/"):  # by content, so they never change
            files[name] = path
            continue
        with suppress(FileNotFoundError):  # somebody has just replaced a result
            files[name] = _kept(path, stage / str(number))
    return files


def _kept(path: Path, place: Path) -> Path:
    if path.name in _GROWING:
        shutil.copy2(path, place)
        return place
    try:
        os.link(path, place, follow_symlinks=False)
    except FileNotFoundError:
        raise
    except OSError:  # another user's file, or a disk without links
        shutil.copy2(path, place)
    return place


def file_names(root: Path) -> Iterator[str]:
    """The names of the files that belong to a site: neither the database, nor drafts, nor locks."""
    for place, folders, names in os.walk(root):
        top = Path(place) == root
        folders[:] = [one for one in folders if not (top and one.startswith(_STAGE))]
        for name in names:
            path = Path(place, name)
            passing = name.startswith(".") and name.endswith((".part", ".lock"))
            passing = passing or name.startswith(".part-")
            if passing or (top and name.startswith(DATABASE)) or path.is_symlink():
                continue
            yield path.relative_to(root).as_posix()
