"""Backups: a whole site in one file, while it runs, and the site again from that file.

A backup is a zip. ``manifest.json`` names everything in it with its SHA-256, ``tables/NAME.jsonl``
has the rows of a table, and ``files/PATH`` are the files of the site's folder. The rows are JSON,
so a backup of SQLite can be restored into PostgreSQL, and the other way round. It has every secret
of every contest: keep it as safe as the site itself.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
import shutil
import stat
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from sqlalchemy import (
    Column,
    Connection,
    DateTime,
    LargeBinary,
    MetaData,
    Table,
    func,
    select,
    text,
)

from quintain import __version__
from quintain.errors import QuintainError
from quintain.jobs.files import make_folder, sync_folder
from quintain.jobs.scratch import ScratchFolder
from quintain.journal.transactions import transaction
from quintain.runs.folder import paths
from quintain_host.claiming import claim_database
from quintain_host.database.database import Database
from quintain_host.database.tables import Base
from quintain_host.database.upgrade import newest, upgrade, version
from quintain_host.sharing.contents import ContentStore, open_contents
from quintain_host.sharing.moments import share_folder, stage_moment
from quintain_host.site import DATABASE, IDENTITY, Site

# --- what is in a backup --------------------------------------------------------------------------


MANIFEST = "manifest.json"
TABLES = "tables"
FILES = "files"


class DamagedBackup(QuintainError):
    """A backup is not what was written, or no backup at all."""

    status = 409


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class TablePart(_Part):
    """The rows of one table."""

    rows: int = Field(ge=0)


class FilePart(_Part):
    """One file of the site's folder."""

    size: int = Field(ge=0)
    mode: int = Field(ge=0, le=0o777)


class Manifest(BaseModel):
    """Everything in a backup.

    Parameters
    ----------
    made_with : the version of the program.
    database : the version of the tables, as a number of a step.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = Field(default=1, ge=1, le=1)
    made_with: str
    time: str
    database: str
    tables: dict[str, TablePart]
    files: dict[str, FilePart]

    @field_validator("files")
    @classmethod
    def _stay_inside(cls, files: dict[str, FilePart]) -> dict[str, FilePart]:
        for name in files:
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or path.as_posix() != name or "\0" in name:
                raise ValueError(f"{name!r} is not a path inside a folder")
        return files

    def entries(self) -> dict[str, str]:
        """The SHA-256 of every entry of the zip but the manifest."""
        tables = {f"{TABLES}/{name}.jsonl": part.sha256 for name, part in self.tables.items()}
        return tables | {f"{FILES}/{name}": part.sha256 for name, part in self.files.items()}


# --- one moment of a site -------------------------------------------------------------------------
#
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
            yield Snapshot(connection, _hold(site, connection, stage))
    finally:
        shutil.rmtree(stage)


def _hold(site: Site, connection: Connection, stage: Path) -> dict[str, Path]:
    """The files of a site at the moment of the first question of a connection."""
    first = "SELECT version_num FROM alembic_version"
    if site.contents is not None:
        connection.exec_driver_sql(first).all()
        return stage_moment(site, connection, stage)
    with _journals_locked(site):
        connection.exec_driver_sql(first).all()
        return _stage_files(site.root, stage)


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


def _stage_files(root: Path, stage: Path) -> dict[str, Path]:
    """Every file of a site by its name, and a path under which its content stays."""
    files = {}
    for number, name in enumerate(sorted(file_names(root))):
        path = root / name
        if name.startswith("uploads/"):  # by content, so they never change
            files[name] = path
            continue
        with suppress(FileNotFoundError):  # somebody has just replaced a result
            files[name] = _stage_file(path, stage / str(number))
    return files


def _stage_file(path: Path, place: Path) -> Path:
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
    """The names of a site's files: neither the database and its claim, nor drafts, nor locks."""
    for place, folders, names in os.walk(root):
        top = Path(place) == root
        folders[:] = [folder for folder in folders if not (top and folder.startswith(_STAGE))]
        for name in names:
            path = Path(place, name)
            passing = name.startswith(".") and name.endswith((".part", ".lock"))
            passing = passing or name.startswith(".part-")
            own = top and (name.startswith(DATABASE) or name == IDENTITY)
            if passing or own or path.is_symlink():
                continue
            yield path.relative_to(root).as_posix()


