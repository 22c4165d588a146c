"""Uploads: a file, a folder or a zip from outside, read as names and contents with every check."""

from __future__ import annotations

import io
import os
import re
import stat
import zipfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

from quintain.data import Limits
from quintain.data.files.foreign import file_kind
from quintain.data.files.subprocess_reader import unzip_apart
from quintain.data.files.zip_members import check_path, is_clutter
from quintain.errors import Faults, SubmissionError
from quintain.wording.languages import tell

# Packing: zip files whose bytes depend on their contents only, not on time or machine.


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    """A zip of files by path, in order of path, without dates."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, files[name])
    return out.getvalue()


# Names: what a file of a submission may be called, wherever it comes from.


LONGEST = 200
"""The longest name that every file system accepts, with room for a prefix and a suffix."""
_STORED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def checked_names(files: Iterable[str], faults: Faults) -> None:
    """Note every name that could mean another file than it shows, or another one elsewhere.

    Names come from a command line, from a zip or from the header of a request. Each is refused
    unless it is plain: no path, no hidden file, nothing that cannot be shown or typed.

    >>> faults = Faults("upload")
    >>> checked_names(["answers.csv", "../seeds.json", ".r.csv"], faults)
    >>> faults.total
    2
    """
    seen: set[str] = set()
    for name in files:
        if not name.isprintable():
            faults.add(tell("a name with characters that cannot be shown"), got=name)
        elif len(name.encode()) > LONGEST:
            size = len(name.encode())
            faults.add(
                tell("a name of %(n)s bytes; the limit is %(most)s", n=size, most=LONGEST),
                got=name,
            )
        elif not _STORED.fullmatch(name):
            faults.add(
                tell(
                    "a name has only the letters A to Z, digits, '.', '_' and '-', and begins with "
                    "a letter or a digit"
                ),
                got=name,
            )
        if name.lower() in seen:
            faults.add(tell("appears twice"), got=name)
        seen.add(name.lower())


def read_upload(
    path: Path, limits: Limits, *, program: bool = False, artefacts: Collection[str] = ()
) -> dict[str, bytes]:
    """The files of an upload by name; raises with every reason to refuse it.

    A ``program`` is always one zip; a folder or a Python file is packed into one. ``artefacts`` are
    the names of files that may be of any kind.
    """
    faults = Faults(path.name)
    files: dict[str, bytes] = {}
    if program and (path.is_dir() or path.suffix == ".py"):
        files = {_zip_name(path): zip_bytes(_sources(path, limits, faults))}
    elif path.is_dir():
        files = _members(path, limits, faults)
    elif program and path.suffix != ".zip" and path.is_file():
        faults.add(tell("a program is a zip, a folder or a file with a name that ends in .py"))
    else:
        files = _single(path, limits, faults, program)
    _check_files(files, limits, faults, program, artefacts)
    return files


def read_program(path: Path, limits: Limits) -> dict[str, bytes]:
    """The files of a program by path, from a Python file, a folder or a zip; raises with faults."""
    (packed,) = read_upload(path, limits, program=True).values()
    faults = Faults(path.name)
    files = unzip(packed, limits, faults, folders=True)
    faults.raise_if_any(SubmissionError)
    return files


def read_sent(
    sent: Mapping[str, bytes],
    limits: Limits,
    *,
    program: bool = False,
    artefacts: Collection[str] = (),
) -> dict[str, bytes]:
    """The files of a submission that came over the network; see :func:`read_upload`.

    Either one zip was sent, or every file by itself. A program is one zip; a Python file is packed.
    """
    faults = Faults()
    files = dict(sent)
    names = list(sent)
    if program and len(names) == 1 and names[0].endswith(".py"):
        files = {_zip_name(Path(names[0])): zip_bytes(files)}
    elif program and (len(names) != 1 or not names[0].endswith(".zip")):
        faults.add(tell("a program is one zip, or one file with a name that ends in .py"))
    elif not program and len(names) == 1 and names[0].endswith(".zip"):
        packed = Faults(names[0])
        if zipfile.is_zipfile(io.BytesIO(sent[names[0]])):
            files = unzip(sent[names[0]], limits, packed)
        faults.extend(packed)
    _check_files(files, limits, faults, program, artefacts)
    return files


def _check_files(
    files: Mapping[str, bytes],
    limits: Limits,
    faults: Faults,
    program: bool,
    artefacts: Collection[str],
) -> None:
    """Refuse files with names, sizes or kinds that no submission can have."""
    checked_names(files, faults)
    for name, content in files.items():
        if len(content) > limits.file_bytes:
            faults.add(
                tell(
                    "%(name)s has %(n)s bytes; the limit is %(most)s",
                    name=name,
                    n=len(content),
                    most=limits.file_bytes,
                )
            )
        elif not program and name not in artefacts:
            _check_kind(name, content, faults)
    faults.raise_if_any(SubmissionError)


def _members(path: Path, limits: Limits, faults: Faults) -> dict[str, bytes]:
    """The files in a folder; folders inside it are left out."""
    files: dict[str, bytes] = {}
    for member in sorted(path.iterdir()):
        if is_clutter(member.name):
            continue
        if member.is_symlink() or not member.is_dir():
            content = _plain(member, limits.file_bytes, faults)
            if content:
                files[member.name] = content
    if not files and not faults:
        faults.add(tell("the folder is empty"))
    return files


def _single(path: Path, limits: Limits, faults: Faults, program: bool) -> dict[str, bytes]:
    """The one file, or the files of the zip."""
    if not path.is_symlink() and not path.exists():
        faults.add(tell("the file does not exist"))
        return {}
    packed = not program and path.suffix == ".zip"
    content = _plain(path, limits.packed_bytes if packed else limits.file_bytes, faults)
    if content is None:
        return {}
    if packed and zipfile.is_zipfile(io.BytesIO(content)):
        return unzip(content, limits, faults)
    return {path.name: content}


def _zip_name(path: Path) -> str:
    """The name of the zip that a folder or a file is packed into.

    >>> _zip_name(Path("/home/red/My hider"))
    'My-hider.zip'
    """
    return re.sub(r"[^A-Za-z0-9._]+", "-", path.resolve().stem).strip("-._") + ".zip"


def _sources(path: Path, limits: Limits, faults: Faults) -> dict[str, bytes]:
    """The files of a program that is not packed yet, without Python's cache folders."""
    top = path if path.is_dir() else path.parent
    members = sorted(path.rglob("*")) if path.is_dir() else [path]
    wanted = [
        p for p in members if "__pycache__" not in p.parts and (p.is_symlink() or not p.is_dir())
    ]
    read = {p.relative_to(top).as_posix(): _plain(p, limits.file_bytes, faults) for p in wanted}
    for name in read:
        check_path(name, faults, folders=True)
    return (
        {} if faults else {name: content for name, content in read.items() if content is not None}
    )


