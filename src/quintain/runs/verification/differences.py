"""Differences: where a file is not what it should be, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from quintain.runs.folder.folder import Folder


def first_difference(expected: bytes, actual: bytes) -> str:
    """The first place in which two files differ.

    >>> first_difference(b"score 1", b"score 2")
    'byte 6 is 0x32, expected 0x31'
    """
    for at, (a, b) in enumerate(zip(expected, actual, strict=False)):
        if a != b:
            return f"byte {at} is 0x{b:02x}, expected 0x{a:02x}"
    return f"is {len(actual)} bytes long, expected {len(expected)}"


def difference(path: Path, expected: bytes) -> str:
    """How a file differs from what it should be; empty if it does not."""
    with path.open("rb") as file:
        actual = file.read(len(expected) + 1)  # what somebody made longer may not fit into memory
    if len(actual) > len(expected) and actual.startswith(expected):
        return f"is {path.stat().st_size} bytes long, expected {len(expected)}"
    return "" if actual == expected else first_difference(expected, actual)


def compare(folder: Folder, contents: Mapping[str, bytes]) -> Iterator[str]:
    """A sentence for each file of a folder that is not what it is when made again."""
    for name, content in contents.items():
        path = folder.at(name)
        if not path.is_file():
            yield f"{name}: is missing"
        elif how := difference(path, content):
            yield f"{name}: differs when made again: {how}"


def one_line(problem: BaseException) -> str:
    """An error as one sentence, whatever text it has."""
    first = str(problem).strip().split("\n")[0]
    return first or type(problem).__name__
