"""Folders: several tables about the same people, one file each, in a folder or a zip archive.

An archive comes from elsewhere, so a process apart reads it, and this one writes what comes back. A
reader that may write nothing gets the place where its caller has unpacked an archive before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from zipfile import ZipFile

from quintain.data.files.formats import table_endings
from quintain.data.files.limits import DEFAULT_LIMITS, Limits
from quintain.data.files.subprocess_reader import unzip_apart
from quintain.errors import DataError, Fault, Faults
from quintain.jobs.scratch import ScratchFolder

PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".7z")
"""How the names of packed files end; a table in one would be missing from the people's rows."""

_UNPACKED: ContextVar[Mapping[Path, Path]] = ContextVar(
    "unpacked", default=MappingProxyType[Path, Path]({})
)


def is_folder(path: Path) -> bool:
    """Whether a path is a folder or a zip archive, which may have several tables."""
    return path.is_dir() or path.suffix.lower() == ".zip"


@contextmanager
def open_folder(path: Path, limits: Limits = DEFAULT_LIMITS) -> Iterator[Mapping[str, Path]]:
    """The files with tables, by the name of the table, which is that of the file.

    Other files and hidden ones are not looked at. An archive is checked before anything of it is
    unpacked: its size, its paths, and how many files it has. Its files exist until the end.
    """
    if path.is_dir():
        yield _tables(path, path.name)
        return
    if not path.is_file():
        raise DataError([Fault(f"there is no such folder or zip archive: {path}")])
    if path in _UNPACKED.get():
        yield _tables(_UNPACKED.get()[path], path.name)
        return
    with ScratchFolder() as folder:
        unpack(path, Path(folder), limits)
        yield _tables(Path(folder), path.name)


@contextmanager
def unpacked_before(places: Mapping[Path, Path]) -> Iterator[None]:
    """Say where :func:`unpack` has put the tables of archives, so that nobody has to write them.

    Parameters
    ----------
    places : the folder with the tables of each archive, by the path of the archive.
    """
    token = _UNPACKED.set(places)
    try:
        yield
    finally:
        _UNPACKED.reset(token)


def files_without_tables(path: Path) -> list[str]:
    """What else a folder or an archive has; a folder inside a folder ends with a slash."""
    if path.is_dir():
        entries = [entry.name + "/" * entry.is_dir() for entry in sorted(path.iterdir())]
    else:
        with ZipFile(path) as archive:
            entries = [name for name in archive.namelist() if not name.endswith("/")]
    shown = [name for name in entries if not _is_hidden(name)]
    return [name for name in shown if name.endswith("/") or not _has_table(Path(name).name)]


def _is_hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return any(part.startswith((".", "~$")) or part == "__MACOSX" for part in parts)


def _tables(folder: Path, name: str) -> dict[str, Path]:
    """The files with tables in a folder; raises if two of them make the same table.

    Names that differ in capitals alone are the same: some systems cannot keep both files, and rows
    that a person has in both would count twice.
    """
    tables: dict[str, Path] = {}
    faults, first, others = Faults(name), dict[str, str](), list[str]()
    for file in sorted(folder.iterdir()):
        if _is_packed(file.name):
            faults.add(
                "is packed, and its tables would be missing: unpack it, or take it away",
                got=file.name,
            )
        if not _has_table(file.name) or not file.is_file():
            others += [file.name] if file.is_dir() and not file.name.startswith(".") else []
            continue
        known = first.setdefault(file.stem.lower(), file.name)
        if known != file.name:
            faults.add(f"makes the table {file.stem!r}, as {known} does", got=file.name)
        tables.setdefault(file.stem, file)
    if not tables:
        inside = f"; {', '.join(others)} inside it is not read" if others else ""
        faults.add(
            f"has no table; expected files that end with {', '.join(table_endings())}{inside}"
        )
    faults.raise_if_any(DataError)
    return tables


def _has_table(name: str) -> bool:
    return name.lower().endswith(table_endings()) and not name.startswith((".", "~$"))


def _is_packed(name: str) -> bool:
    """Whether a file may have tables inside that nobody reads.

    >>> [_is_packed(name) for name in ("visits.zip", "visits.csv.gz", "notes.txt.gz", ".a.zip")]
    [True, True, False, False]
    """
    inner, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix.lower()
    packed = suffix == ".zip" or (suffix in PACKED_SUFFIXES and _has_table(inner))
    return packed and not name.startswith(".")


def unpack(path: Path, folder: Path, limits: Limits = DEFAULT_LIMITS) -> int:
    """Unpack the tables of an archive into an empty folder; returns how many bytes they have.

    Raises with everything that is wrong. The tables of an archive lie together: in its root or in
    one folder. What archives of some systems have beside it (``__MACOSX``) is hidden, too.
    """
    faults, doubles = Faults(path.name), Faults(path.name)
    places, size = dict[str, str](), 0
    writes: Path | None = None
    with path.open("rb") as file:
        for piece in unzip_apart(file, limits, faults, folders=True):
            if isinstance(piece, str):
                writes = _place(piece, folder, places, doubles)
            elif writes is not None:
                size += len(piece)
                with writes.open("ab") as out:
                    out.write(piece)
    faults.extend(doubles)
    faults.raise_if_any(DataError)
    return size


def _place(member: str, folder: Path, places: dict[str, str], faults: Faults) -> Path | None:
    """Where a file of an archive goes; None if it has no table, or another has its name.

    A description of the tables goes beside them. Of a packed file, the name alone is kept.
    """
    inner = PurePosixPath(member)
    if _is_packed(inner.name):
        (folder / inner.name).touch()
    wanted = _has_table(inner.name) or inner.suffix.lower() == ".json"
    if not wanted or inner.name.startswith(".") or "__MACOSX" in inner.parts:
        return None
    if inner.name.lower() in places:
        faults.add(f"has the name of {places[inner.name.lower()]}", got=member)
        return None
    places[inner.name.lower()] = member
    place = folder / inner.name
    place.touch()
    return place
