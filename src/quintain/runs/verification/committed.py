"""Committed: what a contest is made from, and files that must be what others say they are.

A contest is made again from its keys, rules, own data files and the files of the teams. Everything
else in a folder follows from these and from the journal. Every commitment belongs to an event, and
every hidden file to a commitment. What everybody could read says the same as the journal.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from quintain.commitment import Commitment, nonce, sha256
from quintain.contests import Edition
from quintain.errors import NotVerified, QuintainError
from quintain.figures.format import count
from quintain.journal.checkpoint import Checkpoint
from quintain.journal.events import Event, Rules, Submitted
from quintain.journal.state import State
from quintain.runs.folder import paths
from quintain.runs.folder.closings import closing_paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.organiser_data import organiser_data_files
from quintain.runs.folder.record import committed_files, origin, stage_of
from quintain.runs.folder.rules import rules_files
from quintain.runs.folder.withheld import Withheld
from quintain.runs.submissions.checking import withheld_artefacts
from quintain.runs.submissions.counting import file_of
from quintain.runs.verification.chain import JournalChain, added_later, disagreement

_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The rules by version, what is wrong with rules and files, and what cannot be checked."""

    rules: Mapping[int, Edition]
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_inputs(
    folder: Folder, events: tuple[Event, ...], withheld: Withheld | None = None
) -> Inputs:
    """Read every version of the rules, and compare every submitted file with its hash.

    ``withheld`` is what an archive without data says of itself; see :mod:`runs.folder.withheld`.
    """
    rules: dict[int, Edition] = {}
    problems: list[str] = []
    never = 0
    for event in events:
        if isinstance(event, Rules):
            try:
                rules[event.version] = folder.rules(event.version)
            except (QuintainError, ValueError, OSError) as problem:
                problems.append(
                    f"{paths.rules(event.version)}: cannot be read: {one_line(problem)}"
                )
                continue
            problems += _wrong_rules(event, rules[event.version])
            if withheld is None:
                problems += _wrong_data(folder, rules[event.version], event.version)
        elif isinstance(event, Submitted):
            absent = _absent_files(folder, event, rules)
            never += len(absent)
            problems += _wrong_files(folder, event, absent)
    return Inputs(rules, tuple(problems), tuple(_notes(never)))


def _absent_files(folder: Folder, event: Submitted, rules: Mapping[int, Edition]) -> set[str]:
    """The files of a submission that are not there because the rules never publish them."""
    last = rules.get(max(rules, default=0))
    never = () if last is None else withheld_artefacts(last, event)
    return {
        name
        for name in never
        if _DIGEST.fullmatch(event.files[name]) and not folder.at(file_of(event, name)).is_file()
    }


def _notes(never: int) -> Iterator[str]:
    if never:
        files = count(never, "submitted file")
        yield f"{files} could not be checked: the rules publish only the hash"


def _wrong_rules(event: Rules, rules: Edition) -> Iterator[str]:
    """A version of the rules must be what its event names, as far as it is public."""
    name = paths.rules(event.version)
    if sha256(rules_files(rules, event.version)[name]) != event.rules:
        yield f"{name}: are not the rules that event {event.number} of the journal names"


def _wrong_data(folder: Folder, rules: Edition, version: int) -> Iterator[str]:
    """The organisers' own data files must be those whose checksums the rules give."""
    for name, expected in organiser_data_files(rules, version).items():
        if not folder.at(name).is_file():
            yield f"{name}: is missing"
        elif folder.digest(name) != expected:
            yield f"{name}: is not the file of the rules: SHA-256 is {folder.digest(name)}"


def _wrong_files(folder: Folder, event: Submitted, absent: Collection[str]) -> Iterator[str]:
    for name, digest in event.files.items():
        if name in absent:
            continue
        if not _DIGEST.fullmatch(digest):
            yield f"{paths.JOURNAL}: line {event.number}: {digest[:40]!r} is not the hash of a file"
            continue
        place = file_of(event, name)
        path = folder.at(place)
        if not path.is_file():
            yield f"{place}: is missing"
        elif folder.digest(place) != digest:
            yield f"{place}: is not the file that the team submitted"


# --- commitments ----------------------------------------------------------------------------------


@dataclass(slots=True)
class Committed:
    """What the commitments of a folder say about its files.

    Parameters
    ----------
    problems : what is wrong with the commitments themselves, and files without a commitment.
    damaged : what is wrong with files that were committed to, by their path.
    leaves : the paths that each stage commits to.
    withheld : the paths of an archive without data whose files are not in it.
    """

    problems: list[str] = field(default_factory=list)
    damaged: dict[str, str] = field(default_factory=dict)
    leaves: dict[str, set[str]] = field(default_factory=dict)
    withheld: set[str] = field(default_factory=set)

    def all_problems(self) -> list[str]:
        """Every problem as a sentence that begins with the file."""
        return [*self.problems, *(f"{name}: {text}" for name, text in self.damaged.items())]


def check_commitments(
    folder: Folder, events: tuple[Event, ...], key: bytes | Withheld
) -> Committed:
    """Compare every commitment with its event, and every file with its leaf.

    Parameters
    ----------
    key : the key of all nonces, or what an archive without data has instead.
    """
    out, files = Committed(), set(committed_files(folder.root))
    stages = dict(made for event in events if (made := stage_of(event)))
    out.problems += _extra(folder, set(stages))
    for stage, root in stages.items():
        commitment = _read(folder, stage, root, out)
        if commitment is not None:
            out.leaves[stage] = set(commitment.leaves)
            if isinstance(key, Withheld):
                absent = set(commitment.leaves) - files
                out.withheld |= {name for name in absent if paths.is_withheld(name)}
            out.damaged |= dict(_find_damage(folder, commitment, key, files | out.withheld))
    covered = {name for names in out.leaves.values() for name in names}
    out.problems += [f"{n}: no commitment covers this file" for n in sorted(files - covered)]
    return out


