"""Columns that a release writes otherwise: the common column, the way to it, the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import MISSING_TIME, Floats
from quintain.data.column import Column
from quintain.data.kinds import as_table
from quintain.data.learning.decisions import number_column, time_column
from quintain.data.learning.facts import MOST_VALUES
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.matching.match import (
    LEAST_OVERLAP,
    RELEASE,
    Match,
    Relabelled,
    Rewriting,
    count_texts,
    percent,
    share_known,
)
from quintain.data.learning.matching.numbers import (
    FARTHEST,
    LEAST_AMONG,
    InUnit,
    UnitChange,
    largest_difference,
    match_unit,
)
from quintain.data.learning.matching.texts import match_prefixes, match_spelling, relabel
from quintain.data.learning.matching.times import match_part
from quintain.data.schema import Schema
from quintain.data.table import Table

SUPPRESSED = "*"
"""How a release writes a value that it does not tell."""

_FEWEST = 20
"""With fewer rows than this on either side, numbers and dates that differ prove nothing."""
_WIDER, _NARROWER = 0.25, 0.25
"""Released numbers within the others' range, or nearly, that span a part of it are in its unit."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A column under a match: what it is for all tables, and what becomes of their cells."""

    column: Column
    rewriting: Rewriting
    match: Match


def match_column(
    name: str, columns: Mapping[str, Column], tables: Sequence[InputTable]
) -> Matched | str | None:
    """The column under a match.

    A text says why its numbers cannot be compared; None means that the column is not written
    otherwise, or that nothing matches.

    Parameters
    ----------
    columns : by role, the column as each table writes it.
    """
    release = columns[RELEASE]
    others = [column for role, column in columns.items() if role != RELEASE]
    if all(column == release for column in others):
        return None
    if all(column.temporal for column in others) and not release.identifying:
        return _dates(name, *_read(columns, tables))
    if not all(column.listed or column.numeric for column in (release, *others)):
        return None
    if all(column.numeric for column in (release, *others)):
        return None if _same_range(release, others) else _numbers(name, *_read(columns, tables))
    if {value for column in others for value in column.values} >= set(release.values) != set():
        return None
    return _texts(name, *_read(columns, tables))


def _read(columns: Mapping[str, Column], tables: Sequence[InputTable]) -> tuple[list[Table], Table]:
    """The column of the other tables and of the release, as each of them writes it."""
    read = {}
    for table in tables:
        read[table.role] = as_table(table.read(Schema(columns=(columns[table.role],))))
    return [data for role, data in read.items() if role != RELEASE], read[RELEASE]


def _texts(name: str, others: list[Table], release: Table) -> Matched | None:
    """Words in another spelling, or the beginnings of codes."""
    known, released = count_texts(others, name), count_texts([release], name)
    if SUPPRESSED not in known:
        released.pop(SUPPRESSED, None)
    before = share_known(released, known)
    if before == 1 or len(known) > MOST_VALUES:
        return None
    spelled = match_spelling(known, released)
    after = share_known(relabel(released, spelled), known)
    if spelled and after > LEAST_OVERLAP:
        says = (
            f"The column {name!r} is matched after folding capitals, accents, spaces and "
            f"punctuation: {_evidence(after, before)}"
        )
        match = Match(name, "spelling", says, after, before)
        return _label_cells(match, others, release, {text: text for text in known}, spelled)
    if after > LEAST_OVERLAP:
        return None
    cut, own = match_prefixes(known, released)
    if not cut:
        return None
    after = share_known(relabel(released, own), relabel(known, cut))
    example = max(own, key=lambda text: (released[text], text))
    says = (
        f"The released values of the column {name!r}, such as {example!r}, are the beginnings of "
        f"values of the other tables, which are cut off likewise: {_evidence(after, before)}"
    )
    return _label_cells(Match(name, "prefix", says, after, before, True), others, release, cut, own)