_CHUNK = 2**20


# --- writing --------------------------------------------------------------------------------------


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


def back_up_to_store(site: Site, url: str) -> Manifest:
    """Write a backup of a site into a store, under a URL that ends with its name."""
    contents, name = _split(url)
    if contents.has(name):
        raise QuintainError(f"{url} exists; a backup never replaces a file")
    with TemporaryDirectory(dir=site.root, prefix=_STAGE) as place:
        manifest = back_up(site, Path(place) / name)
        contents.put(name, Path(place) / name)
    return manifest


def is_url(place: str) -> bool:
    """Whether a place is in a store and not on this machine."""
    return "://" in place


def _split(url: str) -> tuple[ContentStore, str]:
    """The store of a backup, and its name there."""
    place, _, name = url.rpartition("/")
    if not name or place.endswith("/"):
        raise QuintainError(f"{url!r} names no file in a store: s3://BUCKET/FOLDER/NAME.zip")
    return open_contents(place), name


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


_BATCH = 500


# --- rows as JSON that means the same in every database -------------------------------------------


def write_rows(connection: Connection, table: Table) -> Iterator[bytes]:
    """The rows of a table in the order of its key, one line each."""
    query = select(table).order_by(*table.primary_key)
    streamed = connection.execution_options(yield_per=_BATCH)
    for row in streamed.execute(query):
        values = {name: _to_json(value) for name, value in row._mapping.items()}
        yield json.dumps(values, ensure_ascii=False).encode() + b"\n"


def read_rows(connection: Connection, table: Table, lines: Iterator[bytes]) -> int:
    """Insert rows into an empty table; returns how many."""
    count, batch = 0, []
    for line in lines:
        values = json.loads(line)
        batch.append(
            {name: _from_json(table.columns[name], value) for name, value in values.items()}
        )
        count += 1
        if len(batch) == _BATCH:
            connection.execute(table.insert(), batch)
            batch = []
    if batch:
        connection.execute(table.insert(), batch)
    return count


def set_counters(connection: Connection, table: Table) -> None:
    """Let the next number of PostgreSQL be one that is free; SQLite finds it by itself."""
    if connection.dialect.name != "postgresql":
        return
    for column in table.primary_key:
        named = text("SELECT pg_get_serial_sequence(:table, :column)")
        sequence = connection.scalar(named, {"table": f'"{table.name}"', "column": column.name})
        if sequence is None:
            continue
        last = connection.scalar(select(func.max(column)))
        if last is not None:
            connection.execute(select(func.setval(sequence, last)))


def _to_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value


