"""Hostile cards, workbooks, arrays, links and folders."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import numpy as np

from benchmarks.hostile.case import Hostile, file, folder
from quintain.runs.submissions.upload import zip_bytes

WORKBOOK = {"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b"<workbook/>"}
LAUGHS = b"<!DOCTYPE l [<!ENTITY a 'ha'>" + b"".join(
    b"<!ENTITY %c '%s'>" % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(9)
)


def arrays(_: bytes) -> bytes:
    """Zeros in NumPy's archive."""
    out = io.BytesIO()
    np.savez_compressed(out, data=np.zeros(1_000_000))
    return out.getvalue()


def array(_: bytes) -> bytes:
    """Objects in NumPy's format, which only a pickle can read."""
    out = io.BytesIO()
    np.save(out, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    return out.getvalue()


def card(id: str, words: str, content: bytes | dict[str, object]) -> Hostile:
    """An honest release with a hostile card beside it."""
    text = content if isinstance(content, bytes) else json.dumps(content).encode()

    def fill(path: Path, honest: bytes) -> None:
        (path / "release.csv").write_bytes(honest)
        (path / "card.json").write_bytes(text)

    return folder(f"json: {id}", words, fill)


def method(**fields: object) -> dict[str, object]:
    """A card with one method."""
    return {"methods": [{"name": "noise", **fields}]}


CARDS = [
    card("deep", "recursion limit", b"[" * 60_000),
    card("30 MB", "the limit is 64000", b'{"methods": [' + b" " * 30_000_000),
    card("not JSON", "Invalid JSON", b"{'a': 1}"),
    card("not UTF-8", "Invalid JSON", b'{"methods": "\xff"}'),
    card("a list", "valid dictionary", b"[]"),
    card("unknown key", "Extra inputs are not permitted", {"admin": True}),
    card("not a number", "Invalid JSON", b'{"claim": {"epsilon": NaN}}'),
    card(
        "number of 60,000 digits",
        "Invalid JSON",
        b'{"claim": {"epsilon": -' + b"9" * 60_000 + b"}}",
    ),
    card("long text", "the limit is 2000", method(detail="x" * 5000)),
    card("escape", "cannot be shown", method(detail="\x1b]0;owned\x07")),
    card("turned text", "cannot be shown", method(name="a\u202eb")),
    card("1,001 columns", "the limit is 1000", method(columns=["a"] * 1001)),
    card("101 methods", "the limit is 100", {"methods": [{"name": "a"}] * 101}),
]


def linked(path: Path, honest: bytes) -> None:
    """A link to a file of somebody else."""
    other = path.parent / "other.csv"
    other.write_bytes(honest)
    (path / "release.csv").symlink_to(other)


def hard_linked(path: Path, honest: bytes) -> None:
    """A second name for a file of somebody else."""
    other = path.parent / "other.csv"
    other.write_bytes(honest)
    (path / "release.csv").hardlink_to(other)


def named(name: str):
    """A function that writes an honest release under an odd name."""

    def fill(path: Path, honest: bytes) -> None:
        (path / name).write_bytes(honest)

    return fill


def many(path: Path, honest: bytes) -> None:
    """Thirty releases at once."""
    for i in range(30):
        (path / f"{i:02d}.csv").write_bytes(honest)


FOLDERS = [
    folder("folder: link", "is a link", linked),
    folder("folder: hard link", "several names", hard_linked),
    folder(
        "folder: link to /dev/zero", "is a link", lambda p, _: (p / "r.csv").symlink_to("/dev/zero")
    ),
    folder("folder: pipe", "is not a plain file", lambda p, _: os.mkfifo(p / "release.csv")),
    folder("folder: link to itself", "is a link", lambda p, _: (p / "r.csv").symlink_to("r.csv")),
    folder("folder: hidden file", "a name has only", named(".release.csv")),
    folder("folder: line feed in a name", "cannot be shown", named("a\nb.csv")),
    folder("folder: 30 releases", "a release is one file", many),
    folder("folder: empty", "the folder is empty", lambda *_: None),
]

DOCUMENTS = [
    file(
        "xlsx: workbook", "is an Excel workbook", lambda _: zip_bytes(WORKBOOK), name="release.xlsx"
    ),
    file("xlsx: workbook as CSV", "is an Excel workbook", lambda _: zip_bytes(WORKBOOK)),
    file(
        "xlsx: bomb",
        "is an Excel workbook",
        lambda _: zip_bytes(WORKBOOK | {"xl/sheet1.xml": b"<c/>" * 5_000_000}),
        name="release.xlsx",
    ),
    file("npz: arrays", "is a zip archive", arrays, name="release.npz"),
    file("npz: arrays as CSV", "is a zip archive", arrays),
    file("npz: arrays as zip", "a zip bomb", arrays, name="up.zip"),
    file("npy: pickle", "NUL byte", array),
    file("xml: a billion laughs", "column is missing", lambda _: LAUGHS),
    file("json: instead of a table", "column is missing", lambda _: b'{"id_user": [1]}'),
]

OTHERS: list[Hostile] = [*CARDS, *FOLDERS, *DOCUMENTS]
