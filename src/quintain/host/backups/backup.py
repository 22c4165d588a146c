"""Backup: write a site into one file while it runs."""

from __future__ import annotations

import hashlib
import os
import stat
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from quintain import __version__
from quintain.errors import QuintainError
from quintain.host.backups.manifest import FILES, MANIFEST, TABLES, FilePart, Manifest, TablePart
from quintain.host.backups.private_file import new_private_file
from quintain.host.backups.snapshot import Snapshot, snapshot
from quintain.host.backups.table_rows import write_rows
from quintain.host.database.tables import Base
from quintain.host.database.upgrade import newest, version
from quintain.host.site import Site
from quintain.jobs.files import sync_folder

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
