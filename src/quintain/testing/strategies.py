"""Hypothesis strategies for schemas, tables, readings and results.

They draw only valid objects. Install Hypothesis yourself; ``quintain`` does not require it::

    from hypothesis import given
    from quintain.testing.strategies import tables

    @given(tables(discrete=True, min_rows=1))
    def test_my_sanitizer_keeps_the_schema(table): ...

Texts are unusual on purpose (commas, quotes, spaces at the ends, letters from many scripts), values
are missing where a column allows it, and ties and equal rows are common.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.data.column import KindName, find_kind
from quintain.measures import Direction, Reading
from quintain.rankings import Contestant, Entry, Results

KINDS: tuple[KindName, ...] = ("category", "integer", "real", "time", "id")
LARGEST_INTEGER = 10**15
"""The largest integer drawn for a column without bounds; bounds are floats, exact up to 2**53."""

_ODD = st.sampled_from(list(",;\"' \\/#-=.é|ß中😀"))
_CHARACTERS = st.one_of(_ODD, st.characters(categories=("L", "N", "P", "S", "Zs")))
_DIRECTIONS: st.SearchStrategy[Direction] = st.sampled_from(["higher", "lower"])
_DAY = "%Y-%m-%d"
_SECOND = "%Y-%m-%dT%H:%M:%SZ"


def texts(*, max_size: int = 6) -> st.SearchStrategy[str]:
    """Texts that fit in one line of a file: no control characters, never empty."""
    return st.text(_CHARACTERS, min_size=1, max_size=max_size)


@st.composite
def columns(
    draw: st.DrawFn,
    *,
    name: str | None = None,
    kinds: tuple[KindName, ...] = KINDS,
    discrete: bool = False,
    nullable: bool | None = None,
) -> Column:
    """A column of a drawn kind, with drawn values or bounds.

    Parameters
    ----------
    kinds : the kinds to draw from.
    discrete : draw only columns with a finite domain.
    nullable : whether values may be missing; drawn if None.
    """
    allowed = [k for k in kinds if k in ("category", "integer")] if discrete else list(kinds)
    kind = draw(st.sampled_from(allowed))
    facts: dict[str, Any] = {"name": draw(texts()) if name is None else name, "kind": kind}
    bounded = discrete or draw(st.booleans())
    its = find_kind(kind)
    if its.listed:
        facts["values"] = tuple(draw(st.lists(texts(), min_size=1, max_size=6, unique=True)))
        facts["ordered"] = draw(st.booleans())
    if its.whole:
        least = draw(st.integers(-1000, 1000))
        most = least + draw(st.integers(0, 30))
        facts.update(_some_bounds(draw, least, most, both=bounded))
    if its.numeric and not its.whole and bounded:
        low, high = sorted(draw(st.tuples(_real(None, None), _real(None, None))))
        facts.update(_some_bounds(draw, low, high, both=False))
    if its.temporal:
        facts["time_format"] = draw(st.sampled_from([_DAY, _SECOND]))
    if _may_miss(Column(**facts)):
        facts["nullable"] = draw(st.booleans()) if nullable is None else nullable
    return Column(**facts)


@st.composite
def schemas(
    draw: st.DrawFn,
    *,
    min_columns: int = 1,
    max_columns: int = 5,
    kinds: tuple[KindName, ...] = KINDS,
    discrete: bool = False,
    nullable: bool | None = None,
) -> Schema:
    """The schema of a plain table; the parameters are those of :func:`columns`."""
    names = draw(st.lists(texts(), min_size=min_columns, max_size=max_columns, unique=True))
    drawn = [
        draw(columns(name=name, kinds=kinds, discrete=discrete, nullable=nullable))
        for name in names
    ]
    return Schema(columns=tuple(drawn))


def cells(column: Column) -> st.SearchStrategy[Any]:
    """Plain values of a column; None among them if values may be missing."""
    if column.listed:
        values: st.SearchStrategy[Any] = st.sampled_from(column.values)
    elif column.whole:
        values = _integer(column.low, column.high)
    elif column.fractional:
        values = _real(column.low, column.high)
    elif column.temporal:
        moments = st.datetimes(datetime(1600, 1, 1), datetime(2400, 1, 1))
        values = moments.map(lambda moment: moment.strftime(column.time_format))
    else:
        values = texts()
    return st.one_of(st.none(), values) if column.nullable and _may_miss(column) else values


@st.composite
def tables(
    draw: st.DrawFn,
    schema: Schema | None = None,
    *,
    min_rows: int = 0,
    max_rows: int = 12,
    discrete: bool = False,
    nullable: bool | None = None,
) -> Table:
    """A table with the given schema; without one, the schema is drawn, too."""
    if schema is None:
        schema = draw(schemas(discrete=discrete, nullable=nullable))
    rows = draw(st.integers(min_rows, max_rows))
    values = {
        column.name: draw(st.lists(cells(column), min_size=rows, max_size=rows))
        for column in schema.columns
    }
    table = Table.of(schema, values)
    if rows and draw(st.booleans()):  # drawing row by row hardly ever gives equal rows
        again = draw(st.lists(st.integers(0, rows - 1), min_size=rows, max_size=rows))
        table = table.take(again)
    return table


@st.composite
def readings(
    draw: st.DrawFn,
    *,
    better: Direction | None = None,
    low: float = 0.0,
    high: float = 1.0,
    missing: bool = False,
) -> Reading:
    """A reading with its value inside its interval.

    Parameters
    ----------
    low, high : the range of the value and its interval. Values divide the range into quarters, so
        that ties are common.
    missing : whether some readings are "not measured".
    """
    direction = draw(_DIRECTIONS) if better is None else better
    if missing and draw(st.integers(0, 4)) == 0:
        return Reading.missing(direction, "drawn as not measured")
    steps = sorted(draw(st.tuples(*[st.integers(0, 4)] * 3)))
    bottom, value, top = (low + (high - low) * step / 4 for step in steps)
    n = draw(st.integers(1, 1000))
    return Reading(value=value, low=bottom, high=top, n=n, better=direction, method="drawn")


@st.composite
def results(
    draw: st.DrawFn,
    *,
    measures: tuple[str, ...] = ("membership_advantage",),
    max_entries: int = 5,
    max_contestants: int = 5,
) -> Results:
    """Results in which some pairs are not attacked and some contestants do not compete."""
    numbers = range(1, 1 + draw(st.integers(1, max_entries)))
    entries = tuple(Entry(f"entry{number}") for number in numbers)
    numbers = range(1, 1 + draw(st.integers(1, max_contestants)))
    contestants = tuple(
        Contestant(f"team{number}", competing=draw(st.integers(0, 3)) > 0) for number in numbers
    )
    cells: dict[tuple[str, str], Mapping[str, Reading]] = {}
    for entry in entries:
        for contestant in contestants:
            if draw(st.integers(0, 4)) > 0:
                cells[entry.id, contestant.id] = {
                    name: draw(readings(better="lower", missing=True)) for name in measures
                }
    return Results(entries, contestants, cells)


def _may_miss(column: Column) -> bool:
    """Ids are never missing, and only bounded integers have a code for a missing value."""
    return not column.identifying and (not column.whole or column.discrete)


def _some_bounds(draw: st.DrawFn, low: float, high: float, *, both: bool) -> dict[str, float]:
    bounds = {"low": low, "high": high}
    kept = [True, True] if both else draw(st.tuples(st.booleans(), st.booleans()))
    return {name: bounds[name] for name, keep in zip(bounds, kept, strict=True) if keep}


def _integer(low: float | None, high: float | None) -> st.SearchStrategy[int]:
    bottom = -LARGEST_INTEGER if low is None else int(low)
    top = LARGEST_INTEGER if high is None else int(high)
    return st.integers(bottom, top)


def _real(low: float | None, high: float | None) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False, allow_infinity=False)
