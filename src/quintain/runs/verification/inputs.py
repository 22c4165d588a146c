"""Inputs: what a contest is made from again: keys, rules, own data files, files of the teams.

Everything else in a folder follows from these and from the journal, so only these are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from quintain.commitment import sha256
from quintain.contests import Edition
from quintain.errors import QuintainError
from quintain.journal.events import Event, Rules, Submitted
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.own_data import own_data_files
from quintain.runs.folder.rules import rules_files
from quintain.runs.submissions.submitted import file_of
from quintain.runs.verification.differences import one_line

_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The rules by version, and everything that is wrong with rules and submitted files."""

    rules: Mapping[int, Edition]
    problems: tuple[str, ...]


def read_inputs(folder: Folder, events: tuple[Event, ...]) -> Inputs:
    """Read every version of the rules, and compare every submitted file with its hash."""
    rules: dict[int, Edition] = {}
    problems: list[str] = []
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
            problems += _wrong_files(folder, event)
    return Inputs(rules, tuple(problems))


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


def _wrong_files(folder: Folder, event: Submitted) -> Iterator[str]:
    for name, digest in event.files.items():
        if not _DIGEST.fullmatch(digest):
            yield f"{paths.JOURNAL}: line {event.number}: {digest[:40]!r} is no hash of a file"
            continue
        place = file_of(event, name)
        path = folder.at(place)
        if not path.is_file():
            yield f"{place}: is missing"
        elif folder.digest(place) != digest:
            yield f"{place}: is not the file that the team submitted"
