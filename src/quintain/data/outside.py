"""Outside: where the cells go that a stated schema does not allow.

A refusal is an answer: it tells that somebody has such a cell. Where a release claims differential
privacy, reading must not depend on whether anybody does. So a cell is moved by a rule that depends
on that cell and on the schema alone, and nobody is told.

*Numbers and times* go to the nearest value that the column allows. *Categories* that the column
does not list become "other", if it lists that. What cannot be read as its kind at all, or is
missing where nothing may be, becomes missing if that is allowed, and else the first value. A row
that does not say whose it is, where a column has to say it, is left out.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from quintain.data.arrays import Array, Mask
from quintain.data.codec import missing_value, parse_texts
from quintain.data.column import CONTROL, Column
from quintain.data.columns import Columns
from quintain.data.own_files.spelling import MISSING, RARER_MISSING
from quintain.data.times import parse_time

Outside = Literal["clip", "refuse"]
"""What becomes of cells that the schema does not allow: they are moved, or the table is refused."""

OTHER = "other"
"""The value that stands for all values of a category that a schema does not list."""


def move_inside(column: Column, cells: pa.Array) -> Array:
    """The contents of a column for texts that it does not allow, each by itself.

    >>> age = Column(name="age", kind="integer", low=0, high=99)
    >>> (move_inside(age, pa.array(["104", "-3", "2.5", "old", None])) + age.offset).tolist()
    [99, 0, 2, 0, 0]
    >>> sex = Column(name="sex", kind="category", values=("f", "m", "other"))
    >>> move_inside(sex, pa.array(["x"])).tolist()
    [2]
    >>> day = Column(name="day", kind="time", time_format="%Y", earliest="2001", latest="2009")
    >>> move_inside(day, pa.array(["2030", "soon"])).astype("datetime64[s]").astype(str).tolist()
    ['2009-01-01T00:00:00', '2001-01-01T00:00:00']
    """
    encoded = cells.dictionary_encode(null_encoding="encode")
    moved = [_move(column, text) for text in encoded.dictionary.to_pylist()]
    first = parse_texts(column, [])[0]
    values = np.array(moved, np.str_ if column.identifying else first.dtype)
    return np.asarray(values[encoded.indices.to_numpy(zero_copy_only=False)])


def put_inside(column: Column, contents: Array, bad: Mask, cells: pa.Array) -> Array:
    """The contents of a column in which the cells that it does not allow have moved.

    Parameters
    ----------
    bad : which cells the column does not allow.
    cells : the texts of these.
    """
    moved = move_inside(column, cells)
    if contents.dtype.kind == "U":
        contents = contents.astype(np.result_type(contents, moved))
    changed = contents.copy()
    changed[bad] = moved
    return changed


def rows_of_somebody(rows: Columns) -> Columns:
    """The rows that say whose they are, where a column has to say it.

    >>> who, x = (Column(name=name, kind="id", role=role, nullable=True)
    ...           for name, role in (("who", "person"), ("x", "")))
    >>> from quintain.data import Schema
    >>> rows = Columns(Schema(columns=(who, x)), {"who": ["a", ""], "x": ["", "b"]})
    >>> rows_of_somebody(rows).columns["who"].tolist()
    ['a']
    """
    person = rows.schema.role("person")
    if person is None or not person.identifying:
        return rows
    names = rows.columns[person.name].astype(np.str_)
    return rows if (names != "").all() else rows.take(np.flatnonzero(names != ""))


def _move(column: Column, text: str | None) -> Any:
    """What a column stores for one text that it does not allow."""
    if column.identifying:
        return "" if text is None else CONTROL.sub("", text).strip()
    if text is None or text.strip() in (*MISSING, *RARER_MISSING):
        return _no_value(column)
    if column.listed:
        return column.values.index(OTHER) if OTHER in column.values else _no_value(column)
    if column.temporal:
        return _nearest_time(column, text.strip())
    if not column.numeric:
        return _no_value(column)
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    return _no_value(column) if math.isnan(number) else _nearest_number(column, number)


def _no_value(column: Column) -> Any:
    """What a column stores for a cell that cannot be read as its kind."""
    if column.listed and OTHER in column.values:
        return column.values.index(OTHER)
    if column.nullable:
        return missing_value(column)
    low = column.bounds[0]
    if column.listed:
        return 0
    if not column.scaled:  # the same value for everybody, whatever the cell was
        return column.its_kind.draw(column, 1, rng=np.random.default_rng(0))[0]
    return _nearest_number(column, low or 0.0) if not column.temporal else int(low or 0)


def _nearest_number(column: Column, number: float) -> float | int:
    low, high = column.bounds
    number = min(max(number, -math.inf if low is None else low), math.inf if high is None else high)
    largest = float(2**53)  # an infinite number without a bound
    number = min(max(number, -largest), largest) if math.isinf(number) else number
    return round(number) - column.offset if column.whole else number


def _nearest_time(column: Column, text: str) -> int:
    """The nearest time that the column allows and its format can write; earlier ones first."""
    seconds = parse_time(text, column.time_format)
    if seconds is None:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return int(_no_value(column))
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        seconds = parse_time(moment.strftime(column.time_format), column.time_format)
    if seconds is None:
        return int(_no_value(column))
    first, last = column.bounds
    later = seconds if first is None else max(seconds, int(first))
    return later if last is None else min(later, int(last))