def _label_cells(
    match: Match,
    others: Sequence[Table],
    release: Table,
    cut: Mapping[str, str],
    own: Mapping[str, str],
) -> Matched:
    """The common category, in which every text has its label; without a label, it is its own."""
    known, released = count_texts(others, match.column), count_texts([release], match.column)
    hidden = {SUPPRESSED} - set(known)
    labels = [
        {text: labels.get(text, text) for text in counts if text not in hidden}
        for counts, labels in ((released, own), (known, cut))
    ]
    values = tuple(sorted({label for side in labels for label in side.values()}))
    nullable = any(table.schema[match.column].nullable for table in (*others, release))
    column = Column(
        name=match.column,
        kind="category",
        values=values,
        nullable=nullable or bool(hidden & set(released)),
    )
    places = {value: place for place, value in enumerate(values)}
    codes = [{text: places[label] for text, label in side.items()} for side in labels]
    return Matched(column, Relabelled(*codes), match)


def _dates(name: str, others: list[Table], release: Table) -> Matched | None:
    """Years, quarters, months or days, where the other tables have finer times."""
    if min(len(release), sum(map(len, others))) < _FEWEST:
        return None
    best = match_part([table.columns[name] for table in others], release, name)
    if best is None:
        return None
    part, after, before = best
    seconds = [part.contents(table, name, role) for table, role in _with_roles(others, release)]
    present = np.concatenate([own[own != MISSING_TIME] for own in seconds])
    nullable = any((own == MISSING_TIME).any() for own in seconds)
    form = part.part.form
    column = time_column(
        name, int(present.min()), int(present.max()), form, nullable=bool(nullable)
    )
    says = (
        f"The column {name!r} has the {part.part.name} alone in the release, so all tables are "
        f"compared by the {part.part.name}: {_evidence(after, before)}"
    )
    return Matched(column, part, Match(name, "date", says, after, before, True))


def _numbers(name: str, others: list[Table], release: Table) -> Matched | str | None:
    """Numbers in another unit; or why they cannot be compared."""
    pool = _present(np.concatenate([table.numbers(name) for table in others]))
    released = _present(release.numbers(name))
    if min(len(pool), len(released)) < _FEWEST:
        return None
    change = match_unit(pool, released)
    if change is None:
        among = np.mean((pool.min() <= released) & (released <= pool.max()))
        if largest_difference(pool, released) <= FARTHEST or among > LEAST_AMONG:
            return None
        return (
            f"hardly any of its released numbers, from {released.min():g} to {released.max():g}, "
            "is as large as those of the other tables: are they in another unit?"
        )
    both = np.concatenate(change.apply(pool, released))
    whole = bool((both == np.rint(both)).all())
    nullable = any(np.isnan(table.numbers(name)).any() for table in (*others, release))
    column = number_column(
        name, float(both.min()), float(both.max()), whole=whole, nullable=nullable
    )
    says = (
        f"The numbers of the column {name!r} are in another unit in the release: "
        f"{_equation(change)}. {_evidence(change.known, change.as_written)}"
    )
    match = Match(
        name, "unit", says, change.known, change.as_written, coarser=bool(change.rounding)
    )
    return Matched(column, InUnit(change, column), match)


def _same_range(release: Column, others: Sequence[Column]) -> bool:
    """Whether the bounds alone show that the numbers are in the same unit."""
    low, high = release.bounds
    lows, highs = ([column.bounds[end] for column in others] for end in (0, 1))
    if low is None or high is None or None in lows or None in highs:
        return False
    first = min(bound for bound in lows if bound is not None)
    last = max(bound for bound in highs if bound is not None)
    span = last - first
    within = first - _WIDER * span <= low and high <= last + _WIDER * span
    return within and high - low >= _NARROWER * span


def _equation(change: UnitChange) -> str:
    """What a release did to numbers, as people write it."""
    if change.slope < 1 and not change.intercept:
        right = f"released = original / {_number(1 / change.slope)}"
    else:
        sign = "-" if change.intercept < 0 else "+"
        more = f" {sign} {_number(abs(change.intercept))}" if change.intercept else ""
        right = f"released = {_number(change.slope)} x original{more}"
    rounded = {"": "", "down": ", rounded down", "nearest": ", rounded"}
    return right + rounded[change.rounding]


def _number(value: float) -> str:
    return f"{value:.6g}"


def _evidence(after: float, before: float) -> str:
    return (
        f"{percent(after)} of its released cells have a value of the other tables then, "
        f"{percent(before)} as written."
    )


def _with_roles(others: Sequence[Table], release: Table) -> list[tuple[Table, str]]:
    return [*((table, "") for table in others), (release, RELEASE)]


def _present(numbers: Floats) -> Floats:
    return numbers[~np.isnan(numbers)]
