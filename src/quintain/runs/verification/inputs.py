"""Inputs: what a contest is made from again: keys, rules, own data files, files of the teams.

Everything else in a folder follows from these and from the journal, so only these are read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from quintain.commitment import sha256
from quintain.contests import Edition
from quintain.errors import QuintainError
from quintain.figures.counts import count
from quintain.journal.events import Event, Rules, Submitted
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.own_data import own_data_files
from quintain.runs.folder.rules import rules_files
from quintain.runs.submissions.artefacts import withheld_artefacts
from quintain.runs.submissions.submitted import file_of
from quintain.runs.verification.differences import one_line

_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The rules by version, what is wrong with rules and files, and what cannot be checked."""

    rules: Mapping[int, Edition]
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_inputs(folder: Folder, events: tuple[Event, ...]) -> Inputs:
    """Read every version of the rules, and compare every submitted file with its hash."""
    rules: dict[int, Edition] = {}
    problems: list[str] = []
    withheld = 0
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
            problems += _wrong_data(folder, rules[event.version], event.version)
        elif isinstance(event, Submitted):
            absent = _absent(folder, event, rules)
            withheld += len(absent)
            problems += _wrong_files(folder, event, absent)
    return Inputs(rules, tuple(problems), tuple(_notes(withheld)))


def _absent(folder: Folder, event: Submitted, rules: Mapping[int, Edition]) -> set[str]:
    """The files of a submission that are not there because the rules never publish them."""
    last = rules.get(max(rules, default=0))
    never = () if last is None else withheld_artefacts(last, event)
    return {
        name
        for name in never
        if _DIGEST.fullmatch(event.files[name]) and not folder.at(file_of(event, name)).is_file()
    }


def _notes(withheld: int) -> Iterator[str]:
    if withheld:
        files = count(withheld, "submitted file")
        yield f"{files} could not be checked: the rules publish only the hash"


def _wrong_rules(event: Rules, rules: Edition) -> Iterator[str]:
    """A version of the rules must be what its event names, as far as it is public."""
    name = paths.rules(event.version)
    if sha256(rules_files(rules, event.version)[name]) != event.rules:
        yield f"{name}: are not the rules that event {event.number} of the journal names"


def _wrong_data(folder: Folder, rules: Edition, version: int) -> Iterator[str]:
    """The organisers' own data files must be those whose checksums the rules give."""
    for name, expected in own_data_files(rules, version).items():
        if not folder.at(name).is_file():
            yield f"{name}: is missing"
        elif folder.digest(name) != expected:
            yield f"{name}: is not the file of the rules: SHA-256 is {folder.digest(name)}"


def _wrong_files(folder: Folder, event: Submitted, absent: Collection[str]) -> Iterator[str]:
    for name, digest in event.files.items():
        if name in absent:
            continue
        if not _DIGEST.fullmatch(digest):
            yield f"{paths.JOURNAL}: line {event.number}: {digest[:40]!r} is no hash of a file"
            continue
        place = file_of(event, name)
        path = folder.at(place)
        if not path.is_file():
            yield f"{place}: is missing"
        elif folder.digest(place) != digest:
            yield f"{place}: is not the file that the team submitted"
