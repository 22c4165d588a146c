"""Restore: make a site from a backup, in an empty folder and an empty database."""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError
from sqlalchemy import MetaData, func, select

from quintain.errors import QuintainError
from quintain.host.backups.manifest import FILES, MANIFEST, TABLES, DamagedBackup, Manifest
from quintain.host.backups.private_file import new_private_file
from quintain.host.backups.table_rows import read_rows, set_counters
from quintain.host.database.database import Database
from quintain.host.database.upgrade import newest, upgrade, version
from quintain.host.site import DATABASE, Site
from quintain.jobs.files import make_folder
from quintain.journal.transactions import transaction

_CHUNK = 2**20
_VERSION_TABLE = "alembic_version"


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
    with _opened(source) as archive:
        manifest = _checked(archive)
        make_folder(root)
        try:
            _write_files(archive, manifest, root)
            _write_rows(archive, manifest, root, database)
        except BaseException:
            _empty(root)
            raise
    return manifest


@contextmanager
def _opened(source: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(source) as archive:
            yield archive
    except zipfile.BadZipFile as problem:
        raise DamagedBackup(f"{source} is damaged, or no backup: {problem}") from None


def _checked(archive: zipfile.ZipFile) -> Manifest:
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


def _empty(root: Path) -> None:
    """Remove what a restore that failed has written."""
    for path in root.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
