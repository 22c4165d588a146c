"""Case: one hostile upload, and the words with which it must be refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Make = Callable[[Path, bytes], Path]


@dataclass(frozen=True, slots=True)
class Hostile:
    """An upload that the judge must refuse.

    Parameters
    ----------
    id : what it tries.
    words : part of the sentence that refuses it.
    make : writes the upload into a folder and returns its path; it gets an honest release.
    large : whether it takes seconds to make or to refuse, too long for the tests.
    """

    id: str
    words: str
    make: Make
    large: bool = False


def file(
    id: str,
    words: str,
    content: Callable[[bytes], bytes],
    *,
    name: str = "release.csv",
    large: bool = False,
) -> Hostile:
    """An upload of one file, whose content may be made from that of an honest release."""

    def make(folder: Path, honest: bytes) -> Path:
        path = folder / name
        path.write_bytes(content(honest))
        return path

    return Hostile(id, words, make, large)


def folder(id: str, words: str, fill: Callable[[Path, bytes], None]) -> Hostile:
    """An upload of a folder, which a function fills."""

    def make(place: Path, honest: bytes) -> Path:
        path = place / "upload"
        path.mkdir()
        fill(path, honest)
        return path

    return Hostile(id, words, make)
