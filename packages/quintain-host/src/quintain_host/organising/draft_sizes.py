"""Draft sizes: numbers in an edition file that no machine of a site could work with.

They are found before anything is drawn or computed. A person with a large machine of their own can
run such a contest on the command line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from quintain.contests import Edition, Track
from quintain.contests.fields import SanitizerGrid
from quintain.data import Schema
from quintain.data.files.toml_lines import KeyPath, key_lines
from quintain.errors import Fault
from quintain.runs.folder import paths

MOST = 10_000_000
"""The largest number of records, people, targets, rounds and whatever else an edition counts."""

MOST_BYTES = 2**31
MOST_PEOPLE = 10**10
"""Of the whole population that a measure assumes; nobody draws it."""

MOST_ENTRIES = 1000
"""How many entries the grids of a track may have."""

MOST_RECORDS = 10**10
"""Records times entries times repetitions of a track."""


def large_grids(table: Mapping[str, Any], text: str) -> list[Fault]:
    """A fault for every grid with too many combinations; to read such a file takes them all."""
    lines, faults = key_lines(text), []
    for at, value in walk(table):
        if at[-1] == "grid" and isinstance(value, Mapping):
            number = math.prod(len(part) for part in value.values() if isinstance(part, list))
            if number > MOST_ENTRIES:
                message = f"{number:,} combinations; the limit on this site is {MOST_ENTRIES:,}"
                faults.append(_fault(message, lines, at, number))
    return faults


def absurd_sizes(edition: Edition, table: Mapping[str, Any], text: str) -> list[Fault]:
    """A fault for every number of an edition that is too large for a site."""
    lines = key_lines(text)
    written = {(at[-1], value): at for at, value in walk(table) if isinstance(value, int)}
    faults = []
    for at, number in _counts(edition, ()):
        most = _limit(str(at[-1]))
        if number > most:
            message = f"the limit on this site is {most:,}"
            faults.append(_fault(message, lines, written.get((at[-1], number), at), number))
    return faults or [fault for track in edition.track for fault in _products(track)]


def _products(track: Track) -> Iterator[Fault]:
    records, entries = track.population_size or 1, max(1, len(track.entries))
    if records * entries * track.repeats > MOST_RECORDS:
        yield Fault(
            f"track {track.id}: {records:,} records, {entries:,} entries and {track.repeats:,} "
            f"repetitions make {records * entries * track.repeats:,} records to sanitize; the "
            f"limit on this site is {MOST_RECORDS:,}",
            paths.EDITION,
        )


def _limit(name: str) -> int:
    if name.endswith("bytes"):
        return MOST_BYTES
    return MOST_PEOPLE if name == "population" else MOST


def walk(value: Any, at: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Every value in a table of TOML, with the keys that lead to it."""
    if at:
        yield at, value
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from walk(inner, (*at, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from walk(inner, (*at, number))


def _counts(value: Any, at: KeyPath) -> Iterator[tuple[KeyPath, int]]:
    """Every whole number of the rules; numbers of a schema are values of people, not counts."""
    if isinstance(value, SanitizerGrid):
        yield from _counts(dict(value.entries()), at)
    elif isinstance(value, BaseModel) and not isinstance(value, Schema):
        for name in type(value).model_fields:
            yield from _counts(getattr(value, name), (*at, name))
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _counts(inner, (*at, key))
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _counts(inner, (*at, number))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield at, value


def _fault(message: str, lines: Mapping[KeyPath, int], at: KeyPath, number: int) -> Fault:
    line = next((lines[at[:end]] for end in range(len(at), 0, -1) if at[:end] in lines), None)
    return Fault(message, paths.EDITION, line, ".".join(map(str, at)), f"{number:,}")
