"""Zip members: the files of an archive from outside, one after the other, with every check.

Nothing is unpacked before the whole directory of the archive is checked. The directory itself is
counted before it is read, since a reader needs memory for every entry.
"""

from __future__ import annotations

import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO

from quintain.data.files.limits import Limits
from quintain.errors import Faults
from quintain.wording.languages import tell

_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    IndexError,
    OSError,
    ValueError,
)
_CHUNK = 1 << 20
_BLOCK = 1 << 24
_NAME_BYTES = 200
"""The longest name that every file system accepts, with room for a prefix and a suffix."""
_END, _ENTRY = b"PK\x05\x06", b"PK\x01\x02"
_LOCATOR, _END_64 = b"PK\x06\x07", b"PK\x06\x06"
_TAIL = 22 + (1 << 16)
"""The end of an archive is within this many bytes: 22, and a comment."""


_CLUTTER = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
"""Files that desktops put beside the files of people."""


def is_clutter(path: str) -> bool:
    """Whether a desktop put a file into a folder or an archive by itself.

    >>> is_clutter("__MACOSX/._answers.csv"), is_clutter(".DS_Store"), is_clutter("answers.csv")
    (True, True, False)
    """
    parts = path.split("/")
    return parts[0] == "__MACOSX" or parts[-1] in _CLUTTER


def members(
    file: BinaryIO, limits: Limits, faults: Faults, *, folders: bool = False
) -> Iterator[str | bytes]:
    """For every file its path, followed by its content in pieces; nothing if there is a fault.

    A fault may also come up while a file is unpacked. ``folders``: whether the archive may have
    folders.
    """
    try:
        size = file.seek(0, os.SEEK_END)
        if not _check_directory(file, size, limits, faults):
            return
        with zipfile.ZipFile(file) as archive:
            infos = [
                info
                for info in archive.infolist()
                if not info.is_dir() and not is_clutter(info.filename)
            ]
            _check_infos(infos, size, limits, faults, folders)
            for info in infos if not faults else ():
                yield info.filename
                yield from _chunks(archive, info)
    except _UNREADABLE as problem:
        faults.add(tell("cannot be read as a zip file: %(problem)s", problem=problem))


def _chunks(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """The content of one file in pieces; raises if it is not as long as the directory says."""
    left = info.file_size
    with archive.open(info) as member:
        while chunk := member.read(min(_CHUNK, left + 1)):
            left -= len(chunk)
            if left < 0:
                break
            yield chunk
    if left:
        raise zipfile.BadZipFile(f"{info.filename} is not as long as the archive says")


def _check_directory(file: BinaryIO, size: int, limits: Limits, faults: Faults) -> bool:
    """Count the entries of the directory without reading them; folders are entries, too."""
    start, length = _directory(file, size)
    file.seek(start)
    entries, rest = 0, b""
    while length > 0 and (block := file.read(min(length, _BLOCK))):
        # A signature inside a name or a comment makes the count larger, never smaller.
        entries += (rest + block).count(_ENTRY)
        length, rest = length - len(block), block[1 - len(_ENTRY) :]
    if entries > 2 * limits.archive_members:
        faults.add(
            tell(
                "%(entries)s files and folders; the limit is %(most)s files",
                entries=entries,
                most=limits.archive_members,
            )
        )
        return False
    return True


def _directory(file: BinaryIO, size: int) -> tuple[int, int]:
    """Where the directory of an archive begins, and its length."""
    tail_size = min(size, _TAIL)
    file.seek(size - tail_size)
    tail = file.read(tail_size)
    at = tail_size - 22 if tail[-22:].startswith(_END) else tail.rfind(_END)
    if at < 0 or len(tail) < at + 22:
        raise zipfile.BadZipFile("File is not a zip file")
    (length,) = struct.unpack_from("<L", tail, at + 12)
    end = size - tail_size + at
    if at >= 76 and tail.startswith(_LOCATOR, at - 20) and tail.startswith(_END_64, at - 76):
        (length,) = struct.unpack_from("<Q", tail, at - 76 + 40)
        end -= 76
    if length > end:
        raise zipfile.BadZipFile("Bad magic number for central directory")
    return end - length, length


def _check_infos(
    infos: list[zipfile.ZipInfo], packed: int, limits: Limits, faults: Faults, folders: bool
) -> None:
    """Check the directory of an archive before anything is unpacked.

    A directory that understates a size makes the reader stop at that size and fail, so a limit on
    the declared sizes limits what is unpacked.
    """
    if not infos:
        faults.add(tell("the archive is empty"))
    if len(infos) > limits.archive_members:
        faults.add(
            tell("%(n)s files; the limit is %(most)s", n=len(infos), most=limits.archive_members)
        )
        return
    total = sum(info.file_size for info in infos)
    if total > limits.archive_bytes:
        faults.add(
            tell(
                "unpacks to %(total)s bytes; the limit is %(most)s",
                total=total,
                most=limits.archive_bytes,
            )
        )
    if total > limits.archive_ratio * packed and total > _CHUNK:
        faults.add(
            tell(
                "unpacks to %(times)s times its size; it looks like a zip bomb",
                times=f"{total / packed:.0f}",
            )
        )
    seen: set[str] = set()
    for info in infos:
        check_path(info.orig_filename, faults, folders=folders)
        _check_info(info, limits, faults)
        if info.filename.lower() in seen:
            faults.add(tell("appears twice"), got=info.filename)
        seen.add(info.filename.lower())
    parents = {str(parent) for name in seen for parent in PurePosixPath(name).parents}
    for name in sorted(seen & parents - {"."}):
        faults.add(tell("is a file and a folder"), got=name)


def _check_info(info: zipfile.ZipInfo, limits: Limits, faults: Faults) -> None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        faults.add(tell("a symbolic link"), got=info.filename)
    elif kind not in (0, stat.S_IFREG):
        faults.add(tell("is not a plain file"), got=info.filename)
    if info.flag_bits & 1:
        faults.add(tell("is encrypted"), got=info.filename)
    if info.file_size > limits.file_bytes:
        faults.add(tell("more than %(most)s bytes", most=limits.file_bytes), got=info.filename)


def check_path(name: str, faults: Faults, *, folders: bool) -> None:
    """Check that a path means the same file on every machine, below the root of the archive."""
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or "\\" in name or ":" in parts[0]:
        faults.add(tell("a path that leads out of the archive"), got=name)
    elif "" in parts or "." in parts:
        faults.add(tell("a path with '.' or an empty folder name"), got=name)
    elif len(parts) > 1 and not folders:
        faults.add(tell("files must be in the root of the archive"), got=name)
    if not name.isprintable():
        faults.add(tell("a name with characters that cannot be shown"), got=name)
    elif len(name.encode()) > _NAME_BYTES:
        faults.add(
            tell(
                "a name of %(n)s bytes; the limit is %(most)s",
                n=len(name.encode()),
                most=_NAME_BYTES,
            ),
            got=name,
        )
