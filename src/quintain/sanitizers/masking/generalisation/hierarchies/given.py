"""Given hierarchies: the levels of a column as an edition file writes them."""

from __future__ import annotations

from typing import Annotated, Any, cast

import numpy as np
from pydantic import AfterValidator, BeforeValidator

from quintain.data import Column
from quintain.data.arrays import Array, Rows
from quintain.data.codec import encode_values
from quintain.errors import PartError
from quintain.sanitizers.masking.columns import numeric
from quintain.sanitizers.masking.generalisation.hierarchies.hierarchy import Hierarchy
from quintain.sanitizers.masking.generalisation.hierarchies.periods import NAMES, Period, periods_of
from quintain.sanitizers.masking.generalisation.values import DistinctValues
from quintain.suggestion import suggestion

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


def _shaped(levels: Any) -> Any:
    """Refuse in one sentence what is no list of levels; each kind of level would complain."""
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


Levels = Annotated[tuple[Level, ...], AfterValidator(_plain), BeforeValidator(_shaped)]
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
    known = np.arange(len(column.values)) if column.kind == "category" else np.zeros(0, np.int64)
    given_hierarchy(part, DistinctValues(column, known, known[:0]), levels)


def _groups(values: DistinctValues, level: Level, below: Rows, before: Level | None) -> Array:
    column, stored = values.column, values.values
    if isinstance(level, float) and numeric(column):
        if isinstance(before, float):  # from the level below, so that rounding splits no group
            return np.floor(below / _multiple(level, before))
        return np.floor((stored + column.offset) / level)
    if isinstance(level, str) and column.kind == "time":
        return periods_of(stored, cast(Period, level))
    if isinstance(level, tuple):
        if isinstance(level[0], tuple) and column.kind == "category":
            return _merged(values, level, below)
        if isinstance(level[0], float) and numeric(column):
            return np.searchsorted(np.array(level), stored + column.offset, side="right")
        if isinstance(level[0], str) and column.kind == "time":
            cuts = np.sort(encode_values(column, level))
            return np.searchsorted(cuts, stored, side="right")
    raise ValueError(f"expected {_expected(column.kind)}")


def _multiple(width: float, before: float) -> int:
    times = round(width / before)
    if times < 1 or abs(width / before - times) > 1e-9 * times:
        raise ValueError(
            f"the width {width:g} is not a multiple of {before:g}, the width of the level below"
        )
    return times


def _merged(values: DistinctValues, level: Groups, below: Rows) -> Rows:
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


def _expected(kind: str) -> str:
    return {
        "category": 'a list of groups of values, such as [["a", "b"], ["c", "d"]]',
        "integer": "a width such as 5, or a list of cut points such as [18, 65]",
        "real": "a width such as 0.5, or a list of cut points such as [18, 65]",
        "time": 'a period such as "month", or a list of times such as ["2020-01-01"]',
    }[kind]
