"""Backup: write a site into one file while it runs."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import stat
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from quintain import __version__
from quintain.errors import QuintainError
from quintain.host.backups.manifest import FILES, MANIFEST, TABLES, FilePart, Manifest, TablePart
from quintain.host.backups.private_file import new_private_file
from quintain.host.backups.table_rows import write_rows
from quintain.host.database.database import Database
from quintain.host.database.tables import Base
from quintain.host.database.upgrade import newest, version
from quintain.host.site import DATABASE, Site
from quintain.jobs.files import sync_folder
from quintain.runs.folder import paths

# Snapshot: the rows and the files of a site as they were at one moment, while it goes on.
#
# For that moment, no event can be recorded in any contest. Then the files are links to contents
# that nobody changes: every writer of a site makes a new file and renames it.


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


_CHUNK = 2**20


def back_up(site: Site, target: Path) -> Manifest:
    """Write a backup of a site; the file is complete or not there."""
    if target.exists():
        raise QuintainError(f"{target} exists; a backup never replaces a file")
    if version(site.database) != newest():
        raise QuintainError("the tables are not those of this program: quintain host upgrade first")
    draft = target.with_name(f".{target.name}.part")
    try:
        with (
            new_private_file(draft) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
            snapshot(site) as moment,
        ):
            manifest = _write(site, moment, archive)
            archive.writestr(MANIFEST, manifest.model_dump_json(indent=1))
        _sync(draft)
        draft.rename(target)
        sync_folder(target.parent)
    finally:
        draft.unlink(missing_ok=True)
    return manifest


def _write(site: Site, moment: Snapshot, archive: zipfile.ZipFile) -> Manifest:
    time = site.clock.now().isoformat()
    tables = {
        table.name: _table(archive, table.name, write_rows(moment.connection, table))
        for table in Base.metadata.sorted_tables
    }
    files = {name: _file(archive, name, path) for name, path in moment.files.items()}
    return Manifest(made_with=__version__, time=time, database=newest(), tables=tables, files=files)


def _table(archive: zipfile.ZipFile, name: str, lines: Iterator[bytes]) -> TablePart:
    rows = 0

    def counting() -> Iterator[bytes]:
        nonlocal rows
        for line in lines:
            rows += 1
            yield line

    digest, _ = _entry(archive, f"{TABLES}/{name}.jsonl", counting())
    return TablePart(sha256=digest, rows=rows)


def _file(archive: zipfile.ZipFile, name: str, path: Path) -> FilePart:
    with path.open("rb") as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o777
        digest, size = _entry(archive, f"{FILES}/{name}", iter(lambda: file.read(_CHUNK), b""))
    return FilePart(sha256=digest, size=size, mode=mode)


def _entry(archive: zipfile.ZipFile, name: str, parts: Iterable[bytes]) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    with archive.open(info, "w", force_zip64=True) as entry:
        for part in parts:
            digest.update(part)
            size += len(part)
            entry.write(part)
    return digest.hexdigest(), size


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