def _from_json(column: Column[Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column.type, DateTime):
        return datetime.fromisoformat(value)
    if isinstance(column.type, LargeBinary):
        return base64.b64decode(value, validate=True)
    return value


def new_private_file(path: Path) -> BinaryIO:
    """A new file to write to; raises if there is one already."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


_VERSION_TABLE = "alembic_version"


# --- restoring ------------------------------------------------------------------------------------


def restore(source: Path, root: Path, database: str = "") -> Manifest:
    """Make the site that a backup has.

    Parameters
    ----------
    source : the backup.
    root : a folder that is empty or does not exist.
    database : the URL of an empty database, if it is not the one that the settings in the backup
        name.
    """
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise QuintainError(f"{root} is not empty; restore into a new folder")
    with _open(source) as archive:
        manifest = _check(archive)
        make_folder(root)
        try:
            _write_files(archive, manifest, root)
            _write_rows(archive, manifest, root, database)
        except BaseException:
            _clear(root)
            raise
    return manifest


def restore_from_store(url: str, root: Path, database: str = "") -> Manifest:
    """Make the site that a backup in a store has; see :func:`restore`."""
    contents, name = _split(url)
    with ScratchFolder() as place:
        source = Path(place) / name
        with new_private_file(source) as file:
            file.writelines(contents.chunks(name))
        return restore(source, root, database)


@contextmanager
def _open(source: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(source) as archive:
            yield archive
    except zipfile.BadZipFile as problem:
        raise DamagedBackup(f"{source} is damaged, or no backup: {problem}") from None


def _check(archive: zipfile.ZipFile) -> Manifest:
    """The manifest, once every entry has the hash that it names."""
    try:
        manifest = Manifest.model_validate_json(archive.read(MANIFEST))
    except (KeyError, ValidationError):
        raise DamagedBackup(f"the backup has no {MANIFEST} that this program can read") from None
    if manifest.database > newest():
        raise QuintainError(
            f"the backup has tables of version {manifest.database} and this program knows "
            f"{newest()}: install quintain {manifest.made_with}"
        )
    expected = manifest.entries()
    names = set(archive.namelist()) - {MANIFEST}
    for name in sorted(names ^ set(expected)):
        raise DamagedBackup(f"the backup is damaged: {name} is missing, or should not be there")
    for name, digest in expected.items():
        with archive.open(name) as entry:
            if hashlib.file_digest(entry, "sha256").hexdigest() != digest:  # type: ignore[arg-type]
                raise DamagedBackup(f"the backup is damaged: {name} has changed")
    return manifest


def _write_files(archive: zipfile.ZipFile, manifest: Manifest, root: Path) -> None:
    for name, part in manifest.files.items():
        path = root / name
        public = bool(part.mode & 0o004)
        make_folder(path.parent, public=public)
        with archive.open(f"{FILES}/{name}") as entry, new_private_file(path) as file:
            shutil.copyfileobj(entry, file, _CHUNK)
            os.fchmod(file.fileno(), part.mode)
    os.sync()


def _write_rows(archive: zipfile.ZipFile, manifest: Manifest, root: Path, url: str) -> None:
    if not url:
        (root / DATABASE).touch(0o600)
    site = Site(root, database=url)
    if site.database.engine.dialect.name != "sqlite":
        (root / DATABASE).unlink(missing_ok=True)
    try:
        _require_empty(site.database, manifest.database)
        upgrade(site.database, manifest.database)
        _insert(archive, manifest, site.database)
        upgrade(site.database)
        claim_database(site)
        if site.contents is not None:
            share_folder(site)
        for edition in sorted((root / "editions").glob("*")):
            site.folder(edition.name).store.catch_up()  # it says so if the two do not fit
    finally:
        site.close()


def _insert(archive: zipfile.ZipFile, manifest: Manifest, database: Database) -> None:
    with transaction(database.engine, "restore") as connection:
        known = MetaData()
        known.reflect(connection)
        for table in known.sorted_tables:
            if table.name == _VERSION_TABLE:
                continue
            with archive.open(f"{TABLES}/{table.name}.jsonl") as lines:
                count = read_rows(connection, table, iter(lines))
            if count != manifest.tables[table.name].rows:
                raise DamagedBackup(f"the backup is damaged: {table.name} has {count} rows")
            set_counters(connection, table)


def _require_empty(database: Database, needed: str) -> None:
    """Refuse a database with rows; a restore that failed may have left empty tables."""
    known = MetaData()
    known.reflect(database.engine)
    tables = [table for table in known.sorted_tables if table.name != _VERSION_TABLE]
    with database.reading() as session:
        used = any(session.scalar(select(func.count()).select_from(table)) for table in tables)
    if used or (tables and version(database) != needed):
        raise QuintainError("the database is not empty; restore into a new one (--database URL)")


def _clear(root: Path) -> None:
    """Remove what a restore that failed has written."""
    for path in root.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
