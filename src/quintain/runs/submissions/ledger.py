"""Ledger: one line per accepted submission, in a file that only grows.

Each line names the hash of the line before, so nobody can change, remove or insert a line without
breaking the chain. A submission is accepted once its line and its files are on the disk; only then
does its team get a receipt. A line that a crash cut off was never accepted; the next submission
moves it out of the ledger.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from quintain.commitment import sha256
from quintain.contests import Track
from quintain.jobs.files import FileCache, make_folder, sync_folder, write_file
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, parsed
from quintain.runs.submissions.receipt import FORMAT, GENESIS, Receipt, read_line


def receipts(folder: Folder) -> list[Receipt]:
    """Every accepted submission, in order."""
    path = folder.at(paths.LEDGER)
    return list(_ledgers(path).receipts) if path.is_file() else []


def cut_off_line(folder: Folder) -> bytes:
    """What follows the last whole line: the beginning of a line if a crash cut it off."""
    path = folder.at(paths.LEDGER)
    return path.read_bytes().rpartition(b"\n")[2] if path.is_file() else b""


class _Ledger(NamedTuple):
    """The whole lines of a ledger, and what they say."""

    lines: bytes
    receipts: list[Receipt]


def _read(path: Path) -> _Ledger:
    """Read a ledger; of one that was read before, only the lines that were appended since."""
    earlier = _ledgers.last(path) or _Ledger(b"", [])

    def parse(content: bytes) -> _Ledger:
        lines = content[: content.rfind(b"\n") + 1]  # what follows was never accepted
        known = earlier if lines.startswith(earlier.lines) else _Ledger(b"", [])
        new = lines[len(known.lines) :].split(b"\n")[:-1]
        start = len(known.receipts) + 1
        receipts = [read_line(line, number) for number, line in enumerate(new, start)]
        return _Ledger(lines, known.receipts + receipts)

    return parsed(path, parse)


_ledgers = FileCache(_read, 2)
"""The ledgers that were read last: scoring looks at its ledger several times."""


def append(
    folder: Folder, earlier: list[Receipt], receipt: Receipt, files: Mapping[str, bytes]
) -> Receipt:
    """Number, chain and store a submission; the caller has locked before it read ``earlier``."""
    fields = {
        "format": FORMAT,
        "number": len(earlier) + 1,
        "files": {name: sha256(content) for name, content in sorted(files.items())},
        "previous": earlier[-1].hash if earlier else GENESIS,
    }
    receipt = receipt.model_copy(update=fields).sealed()
    for name, content in files.items():
        write_file(folder.at(receipt.path(name)), content, durable=True)
    _set_aside(folder)
    # The line comes last: before it is on the disk, nothing was submitted.
    _add_line(folder.at(paths.LEDGER), receipt.line().encode() + b"\n")
    return receipt


def record(
    folder: Folder,
    track: Track,
    kind: Literal["release", "guess"],
    team: str,
    files: Mapping[str, bytes],
    *,
    made_by: Receipt,
) -> Receipt:
    """Store what a team's program made, as a submission with the time of the program."""
    fields = {"kind": kind, "made_by": made_by.number, "track": track.id, "team": team}
    with locked(folder):
        return append(folder, receipts(folder), made_by.model_copy(update=fields), files)


@contextmanager
def locked(folder: Folder) -> Iterator[None]:
    """Let one submission in at a time, so that two cannot get the same number."""
    path = folder.at(paths.LEDGER_LOCK)
    make_folder(path.parent, durable=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _add_line(path: Path, line: bytes) -> None:
    is_new = not path.exists()
    with path.open("ab") as ledger:
        size = ledger.tell()
        try:
            ledger.write(line)
            ledger.flush()
            os.fsync(ledger.fileno())
        except OSError:
            os.ftruncate(ledger.fileno(), size)  # a full disk must not leave half a line
            raise
    if is_new:
        sync_folder(path.parent)


def _set_aside(folder: Folder) -> None:
    """Move a line that a crash cut off out of the ledger; its team never got a receipt."""
    line = cut_off_line(folder)
    if line:
        ledger = folder.at(paths.LEDGER)
        with folder.at(paths.CUT_OFF).open("ab") as aside:
            aside.write(line + b"\n")
        os.truncate(ledger, ledger.stat().st_size - len(line))
