"""Hierarchies: how values are grouped, level by level, given or derived."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast, get_args

import numpy as np
from pydantic import AfterValidator, BeforeValidator

from quintain.data import Column
from quintain.data.arrays import Array, Floats, Rows
from quintain.data.codec import encode_values
from quintain.errors import PartError
from quintain.sanitizers.masking.generalisation.classes import DistinctValues
from quintain.sanitizers.masking.mask import has_order, numeric
from quintain.wording.suggestion import suggestion

# Hierarchies: how the values of a column are grouped, from single values up to all of them.


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """The levels of a column: at each level a group number for every code.

    Level 0 has every value by itself, and the last level has one group. A missing value is in a
    group of its own below the last level. At the last level of a column that may be empty, every
    cell is missing.

    Parameters
    ----------
    levels : for each level the group of every code; groups are numbered from 0.
    given : whether somebody wrote the levels; otherwise they were derived from the data.
    """

    levels: tuple[Rows, ...]
    given: bool = False

    @classmethod
    def of(
        cls, values: DistinctValues, levels: Iterable[Rows], *, part: str = "", given: bool = False
    ) -> Hierarchy:
        """Complete the groups of the values to a hierarchy: add the first and the last level.

        Raises ``PartError`` if a level splits a group of the level below.
        """
        count = len(values.values)
        every = [np.arange(count + 1)]
        for number, level in enumerate(levels, start=1):
            _, groups = np.unique(level, return_inverse=True)
            groups = np.append(groups, groups.max(initial=-1) + 1)
            if _splits(every[-1], groups):
                raise PartError(
                    f"{part}: column {values.column.name!r}: level {number} of its hierarchy "
                    f"splits a group of level {number - 1}; each level must merge whole groups"
                )
            if given or groups.max() < every[-1].max():
                every.append(groups)
        if values.column.nullable or every[-1][:count].max(initial=0) > 0:
            every.append(np.zeros(count + 1, np.int64))
        return cls(tuple(every), given)

    @property
    def top(self) -> int:
        """The number of the last level."""
        return len(self.levels) - 1

    def bits_lost(self, counts: Rows) -> Floats:
        """For each level the bits that all records lose: log2 of group size by value size.

        References
        ----------
        Gionis and Tassa, k-Anonymization with minimal loss of information, IEEE TKDE 21 (2009):
        the non-uniform entropy measure.
        """
        occurring = counts > 0
        lost = []
        for groups in self.levels:
            sizes = np.bincount(groups, counts)[groups]
            lost.append(counts[occurring] @ np.log2(sizes[occurring] / counts[occurring]))
        return np.array(lost)

    def ranks(self) -> Rows:
        """For every code its place in an order in which each group of each level is together."""
        return np.argsort(np.lexsort(self.levels))


def _splits(below: Rows, above: Rows) -> bool:
    """Whether two codes of one group below are in different groups above."""
    first = np.zeros(below.max() + 1, np.int64)
    first[below] = above
    return bool((first[below] != above).any())


# Periods: the day, month or year in which a time lies.


Period = Literal["day", "week", "month", "quarter", "year", "decade"]
NAMES: tuple[str, ...] = get_args(Period)
PERIODS: tuple[Period, ...] = ("day", "month", "year", "decade")
"""The levels of a hierarchy of times that nobody has written; weeks lie across months."""

_STEPS: dict[Period, tuple[str, int]] = {
    "day": ("D", 1),
    "week": ("W", 1),
    "month": ("M", 1),
    "quarter": ("M", 3),
    "year": ("Y", 1),
    "decade": ("Y", 10),
}


def periods_of(times: Array, period: Period) -> Rows:
    """The number of the period of each time, which a table stores as seconds since 1970.

    >>> periods_of(np.array([0, 86_400 * 40]), "month").tolist()
    [0, 1]
    """
    unit, length = _STEPS[period]
    start = 1970 % length if unit == "Y" else 0
    numbers = times.astype("datetime64[s]").astype(f"datetime64[{unit}]").astype(np.int64)
    return (numbers + start) // length


# Derived hierarchies: groups for a column about which nobody has said anything.


HALVINGS = 4
"""The first derived level has this power of 2 as its number of intervals or frequent values."""


def derived_hierarchy(values: DistinctValues) -> Hierarchy:
    """Group the values of a column by its kind.

    Numbers and ordered categories are cut into 16 intervals with about the same number of records,
    then 8, 4 and 2. Times become days, months, years and decades. Of other categories the most
    frequent stay and the rest is merged: half of them stay but at most 16, then half of these, and
    so on.
    """
    if values.column.temporal:
        return Hierarchy.of(values, (periods_of(values.values, unit) for unit in PERIODS))
    if has_order(values.column):
        return Hierarchy.of(values, _intervals(values.counts()[:-1]))
    return Hierarchy.of(values, _frequent_and_rest(values.counts()[:-1]))


def _intervals(counts: Rows) -> Iterator[Rows]:
    middle = (np.cumsum(counts) - counts / 2) / max(1, counts.sum())
    for power in range(HALVINGS, 0, -1):
        yield np.minimum(middle * 2**power, 2**power - 1).astype(np.int64)


def _frequent_and_rest(counts: Rows) -> Iterator[Rows]:
    place = np.argsort(np.lexsort((np.arange(len(counts)), -counts)))
    kept = min(len(counts) // 2, 2**HALVINGS)
    while kept:
        yield np.minimum(place, kept)
        kept //= 2


# Given hierarchies: the levels of a column as an edition file writes them.


Groups = tuple[tuple[str, ...], ...]
Level = float | str | tuple[float, ...] | Groups | tuple[str, ...]


def _plain(levels: tuple[Level, ...]) -> tuple[Level, ...]:
    """Check what can be checked without the data: widths, cut points, and values that repeat."""
    for number, level in enumerate(levels, start=1):
        if isinstance(level, float) and not 0 < level < np.inf:
            raise ValueError(f"level {number}: the width {level:g} must be above 0")
        if isinstance(level, str) and level not in NAMES:
            raise ValueError(f"level {number}: unknown period {level!r}{suggestion(level, NAMES)}")
        if isinstance(level, tuple):
            _check_list(number, level)
    return levels


def _check_list(number: int, level: tuple[object, ...]) -> None:
    nested = bool(level) and isinstance(level[0], tuple)
    items: list[object] = list(level)
    if nested:
        items = [value for group in cast(Groups, level) for value in group]
    twice = sorted({str(item) for item in items if items.count(item) > 1})
    if not items:
        raise ValueError(f"level {number} is empty")
    if twice:
        raise ValueError(f"level {number}: {', '.join(twice)} appears twice")
    if (
        not nested
        and isinstance(items[0], float)
        and list(items) != sorted(cast(list[float], items))
    ):
        raise ValueError(f"level {number}: the cut points must be in ascending order")


def _check_shape(levels: Any) -> Any:
    """Refuse in one sentence what is not a list of levels; each kind of level would complain."""
    if not isinstance(levels, list | tuple):
        raise ValueError('the levels of a column are a list, such as [5, 10] or ["month", "year"]')
    for number, level in enumerate(levels, start=1):
        items = list(level) if isinstance(level, list | tuple) else [level]
        nested = bool(items) and all(isinstance(item, list | tuple) for item in items)
        cells = [value for item in items for value in item] if nested else items
        texts = all(isinstance(cell, str) for cell in cells)
        if not (texts or (not nested and all(_is_number(cell) for cell in cells))):
            raise ValueError(
                f"level {number} must be a width, a period, a list of cut points, or a list of "
                "groups of values, which are texts"
            )
    return levels


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


Levels = Annotated[tuple[Level, ...], AfterValidator(_plain), BeforeValidator(_check_shape)]
"""One item per level: a width, a period, a list of cut points, or a list of groups of values."""


def given_hierarchy(part: str, values: DistinctValues, levels: tuple[Level, ...]) -> Hierarchy:
    """The hierarchy that an edition file describes for a column; refuse what does not fit it."""
    groups: list[Array] = []
    for number, level in enumerate(levels, start=1):
        below = groups[-1] if groups else np.arange(len(values.values))
        width = levels[number - 2] if number > 1 else None
        try:
            groups.append(_groups(values, level, below, width))
        except ValueError as error:
            where = f"column {values.column.name!r}: level {number} of its hierarchy"
            raise PartError(f"{part}: {where}: {error}") from None
    return Hierarchy.of(values, groups, part=part, given=True)


def check_levels(part: str, column: Column, levels: tuple[Level, ...]) -> None:
    """Refuse levels that do not fit a column, as far as the schema tells without data."""
    known = np.arange(len(column.values)) if column.listed else np.zeros(0, np.int64)
    given_hierarchy(part, DistinctValues(column, known, known[:0]), levels)


def _groups(values: DistinctValues, level: Level, below: Rows, before: Level | None) -> Array:
    column, stored = values.column, values.values
    if isinstance(level, float) and numeric(column):
        if isinstance(before, float):  # from the level below, so that rounding splits no group
            return np.floor(below / _multiple(level, before))
        return np.floor((stored + column.offset) / level)
    if isinstance(level, str) and column.temporal:
        return periods_of(stored, cast(Period, level))
    if isinstance(level, tuple):
        if isinstance(level[0], tuple) and column.listed:
            return _merge(values, level, below)
        if isinstance(level[0], float) and numeric(column):
            return np.searchsorted(np.array(level), stored + column.offset, side="right")
        if isinstance(level[0], str) and column.temporal:
            cuts = np.sort(encode_values(column, level))
            return np.searchsorted(cuts, stored, side="right")
    raise ValueError(f"expected {_say_expected(column.kind)}")


def _multiple(width: float, before: float) -> int:
    times = round(width / before)
    if times < 1 or abs(width / before - times) > 1e-9 * times:
        raise ValueError(
            f"the width {width:g} is not a multiple of {before:g}, the width of the level below"
        )
    return times


def _merge(values: DistinctValues, level: Groups, below: Rows) -> Rows:
    """Give all values of a group the same number; other values stay as in the level below."""
    known = values.column.values
    place = {known[code]: at for at, code in enumerate(values.values.tolist())}
    out = below.copy()
    for number, group in enumerate(level, start=int(below.max(initial=-1)) + 1):
        for value in group:
            if value not in known:
                raise ValueError(f"unknown value {value!r}{suggestion(value, known)}")
            if value in place:
                out[place[value]] = number
    return out


def _say_expected(kind: str) -> str:
    return {
        "category": 'a list of groups of values, such as [["a", "b"], ["c", "d"]]',
        "integer": "a width such as 5, or a list of cut points such as [18, 65]",
        "real": "a width such as 0.5, or a list of cut points such as [18, 65]",
        "time": 'a period such as "month", or a list of times such as ["2020-01-01"]',
    }[kind]