def _plain(path: Path, most: int, faults: Faults) -> bytes | None:
    """The content of a plain file; a link could lead to a file that the sender may not read."""
    try:
        with _open_file(path) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                faults.add(tell("is not a plain file"), got=path.name)
            elif status.st_nlink > 1:
                faults.add(
                    tell("has several names (hard links); submit a copy of it"), got=path.name
                )
            elif status.st_size > most:
                faults.add(
                    tell(
                        "%(name)s has %(n)s bytes; the limit is %(most)s",
                        name=path.name,
                        n=status.st_size,
                        most=most,
                    )
                )
            else:
                return file.read(status.st_size)
    except OSError as problem:
        link = path.is_symlink()
        reason = (
            tell("is a link; submit the file itself")
            if link
            else tell("cannot be read: %(problem)s", problem=problem)
        )
        faults.add(reason, got=path.name)
    return None


def _open_file(path: Path) -> BinaryIO:
    # Opening a pipe would wait for its writer.
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")


def unzip(
    content: bytes, limits: Limits, faults: Faults, *, folders: bool = False
) -> dict[str, bytes]:
    """The files of an archive by path; notes faults. ``folders``: whether it may have folders."""
    files: dict[str, io.BytesIO] = {}
    name = ""
    for part in unzip_apart(content, limits, faults, folders=folders):
        if isinstance(part, str):
            name = part
        files.setdefault(name, io.BytesIO()).write(b"" if isinstance(part, str) else part)
    return {} if faults else {name: file.getvalue() for name, file in files.items()}


def _check_kind(name: str, content: bytes, faults: Faults) -> None:
    """Refuse a file that is neither CSV nor Parquet; its cells are checked later."""
    kind = file_kind(content)
    if kind == "a zip archive" and not name.endswith(".zip"):
        faults.add(tell("is a zip archive; its name must end in .zip"), got=name)
    elif kind is not None and not (kind == "a Parquet file" and name.endswith(".parquet")):
        faults.add(
            tell("is %(kind)s; expected CSV or Parquet files, or a zip of them", kind=tell(kind)),
            got=name,
        )
