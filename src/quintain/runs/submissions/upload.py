"""Uploads: a file, a folder or a zip from outside, read as names and contents with every check."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from quintain.data import Limits
from quintain.data.files.foreign import recognised
from quintain.errors import Faults, SubmissionError
from quintain.runs.submissions.packing import zip_bytes

UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    IndexError,
    OSError,
    ValueError,
)
_CHUNK = 1 << 20
_NAME_BYTES = 200
"""The longest name that every file system accepts, with room for a prefix and a suffix."""


def read_upload(path: Path, limits: Limits, *, program: bool = False) -> dict[str, bytes]:
    """The files of an upload by name; raises with every reason to refuse it.

    A ``program`` is always one zip; a folder or a Python file is packed into one.
    """
    faults = Faults(path.name)
    files: dict[str, bytes] = {}
    if program and (path.is_dir() or path.suffix == ".py"):
        files = {f"{path.resolve().stem}.zip": zip_bytes(_sources(path, limits, faults))}
    elif path.is_dir():
        members = sorted(p for p in path.iterdir() if p.is_file())
        files = {p.name: content for p in members if (content := _plain(p, limits, faults))}
        if not files:
            faults.add("the folder is empty")
    elif not path.is_file():
        faults.add("the file does not exist")
    elif not program and zipfile.is_zipfile(path) and path.suffix == ".zip":
        files = unzip(path.read_bytes(), limits, faults)
    elif program and path.suffix != ".zip":
        faults.add("a program is a zip, a folder or a file with a name that ends in .py")
    else:
        content = _plain(path, limits, faults)
        files = {} if content is None else {path.name: content}
    for name, content in files.items():
        _check_name(name, faults)
        if not program:
            _check_kind(name, content, faults)
    faults.raise_if_any(SubmissionError)
    return files


def _sources(path: Path, limits: Limits, faults: Faults) -> dict[str, bytes]:
    """The files of a program that is not packed yet, without Python's cache folders."""
    top = path if path.is_dir() else path.parent
    members = sorted(path.rglob("*")) if path.is_dir() else [path]
    wanted = [p for p in members if p.is_file() and "__pycache__" not in p.parts]
    read = {p.relative_to(top).as_posix(): _plain(p, limits, faults) for p in wanted}
    for name in read:
        _check_name(name, faults)
    if faults:
        return {}
    return {name: content for name, content in read.items() if content is not None}


def _plain(path: Path, limits: Limits, faults: Faults) -> bytes | None:
    size = path.stat().st_size
    if size > limits.file_bytes:
        faults.add(f"{path.name} has {size} bytes; the limit is {limits.file_bytes}")
        return None
    return path.read_bytes()


def unzip(
    content: bytes, limits: Limits, faults: Faults, *, folders: bool = False
) -> dict[str, bytes]:
    """The files of an archive by path; notes faults. ``folders``: whether it may have folders."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            _check_members(infos, len(content), limits, faults, folders)
            if faults:
                return {}
            return {info.filename: _read_member(archive, info) for info in infos}
    except UNREADABLE as problem:
        faults.add(f"cannot be read as a zip file: {problem}")
        return {}


def _check_members(
    infos: list[zipfile.ZipInfo], packed: int, limits: Limits, faults: Faults, folders: bool
) -> None:
    """Check the directory of an archive before anything is unpacked.

    A directory that understates a size makes the reader stop at that size and fail, so a limit on
    the declared sizes limits what is unpacked.
    """
    if not infos:
        faults.add("the archive is empty")
    if len(infos) > limits.archive_members:
        faults.add(f"{len(infos)} files; the limit is {limits.archive_members}")
        return
    total = sum(info.file_size for info in infos)
    if total > limits.archive_bytes:
        faults.add(f"unpacks to {total} bytes; the limit is {limits.archive_bytes}")
    if total > limits.archive_ratio * packed and total > _CHUNK:
        faults.add(f"unpacks to {total / packed:.0f} times its size; it looks like a zip bomb")
    seen: set[str] = set()
    for info in infos:
        _check_path(info.filename, faults, folders)
        _check_name(info.filename, faults)
        if stat.S_ISLNK(info.external_attr >> 16):
            faults.add("a symbolic link", got=info.filename)
        if info.flag_bits & 1:
            faults.add("is encrypted", got=info.filename)
        if info.filename.lower() in seen:
            faults.add("appears twice", got=info.filename)
        if info.file_size > limits.file_bytes:
            faults.add(f"more than {limits.file_bytes} bytes", got=info.filename)
        seen.add(info.filename.lower())
    parents = {str(parent) for name in seen for parent in PurePosixPath(name).parents}
    for name in sorted(seen & parents - {"."}):
        faults.add("is a file and a folder", got=name)


def _check_path(name: str, faults: Faults, folders: bool) -> None:
    """Check that a path means the same file on every machine, below the root of the archive."""
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or "\\" in name or ":" in parts[0]:
        faults.add("a path that leads out of the archive", got=name)
    elif "" in parts or "." in parts:
        faults.add("a path with '.' or an empty folder name", got=name)
    elif len(parts) > 1 and not folders:
        faults.add("files must be in the root of the archive", got=name)


def _check_name(name: str, faults: Faults) -> None:
    """Check that a name can be stored on this machine and shown in a message."""
    if not name.isprintable():
        faults.add("a name with characters that cannot be shown", got=ascii(name))
    elif len(name.encode()) > _NAME_BYTES:
        faults.add(f"a name of {len(name.encode())} bytes; the limit is {_NAME_BYTES}", got=name)


def _check_kind(name: str, content: bytes, faults: Faults) -> None:
    """Refuse a file that is neither CSV nor Parquet; its cells are checked later."""
    kind = recognised(content)
    if kind == "a zip archive":
        faults.add("is a zip archive; its name must end in .zip", got=name)
    elif kind is not None and not (kind == "a Parquet file" and name.endswith(".parquet")):
        faults.add(f"is {kind}; expected CSV or Parquet files, or a zip of them", got=name)


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as member:
        content = member.read(info.file_size + 1)
    if len(content) != info.file_size:
        raise zipfile.BadZipFile(f"{info.filename} is not as long as the archive says")
    return content
