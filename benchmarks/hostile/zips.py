"""Hostile archives: paths that lead out, sizes that lie, directories without end."""

from __future__ import annotations

import io
import struct
import warnings
import zipfile
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.hostile.case import Hostile, file
from quintain.runs.submissions.upload import zip_bytes

NAME = "release.csv"
END = b"PK\x05\x06"


def packed(
    *members: tuple[str, bytes], mode: int = 0o644, method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """An archive, even of members that no honest program would pack together."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as archive:
        warnings.simplefilter("ignore")
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = mode << 16, method
            archive.writestr(info, content)
    return out.getvalue()


def named(name: str):
    """A function that packs an honest release under another name."""
    return lambda honest: packed((name, honest))


def renamed(before: str, after: bytes):
    """A function that overwrites a name by another one of the same length."""
    return lambda honest: packed((before, honest)).replace(before.encode(), after)


def patched(at: int, value: bytes, signature: bytes = b"PK\x01\x02"):
    """A function that overwrites a field in the entry of an honest release."""

    def make(honest: bytes) -> bytes:
        content = bytearray(packed((NAME, honest)))
        start = content.index(signature) + at
        content[start : start + len(value)] = value
        return bytes(content)

    return make


def encrypted(honest: bytes) -> bytes:
    """The flag of encryption in both headers."""
    return patched(8, b"\x01")(honest).replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01")


def method(number: int):
    """A function that claims another method of compression."""
    value = struct.pack("<H", number)

    def make(honest: bytes) -> bytes:
        content = bytearray(patched(10, value)(honest))
        content[8:10] = value
        return bytes(content)

    return make


def damaged(compression: int):
    """A function that breaks the compressed bytes of a release."""

    def make(honest: bytes) -> bytes:
        content = bytearray(packed((NAME, honest), method=compression))
        content[200:400] = bytes(range(200))
        return bytes(content)

    return make


def endless_directory(entries: int, claimed: int):
    """A function that makes a directory of empty entries."""
    entry = b"PK\x01\x02" + bytes(42)
    size = struct.pack("<L", 46 * entries)
    end = END + bytes(4) + struct.pack("<HH", claimed, claimed) + size + bytes(6)
    return lambda _: entry * entries + end


def overlapping(honest: bytes) -> bytes:
    """300 entries of the directory that all unpack the same bytes."""
    content = packed((NAME, b"1" * 2_000_000))
    start, end = content.index(b"PK\x01\x02"), content.index(END)
    entry = content[start:end]
    entries = b"".join(entry.replace(b"release", b"r%06d" % i) for i in range(300))
    tail = END + bytes(4) + struct.pack("<HHLLH", 300, 300, len(entries), start, 0)
    return content[:start] + entries + tail


def padded(line: bytes, size: int):
    """A function that packs a repeated line just below the ratio of a bomb."""

    def make(_: bytes) -> bytes:
        noise = np.random.default_rng(0).bytes(size // 199)
        return packed((NAME, HEADER + line * (size // len(line))), ("noise.csv", noise))

    return make


HEADER = b"id_user,date,hours,id_item,price,qty\n"


def sparse(folder: Path, _: bytes) -> Path:
    """600 MB that take no room on the disk."""
    path = folder / "up.zip"
    with path.open("wb") as out:
        out.truncate(600_000_000)
    return path


upload = partial(file, name="up.zip")
OUT = "leads out of the archive"
UNREADABLE = "cannot be read as a zip file"
ODD_NAMES = [
    upload("zip: path above", OUT, named("../../secret/edition.json")),
    upload("zip: absolute path", OUT, named("/etc/passwd")),
    upload("zip: backslashes", OUT, named("..\\..\\secret.csv")),
    upload("zip: drive letter", OUT, named("C:release.csv")),
    upload("zip: folder", "must be in the root", named("sub/release.csv")),
    upload("zip: dot as folder", "empty folder name", named("./release.csv")),
    upload("zip: hidden name", "a name has only", named(".r.csv")),
    upload("zip: option as name", "a name has only", named("-rf.csv")),
    upload("zip: turned name", "cannot be shown", named("r\u202evsc.csv")),
    upload("zip: escape in a name", "cannot be shown", named("r\x1b[2J.csv")),
    upload(
        "zip: NUL in a name", "cannot be shown", renamed("release.csv.exe", b"release.csv\0exe")
    ),
    upload("zip: name of 300 bytes", "the limit is 200", named("r" * 300)),
    upload("zip: letters of elsewhere", "a name has only", named("rélease.csv")),
    upload("zip: name twice", "appears twice", lambda h: packed((NAME, h), (NAME, h))),
    upload(
        "zip: name in two cases", "appears twice", lambda h: packed((NAME, h), ("Release.csv", h))
    ),
    upload("zip: two names for one file", UNREADABLE, patched(30, b"R", b"PK\x03\x04")),
    upload(
        "zip: symbolic link", "a symbolic link", lambda _: packed((NAME, b"/etc"), mode=0o120777)
    ),
    upload("zip: device", "is not a plain file", lambda _: packed((NAME, b""), mode=0o020666)),
    upload("zip: pipe", "is not a plain file", lambda _: packed((NAME, b""), mode=0o010666)),
]

ODD_SIZES = [
    upload("zip: empty", "the archive is empty", lambda _: zip_bytes({})),
    upload(
        "zip: 2,001 files",
        "the limit is 2000",
        lambda _: zip_bytes({str(i): b"" for i in range(2001)}),
    ),
    upload("zip: bomb of 100 MB", "looks like a zip bomb", lambda _: packed((NAME, bytes(10**8)))),
    upload("zip: overlapping files", "looks like a zip bomb", overlapping),
    upload("zip: zip in a zip", "is a zip archive", lambda h: packed((NAME, packed((NAME, h))))),
    upload("zip: understated size", UNREADABLE, patched(24, struct.pack("<L", 100))),
    upload("zip: overstated size", UNREADABLE, patched(24, struct.pack("<L", 90_000))),
    upload(
        "zip: size of 4 GB", "the limit is 500000000", patched(24, struct.pack("<L", 2**32 - 2))
    ),
    upload("zip: directory of 2 million", "2000000 files", endless_directory(2_000_000, 1)),
    upload(
        "zip: directory longer than the file", UNREADABLE, patched(12, b"\xff\xff\xff\x7f", END)
    ),
    Hostile("zip: 600 MB of nothing", "the limit is 502000000", sparse),
    upload(
        "zip: 190 MB of line feeds in 1 MB",
        "the limit is 2000000",
        padded(b"\n", 190_000_000),
        large=True,
    ),
    upload(
        "zip: 189 MB of short rows in 1 MB",
        "the limit is 2000000",
        padded(b",,\n", 189_000_000),
        large=True,
    ),
]

DAMAGED = [
    upload("zip: encrypted", "is encrypted", encrypted),
    upload("zip: wrong checksum", UNREADABLE, patched(16, b"\x01\x02\x03\x04")),
    upload("zip: unknown method", UNREADABLE, method(99)),
    upload("zip: broken deflate", UNREADABLE, damaged(zipfile.ZIP_DEFLATED)),
    upload("zip: broken bzip2", UNREADABLE, damaged(zipfile.ZIP_BZIP2)),
    upload("zip: broken LZMA", UNREADABLE, damaged(zipfile.ZIP_LZMA)),
    upload("zip: cut short", "is a zip archive", lambda h: packed((NAME, h))[:-30]),
]

ZIPS: list[Hostile] = [*ODD_NAMES, *ODD_SIZES, *DAMAGED]