def _extra(folder: Folder, stages: set[str]) -> Iterator[str]:
    for path in sorted(folder.at(paths.COMMITMENTS).glob("*")):
        if path.suffix != ".json" or path.stem not in stages:
            name = path.relative_to(folder.root).as_posix()
            yield f"{name}: no event of the journal made this commitment"


def _read(folder: Folder, stage: str, root: str, out: Committed) -> Commitment | None:
    name, path = paths.commitment(stage), folder.at(paths.commitment(stage))
    try:
        content = path.read_bytes() if path.is_file() else b""  # reading a pipe would never end
        commitment = Commitment.model_validate_json(content)
        whole = commitment.check_root() and commitment.to_bytes() == content
    except (OSError, ValueError, TypeError):
        out.problems.append(f"{name}: is missing or cannot be read")
        return None
    if not whole:
        out.problems.append(f"{name}: the leaves do not give the root")
    if commitment.root != root:
        out.problems.append(f"{name}: the root is not the one in the journal")
    return commitment


def _find_damage(
    folder: Folder, commitment: Commitment, key: bytes | Withheld, files: set[str]
) -> Iterator[tuple[str, str]]:
    """What is wrong with committed files; ``files`` are those that are there, or may be absent."""
    for name in sorted(commitment.leaves):
        if name not in files:
            yield name, "is missing"
        elif not folder.at(name).is_file():
            continue  # the rules keep it secret
        elif not (salt := key.nonce_of(name) if isinstance(key, Withheld) else nonce(key, name)):
            yield name, f"its nonce is not in {paths.WITHHELD}"
        elif not commitment.check_digest(name, folder.digest(name), salt):
            yield name, "is not the file that was committed to"


# --- public files ---------------------------------------------------------------------------------


def check_published(
    folder: Folder, chain: JournalChain, state: State, last: Edition
) -> Iterator[str]:
    """Every public copy that says something else than its source; ``last`` are the last rules."""
    pairs = zip(chain.events, chain.lines, strict=True)
    public = [line for event, line in pairs if not isinstance(event, Submitted)]
    expected = {
        paths.RULES: rules_files(last, len(state.rules))[paths.RULES],
        paths.EVENTS: b"".join(line + b"\n" for line in public),
    }
    if state.beacon:
        expected[paths.BEACON] = state.beacon.encode()
    yield from compare(folder, expected)
    if not state.beacon and folder.at(paths.BEACON).exists():
        yield f"{paths.BEACON}: the journal names no beacon"
    for name in (paths.CHECKPOINT, *closing_paths(folder.root)):
        yield from _wrong_checkpoint(folder, name, chain, state.key, origin(last))
    yield from _strange_files(folder)
    yield from _wrong_standings(folder, state)


def _wrong_checkpoint(
    folder: Folder, name: str, chain: JournalChain, key: str, expected: str
) -> Iterator[str]:
    """Why a published checkpoint, which ``expected`` should have signed, is not about a journal."""
    path = folder.at(name)
    if not path.is_file():
        yield f"{name}: is missing"
        return
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        yield f"{name}: is not text"
        return
    try:
        checkpoint = Checkpoint.read(text, key)
    except NotVerified as problem:
        yield f"{name}: {problem}"
        return
    roots = chain.roots()
    for fault in (
        *disagreement(checkpoint, expected, roots),
        *added_later(checkpoint, chain.events),
    ):
        yield f"{name}: {fault}"


def _strange_files(folder: Folder) -> Iterator[str]:
    """Files beside the closings that are neither closings nor timestamps of them."""
    closings = closing_paths(folder.root)
    expected = {*closings, *map(paths.timestamp, closings)}
    for name in paths.files_below(folder.root, paths.CHECKPOINTS):
        if name not in expected:
            yield f"{name}: is neither the checkpoint of a phase nor a timestamp of one"


def _wrong_standings(folder: Folder, state: State) -> Iterator[str]:
    path = folder.at(paths.STANDINGS)
    if state.revealed is None or not path.is_file():
        return
    if folder.digest(paths.STANDINGS) != state.revealed.standings:
        yield f"{paths.STANDINGS}: are not the standings that the journal names at the end"


# --- differences, in words ------------------------------------------------------------------------


def compare(folder: Folder, contents: Mapping[str, bytes]) -> Iterator[str]:
    """A sentence for each file of a folder that is not what it is when made again."""
    for name, content in contents.items():
        path = folder.at(name)
        if not path.is_file():
            yield f"{name}: is missing"
        elif how := difference(path, content):
            yield f"{name}: differs when made again: {how}"


def difference(path: Path, expected: bytes) -> str:
    """How a file differs from what it should be; empty if it does not."""
    with path.open("rb") as file:
        actual = file.read(len(expected) + 1)  # what somebody made longer may not fit into memory
    if len(actual) > len(expected) and actual.startswith(expected):
        return f"is {path.stat().st_size} bytes long, expected {len(expected)}"
    return "" if actual == expected else first_difference(expected, actual)


def first_difference(expected: bytes, actual: bytes) -> str:
    """The first place in which two files differ.

    >>> first_difference(b"score 1", b"score 2")
    'byte 6 is 0x32, expected 0x31'
    """
    for at, (a, b) in enumerate(zip(expected, actual, strict=False)):
        if a != b:
            return f"byte {at} is 0x{b:02x}, expected 0x{a:02x}"
    return f"is {len(actual)} bytes long, expected {len(expected)}"


def one_line(problem: BaseException) -> str:
    """An error as one sentence, whatever text it has."""
    first = str(problem).strip().split("\n")[0]
    return first or type(problem).__name__
