"""Verify: recompute commitments, submissions, scores and ranking from a revealed folder.

Anybody can run this, and it trusts no result in the folder. It computes the scores again in a
temporary folder, from the public and secret files and the submissions only.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quintain.commitment import Commitment, nonce, sha256
from quintain.errors import NotVerified, QuintainError
from quintain.figures.counts import count
from quintain.jobs.executor import SERIAL, Executor
from quintain.journal.events import GENESIS, Event, Submitted, read_event
from quintain.journal.file_store import FileStore
from quintain.journal.state import State
from quintain.journal.tree import leaf_hash
from quintain.runs.folder import paths
from quintain.runs.folder.commitments import stage_of
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import COMMITMENTS, JOURNAL, SEEDS, committed_files
from quintain.runs.score import attack_all, measure_all, ranking_files, report_file
from quintain.runs.scores.scores import Scores
from quintain.runs.submissions.submitted import file_of, submissions
from quintain.runs.verification.replay import committed_contents


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
    again : also draw every sample, run every sanitizer of the organisers and hand every release
        over again, with the revealed keys, and compare every byte.
    """
    folder.require_secrets()
    problems = list(_check_journal(folder)) or list(_check_commitments(folder))
    if not problems:
        problems += _check_results(folder, executor)
    if again and not problems:
        problems += _check_again(folder)
    checked = len(committed_files(folder.root))
    return Verification(checked, len(_submitted(folder)), tuple(problems))


def _lines(folder: Folder) -> list[bytes]:
    path = folder.at(JOURNAL)
    return list(FileStore(path).lines()) if path.is_file() else []


def _submitted(folder: Folder) -> list[bytes]:
    return [line for line in _lines(folder) if b'"event": "submitted"' in line]


def _events(folder: Folder) -> list[Event]:
    return list(map(read_event, _lines(folder)))


def _check_journal(folder: Folder) -> Iterator[str]:
    path, previous = folder.at(JOURNAL), GENESIS
    if not path.is_file():
        yield f"{JOURNAL}: is missing"
        return
    if not path.read_bytes().endswith(b"\n"):
        yield f"{JOURNAL}: does not end in a line feed; the last line is cut off and does not count"
    for number, line in enumerate(_lines(folder), 1):
        try:
            event = read_event(line)
        except NotVerified as problem:
            yield f"{JOURNAL}: line {number}: {problem}"
            return
        if event.line() != line or event.previous != previous or event.number != number:
            yield f"{JOURNAL}: line {number} does not follow the one before"
        previous = leaf_hash(line).hex()
        if isinstance(event, Submitted):
            yield from _check_files(folder, event)


def _check_files(folder: Folder, event: Submitted) -> Iterator[str]:
    for name, digest in event.files.items():
        file = folder.at(file_of(event, name))
        if not file.is_file():
            yield f"{file_of(event, name)}: is missing"
        elif sha256(file.read_bytes()) != digest:
            yield f"{file_of(event, name)}: is not the file that the team submitted"


def _check_commitments(folder: Folder) -> Iterator[str]:
    try:
        key = folder.committed_secrets().nonce_key()
    except (QuintainError, ValueError, OSError) as problem:
        yield f"{SEEDS}: cannot be read: {problem}"
        return
    covered: set[str] = set()
    stages = dict(made for event in _events(folder) if (made := stage_of(event)))
    for path in sorted(folder.at(COMMITMENTS).glob("*.json")):
        if path.stem not in stages:
            yield f"{paths.commitment(path.stem)}: no event of the journal made this commitment"
    for stage, root in stages.items():
        name = paths.commitment(stage)
        try:
            content = folder.at(name).read_bytes()
            commitment = Commitment.model_validate_json(content)
            whole = commitment.check_root() and commitment.to_bytes() == content
        except (OSError, ValueError):
            yield f"{name}: is missing or cannot be read"
            continue
        if not whole:
            yield f"{name}: the leaves do not give the root"
        if commitment.root != root:
            yield f"{name}: the root is not the one in the journal"
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
            yield f"{name}: is not the file that was committed to"


def _check_results(folder: Folder, executor: Executor) -> Iterator[str]:
    outdated = _outdated(folder)
    if outdated:
        yield outdated
        return
    with scratch(folder) as copy:
        attack_all(copy, executor=executor)
        submitted = submissions(copy)
        scores = Scores(copy, measure_all(copy, submitted, executor=executor).surveys)
        expected = ranking_files(copy, submitted, scores)
        if folder.at(paths.REPORT).is_file():  # the organisers may leave out the page
            expected |= report_file(copy, submitted, scores)
    yield from _compare(folder, expected)


def _check_again(folder: Folder) -> Iterator[str]:
    state = State()
    for event in _events(folder):
        stage = stage_of(event)
        if stage is not None:
            content = folder.at(paths.commitment(stage[0])).read_bytes()
            left = set(Commitment.model_validate_json(content).leaves)
            left.discard(paths.checksums(stage[0]))
            for contents in committed_contents(folder, event, state):
                left -= set(contents)
                yield from _compare(folder, contents)
            yield from (f"{name}: nothing in the rules makes this file" for name in sorted(left))
        state = state.after(event)


def _compare(folder: Folder, contents: Mapping[str, bytes]) -> Iterator[str]:
    for name, content in contents.items():
        path = folder.at(name)
        if not path.is_file():
            yield f"{name}: is missing"
        elif path.read_bytes() != content:
            difference = first_difference(content, path.read_bytes())
            yield f"{name}: differs when made again: {difference}"


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
    submitted = len(_submitted(folder))
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
