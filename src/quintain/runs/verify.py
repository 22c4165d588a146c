"""Verify: recompute commitments, submissions, scores and ranking from a revealed folder.

Anybody can run this, and it trusts no result in the folder. It computes the scores again in a
temporary folder, from the public and secret files and the submissions only.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quintain.commitment import Commitment, nonce, sha256
from quintain.errors import FolderError, QuintainError
from quintain.figures.counts import count
from quintain.jobs.executor import SERIAL, Executor
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import COMMITMENTS, LEDGER, SEEDS, committed_files
from quintain.runs.replay import Replay
from quintain.runs.score import attack_all, measure_all, ranking_files, report_file
from quintain.runs.scores.scores import Scores
from quintain.runs.submissions.ledger import receipts
from quintain.runs.submissions.receipt import GENESIS, read_line


@dataclass(frozen=True, slots=True)
class Verification:
    """How much was checked, and every problem."""

    files: int
    submissions: int
    problems: tuple[str, ...]


def verify(folder: Folder, *, executor: Executor = SERIAL, again: bool = False) -> Verification:
    """Check a revealed folder.

    Parameters
    ----------
    again : also draw every sample and run every sanitizer of the organisers again, with the
        revealed keys, and compare every byte.
    """
    folder.require_secrets()
    problems = [*_check_commitments(folder), *_check_ledger(folder)]
    if not problems:
        problems += _check_results(folder, executor)
    if again and not problems:
        problems += _check_again(folder)
    checked, submitted = len(committed_files(folder.root)), len(_ledger_lines(folder))
    return Verification(checked, submitted, tuple(problems))


def _ledger_lines(folder: Folder) -> list[bytes]:
    path = folder.at(LEDGER)
    return path.read_bytes().split(b"\n")[:-1] if path.is_file() else []


def _check_commitments(folder: Folder) -> Iterator[str]:
    try:
        key = folder.secrets().nonce_key()
        if folder.secrets().to_bytes() != folder.at(SEEDS).read_bytes():
            yield f"{SEEDS}: was rewritten; its bytes are not those that quintain writes"
    except (QuintainError, ValueError, OSError) as problem:
        yield f"{SEEDS}: cannot be read: {problem}"
        return
    covered: set[str] = set()
    paths = sorted(folder.at(COMMITMENTS).glob("*.json"))
    if not paths:
        yield f"{COMMITMENTS}: has no commitment"
    for path in paths:
        name = path.relative_to(folder.root).as_posix()
        try:
            commitment = Commitment.model_validate_json(path.read_bytes())
        except ValueError:
            yield f"{name}: cannot be read"
            continue
        if not commitment.check_root() or commitment.to_bytes() != path.read_bytes():
            yield f"{name}: the leaves do not give the root"
        covered |= set(commitment.leaves)
        yield from _check_leaves(folder, commitment, key)
    for name in committed_files(folder.root):
        if name not in covered:
            yield f"{name}: no commitment covers this file"


def _check_leaves(folder: Folder, commitment: Commitment, key: bytes) -> Iterator[str]:
    for name in sorted(commitment.leaves):
        path = folder.at(name)
        if not path.is_file():
            yield f"{name}: is missing"
        elif not commitment.check_file(name, path.read_bytes(), nonce(key, name)):
            yield f"{name}: is not the file that was committed to{_where(folder, commitment, name)}"


def _where(folder: Folder, commitment: Commitment, name: str) -> str:
    """The first byte that differs, if the committed content can be made again."""
    try:
        content = Replay(folder).content(name)
    except Exception:
        # The files that the replay reads may be damaged, too; then only the file can be named.
        return ""
    key = folder.secrets().nonce_key()
    if content is None or not commitment.check_file(name, content, nonce(key, name)):
        return ""
    return f"; {first_difference(content, folder.at(name).read_bytes())}"


def _check_ledger(folder: Folder) -> Iterator[str]:
    path, previous = folder.at(LEDGER), GENESIS
    if path.is_file() and not path.read_bytes().endswith(b"\n"):
        yield f"{LEDGER}: does not end in a line feed; the last line is cut off and does not count"
    for number, line in enumerate(_ledger_lines(folder), 1):
        try:
            receipt = read_line(line, number)
        except ValueError:
            yield f"{LEDGER}: line {number} cannot be read"
            return
        except FolderError as unknown:
            yield str(unknown)
            return
        if receipt.line().encode() != line or receipt.sealed().hash != receipt.hash:
            yield f"{LEDGER}: line {number} was altered"
        if receipt.previous != previous or receipt.number != number:
            yield f"{LEDGER}: line {number} does not follow the one before"
        previous = receipt.hash
        for name, seen in receipt.files.items():
            file = folder.at(receipt.path(name))
            if not file.is_file():
                yield f"{receipt.path(name)}: is missing"
            elif sha256(file.read_bytes()) != seen:
                yield f"{receipt.path(name)}: is not the file that the team submitted"


def _check_results(folder: Folder, executor: Executor) -> Iterator[str]:
    outdated = _outdated(folder)
    if outdated:
        yield outdated
        return
    with scratch(folder) as copy:
        attack_all(copy, executor=executor)
        submitted = receipts(copy)
        scores = Scores(copy, measure_all(copy, submitted, executor=executor).surveys)
        expected = ranking_files(copy, submitted, scores)
        if folder.at(paths.REPORT).is_file():  # the organisers may leave out the page
            expected |= report_file(copy, submitted, scores)
    for name, content in expected.items():
        path = folder.at(name)
        if not path.is_file():
            yield f"{name}: is missing"
        elif path.read_bytes() != content:
            yield f"{name}: {first_difference(content, path.read_bytes())}"


def _check_again(folder: Folder) -> Iterator[str]:
    replay = Replay(folder)
    for name in committed_files(folder.root):
        content = replay.content(name)
        actual = folder.at(name).read_bytes()
        if content is not None and content != actual:
            yield f"{name}: differs when made again: {first_difference(content, actual)}"


def first_difference(expected: bytes, actual: bytes) -> str:
    """The first place in which two files differ.

    >>> first_difference(b"score 1", b"score 2")
    'byte 6 is 0x32, expected 0x31'
    """
    for at, (a, b) in enumerate(zip(expected, actual, strict=False)):
        if a != b:
            return f"byte {at} is 0x{b:02x}, expected 0x{a:02x}"
    return f"is {len(actual)} bytes long, expected {len(expected)}"


def _outdated(folder: Folder) -> str:
    """Why there is nothing to compare: no scores, or submissions after the last scoring."""
    path = folder.at(paths.STANDINGS)
    if not any(folder.at(name).is_file() for name in (paths.STANDINGS, paths.CELLS, paths.MATRIX)):
        return f"{paths.STANDINGS}: there are no scores yet; run quintain score first"
    try:
        counted = json.loads(path.read_bytes())["submissions"]
    except (OSError, ValueError, LookupError, TypeError):
        return ""  # the comparison says what is wrong with the file
    submitted = len(_ledger_lines(folder))
    if not isinstance(counted, int) or counted >= submitted:
        return ""
    of = count(submitted, "submission")
    return f"{paths.STANDINGS}: counts only {counted} of {of}; run quintain score again"


@contextmanager
def scratch(folder: Folder) -> Iterator[Folder]:
    """The same folder with an empty cache, so that no stored result is used."""
    with tempfile.TemporaryDirectory(prefix="quintain-verify-") as name:
        for part in paths.SCORED:
            source = folder.at(part).resolve()
            if source.exists():
                (Path(name) / part).symlink_to(source)
        yield Folder(name)
