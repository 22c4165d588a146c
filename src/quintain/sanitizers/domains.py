"""Domains: where the smallest and largest numbers and the categories of a table come from.

A domain that is read off private records shows them: the largest income is somebody's income. So
the domain is part of the mechanism. It is public, or it is measured with noise and paid from the
budget of the sanitizer, or it is learned from the records, and then nothing is claimed.

*Numbers.* The records are counted with noise in cells that follow from no data: zero, and between
powers of two on either side; times by year. The bounds are the outermost cells that stand out from
the noise.

*Categories.* A value that nobody has cannot be counted, and a value that one person has must not
show. So the values that occur are counted with noise, and only those above a threshold are kept. A
value of one person passes it with a small probability, which is paid with delta. All other values
share the value "other", which is always there.

*Missing values* are one more cell. If it does not stand out, no value is missing in the release.

Names and kinds of columns count as public.

References
----------
Korolova, Kenthapadi, Mishra and Ntoulas (2009), Releasing search queries and clicks privately.
Wilson et al. (2020), Differentially private SQL with bounded user contribution.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtri

from quintain.accounting.budget import Budget
from quintain.accounting.zcdp import gaussian_sigma
from quintain.data import Column, Schema, Table
from quintain.data.arrays import Array, Floats, Ints
from quintain.data.codec import missing_cells, missing_value
from quintain.data.learning.decisions import number_column
from quintain.data.learning.time_formats import time_texts
from quintain.randomness.noise import Noise

OTHER = "other"
"""The value that stands for all rare values of a category."""

FALSE_CELL = 1e-3
"""The probability with which any empty cell of a column stands out, about."""

_SMALLEST, _LARGEST = -30, 100
"""Reals below two to the first power count as zero; above the last, the cell has no end."""
_LARGEST_WHOLE = 53
_YEARS = (1800, 2200)


def measure_domain(
    table: Table,
    names: Collection[str],
    *,
    rho: float,
    threshold: float,
    rows: int,
    noise: Noise,
) -> Table:
    """Put a table under domains that are measured with noise.

    One row costs ``rho`` in zCDP, all columns together. With probability ``threshold`` at most, a
    value is kept that only one person has.

    >>> pay = Column(name="pay", kind="integer", low=3, high=99_000)
    >>> town = Column(name="town", kind="category", values=("bath", "kent", "york"))
    >>> cells = {"pay": [30, 40, 60] * 1000 + [99_000], "town": ["bath", "kent"] * 1500 + ["york"]}
    >>> people = Table.of(Schema(columns=(pay, town)), cells)
    >>> facts = {"rho": 0.01, "threshold": 1e-9, "rows": 1, "noise": Noise.for_test(1)}
    >>> measured = measure_domain(people, ["pay", "town"], **facts)
    >>> measured.schema["pay"].bounds, measured.schema["town"].values
    ((16.0, 63.0), ('bath', 'kent', 'other'))
    >>> measured.records()[-1]
    {'pay': 63, 'town': 'other'}

    Parameters
    ----------
    names : the columns whose domains are measured; the others keep theirs.
    rows : the most rows of a person.
    """
    budget, sigma = Budget(rho), gaussian_sigma(rho / max(1, len(names)))
    categories = sum(table.schema[name].listed for name in names)
    rare = threshold / (max(1, categories) * rows)
    # A person adds at most this many records to a value; integer noise is within 1 of a Gaussian.
    least = rows + 1 - sigma * float(ndtri(rare)) if categories else 0.0
    columns = []
    for column in table.schema.columns:
        if column.name in names:
            contents = table.columns[column.name]
            # Files of people write missing values in their own words, which may be one person's.
            column = column.model_copy(update={"missing": ""})
            if column.listed:
                column = _measure_category(column, contents, budget, sigma, least, noise)
            else:
                column = _measure_bounds(column, contents, budget, sigma, noise)
        columns.append(column)
    return refit(table, _with_columns(table.schema, columns))


def learn_domain(table: Table, names: Collection[str]) -> Table:
    """Put a table under the domains that its own records show, without any protection.

    >>> age = Column(name="age", kind="integer", low=0, high=120)
    >>> people = Table.of(Schema(columns=(age,)), {"age": [18, 90]})
    >>> learn_domain(people, ["age"]).schema["age"].bounds
    (18.0, 90.0)
    """
    columns = [
        _learned_column(column, table.columns[column.name]) if column.name in names else column
        for column in table.schema.columns
    ]
    return refit(table, _with_columns(table.schema, columns))


def covering_domain(schema: Schema, names: Collection[str]) -> Schema:
    """The schema with room for releases whose domains are measured: one more value, and gaps."""
    columns = []
    for column in schema.columns:
        facts: dict[str, Any] = {}
        if column.name in names and not (column.whole and not column.discrete):
            facts["nullable"] = True
        if column.name in names and column.listed and OTHER not in column.values:
            facts["values"] = (*column.values, OTHER)
        columns.append(_change(column, **facts) if facts else column)
    return _with_columns(schema, columns)


def covers(wide: Column, column: Column) -> bool:
    """Whether the values of a column can be written under another one."""
    if wide.listed and column.listed:
        return set(column.values) <= set(wide.values) and (wide.nullable or not column.nullable)
    return wide.bounded and (wide.kind == column.kind or (wide.numeric and column.numeric))


def refit(table: Table, schema: Schema) -> Table:
    """The records under a schema with the same columns, and of the same kinds, but other domains.

    Numbers and times go to the nearest bound. A category that the schema lacks becomes "other", or
    if the values are in order, the next one below that the schema has, and the lowest if there is
    none below. So where a record goes follows from the record and the schema alone: other records
    decide neither on it nor on how far apart two values are.
    """
    contents = {
        column.name: table.columns[column.name]
        if column == table.schema[column.name]
        else _refit(table, table.schema[column.name], column)
        for column in schema.columns
    }
    return Table(schema, contents)


def _with_columns(schema: Schema, columns: list[Column]) -> Schema:
    return schema.model_copy(update={"columns": tuple(columns)})


def _change(column: Column, **facts: Any) -> Column:
    """The column with other facts, checked as a new one."""
    return Column.model_validate(column.model_dump() | facts)


# --- numbers and times ---


@dataclass(frozen=True)
class _PublicCells:
    """Cells of all numbers or times that a column of some kind may have; no data decide on them."""

    column: Column

    @cached_property
    def starts(self) -> Floats:
        """Where each cell begins, in order, and behind them where the last one ends."""
        if self.column.temporal:
            years = np.arange(_YEARS[0], _YEARS[1] + 1) - 1970
            seconds = years.astype("datetime64[Y]").astype("datetime64[s]").astype(np.int64)
            return seconds.astype(np.float64)
        whole = self.column.whole
        above = 2.0 ** (np.arange(_LARGEST_WHOLE) if whole else np.arange(_SMALLEST, _LARGEST))
        # Whole numbers below zero mirror those above: -7 to -4 beside 4 to 7.
        below = 1 - above[:0:-1] if whole else -above[::-1]
        return np.concatenate([below, [0.0], above])

    def count(self, numbers: Floats) -> Ints:
        """How many numbers are in each cell; what is beyond all cells is in the outermost one."""
        at = np.searchsorted(self.starts, numbers, side="right") - 1
        most = len(self.starts) - 2
        return np.bincount(np.clip(at, 0, most), minlength=most + 1)

    def bounds(self, first: int, last: int) -> tuple[float, float]:
        """The smallest and the largest number of a range of cells."""
        end = self.starts[last + 1] - (not self.column.fractional)
        return float(self.starts[first]), float(end)

    @property
    def nothing(self) -> int:
        """The cell to take if none stands out: that of zero, or of the year 1970."""
        return int(np.searchsorted(self.starts, 0.0))


def is_nothing(column: Column) -> bool:
    """Whether a column of numbers or times has the bounds it gets if no cell stands out.

    >>> is_nothing(Column(name="dose", kind="real", low=0, high=2.0**-30))
    True
    >>> is_nothing(Column(name="dose", kind="real", low=0, high=1))
    False
    """
    cells = _PublicCells(column)
    lowest, highest = cells.bounds(cells.nothing, cells.nothing)
    low, high = column.bounds
    return low is not None and high is not None and lowest <= low and high <= highest


def _measure_bounds(
    column: Column, contents: Array, budget: Budget, sigma: float, noise: Noise
) -> Column:
    missing = missing_cells(column, contents)
    cells = _PublicCells(column)
    counts = np.append(cells.count(_numbers(column, contents)[~missing]), missing.sum())
    noisy = budget.count(counts, sigma, noise)
    stands_out = noisy > 1 - sigma * float(ndtri(FALSE_CELL / len(noisy)))
    places = np.flatnonzero(stands_out[:-1])
    first, last = (places[0], places[-1]) if len(places) else (cells.nothing, cells.nothing)
    return _set_bounds(column, *cells.bounds(first, last), nullable=bool(stands_out[-1]))


def _set_bounds(column: Column, low: float, high: float, *, nullable: bool) -> Column:
    """The column with other bounds; how files write it does not change.

    Of the edges that somebody stated, those between the bounds stay.
    """
    gaps = _gaps(column, nullable)
    if column.temporal:
        earliest, latest = time_texts((int(low), int(high)), column.time_format)
        return _change(column, **gaps, earliest=earliest, latest=latest)
    whole = column.whole
    kind = number_column(column.name, low, high, whole=whole, nullable=nullable).kind
    edges = tuple(edge for edge in column.edges or () if low < edge < high) or None
    return _change(column, **gaps, kind=kind, low=low, high=high, edges=edges)


def _numbers(column: Column, contents: Array) -> Floats:
    """The contents of a column as plain numbers; for times, in seconds."""
    return contents.astype(np.float64) + column.offset


# --- categories ---


def _measure_category(
    column: Column, contents: Array, budget: Budget, sigma: float, least: float, noise: Noise
) -> Column:
    counts = np.bincount(contents[contents >= 0], minlength=column.size)
    occurring = np.flatnonzero(counts)
    occurring = occurring[[column.values[code] != OTHER for code in occurring.tolist()]]
    missing = int((contents < 0).sum())
    noisy = budget.count(np.append(counts[occurring], missing), sigma, noise)
    kept = occurring[noisy[:-1] > least]
    values = tuple(column.values[code] for code in kept.tolist())
    nullable = bool(noisy[-1] > least)
    return _list_values(column, values, nullable=nullable, open_=not (column.ordered and len(kept)))


def _list_values(column: Column, values: tuple[str, ...], *, nullable: bool, open_: bool) -> Column:
    """The column with other categories; an open list has one value for all others."""
    listed = (*values, OTHER) if open_ else values
    ordered = column.ordered and not open_
    return _change(column, **_gaps(column, nullable), values=listed, ordered=ordered)


def _gaps(column: Column, nullable: bool) -> dict[str, Any]:
    """Whether values may be missing, and how files write that."""
    return {"nullable": nullable, "missing": column.missing if nullable else ""}


# --- domains of the records themselves ---


def _learned_column(column: Column, contents: Array) -> Column:
    missing = missing_cells(column, contents)
    nullable = bool(missing.any())
    if column.listed:
        occurring = np.unique(contents[~missing]).tolist()
        values = tuple(column.values[code] for code in occurring)
        return _list_values(column, values, nullable=nullable, open_=not values)
    numbers = _numbers(column, contents)[~missing]
    low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 0.0)
    return _set_bounds(column, low, high, nullable=nullable)


# --- records under another domain ---


def _refit(table: Table, old: Column, new: Column) -> Array:
    contents = table.columns[old.name]
    missing = missing_cells(old, contents)
    if old.listed:
        codes = np.append(_new_codes(old, new), _code_of_missing(new))
        return np.asarray(codes[contents], np.int32)
    first, last = new.bounds
    assert first is not None and last is not None  # a domain has bounds
    numbers = np.clip(np.where(missing, 0.0, _numbers(old, contents)), first, last)
    if not new.fractional:
        numbers = np.rint(numbers).astype(np.int64) - new.offset
    gap = missing & new.nullable
    return np.where(gap, missing_value(new), numbers) if gap.any() else numbers


def _new_codes(old: Column, new: Column) -> Ints:
    """For each old code the new one."""
    place = {value: code for code, value in enumerate(new.values)}
    known = np.array([place.get(value, -1) for value in old.values], np.int64)
    lost, there = np.flatnonzero(known < 0), np.flatnonzero(known >= 0)
    if OTHER in place:
        known[lost] = place[OTHER]
    elif len(lost):
        below = np.searchsorted(there, lost) - 1
        known[lost] = known[there[np.maximum(below, 0)]]
    return known


def _code_of_missing(new: Column) -> int:
    if new.nullable:
        return -1
    return new.values.index(OTHER) if OTHER in new.values else 0
