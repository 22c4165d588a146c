"""Value classes: the values of a column in a few classes, cut at quantiles or easy to read.

Attacks and measures cut numbers and times at quantiles of public data: they may look at the records
that they compare, and nothing is drawn back. A sanitizer must not take its bins from private
records; it uses :mod:`quintain.data.coding`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise

import numpy as np

from quintain.data.arrays import Codes, Floats, Ints
from quintain.data.codec import missing_cells
from quintain.data.column import Column
from quintain.data.schema import Schema
from quintain.data.table import Table
from quintain.kernels.dummies import numbers


@dataclass(frozen=True, eq=False)
class QuantileBins:
    """How numbers and times without a finite domain are cut into bins of about equal size.

    Columns with a finite domain stay as they are, so a table of such columns is its own result. A
    missing value stays missing. The bins come from the records of one table: use the release or
    another public table where the result is public.

    >>> schema = Schema(columns=(Column(name="gain", kind="real", nullable=True),))
    >>> table = Table(schema, {"gain": np.array([0, 0, 0, 1.5, 2, 7, 8, np.nan])})
    >>> bins = QuantileBins.of(table, 4)
    >>> bins.encode(table).columns["gain"].tolist()
    [0, 0, 0, 1, 1, 2, 2, -1]

    Parameters
    ----------
    schema : the columns of the tables to encode.
    starts : for each column to cut, the least value of every bin but the first, in order.
    """

    schema: Schema
    starts: Mapping[str, Floats]

    @classmethod
    def of(cls, table: Table, count: int) -> QuantileBins:
        """Cut at the quantiles of a table, so that each column has about ``count`` bins.

        A value so common that it fills a bin is a bin of its own. With 0, nothing is cut.
        """
        open_ended = [c for c in table.schema.attributes if count and not c.discrete]
        starts = {c.name: bin_starts(numbers(c, table), count) for c in open_ended}
        return cls(table.schema, starts)

    @cached_property
    def coded(self) -> Schema:
        """The schema of the results: a column that is cut becomes an integer."""
        return self.schema.model_copy(
            update={"columns": tuple(self._bin_column(column) for column in self.schema.columns)}
        )

    def encode(self, table: Table) -> Table:
        """The table with the number of the bin in place of each number or time."""
        if not self.starts:
            return table
        coded = {name: self._encode(table, name) for name in self.starts}
        return Table(self.coded, {**table.columns, **coded})

    def _bin_column(self, column: Column) -> Column:
        if column.name not in self.starts:
            return column
        last = len(self.starts[column.name])
        facts = {"name": column.name, "role": column.role, "nullable": column.nullable}
        return Column.model_validate({**facts, "kind": "integer", "low": 0, "high": last})

    def _encode(self, table: Table, name: str) -> Codes:
        values = numbers(self.schema[name], table)
        codes = np.searchsorted(self.starts[name], values, side="right").astype(np.int32)
        codes[np.isnan(values)] = -1
        return codes


def binned_tables(original: Table, release: Table, count: int) -> tuple[Table, Table]:
    """Both tables in ``count`` bins per column, cut at the quantiles of the original."""
    bins = QuantileBins.of(original, count)
    return bins.encode(original), bins.encode(release)


def bin_starts(values: Floats, count: int) -> Floats:
    """The least value of every bin but the first, for about ``count`` bins of equal size.

    >>> bin_starts(np.array([1.0, 2, 3, 4, 5, 6]), 3).tolist()
    [3.0, 5.0]
    """
    values = np.sort(values[~np.isnan(values)])
    if not len(values):
        return np.zeros(0)
    count = min(count, len(values))  # so that two equal cuts mean a common value
    cuts = values[np.arange(1, count) * len(values) // count]
    cut, times = np.unique(cuts, return_counts=True)
    with np.errstate(over="ignore"):  # nothing is above the largest number of all
        above = np.nextafter(cut[times > 1], np.inf)
    starts = np.unique(np.concatenate([cut, above]))
    return np.asarray(starts[starts > values[0]])


OTHER, MISSING = "other", "missing"


@dataclass(frozen=True, slots=True, eq=False)
class ValueClasses:
    """A column in at most ``most`` classes, and one more for missing values where there can be any.

    Numbers and times are cut into bins that are about equally common; a very common value is a bin
    of its own. Of many categories the most common stay, and the others share a class.

    Parameters
    ----------
    column : the column that is put into classes.
    labels : what the classes are called.
    starts : of a number or a time, the least value of every bin but the first.
    places : of a category, the class of every code.

    >>> from quintain.data import Schema
    >>> schema = Schema(columns=(Column(name="age", kind="integer", low=0, high=99),))
    >>> table = Table.of(schema, {"age": [17, 20, 25, 31, 40, 40, 66, 71]})
    >>> classes = ValueClasses.of(table, "age", 3)
    >>> classes.labels, classes.encode(table).tolist()
    (('up to 24', '25 to 39', '40 and above'), [0, 0, 1, 1, 2, 2, 2, 2])
    """

    column: Column
    labels: tuple[str, ...]
    starts: Floats
    places: Codes

    @classmethod
    def of(cls, table: Table, name: str, most: int, *, fewest: int = 0) -> ValueClasses:
        """Classes for a column, from the records of one table.

        Parameters
        ----------
        fewest : no label names what fewer records than this have: rare categories share a class,
            and bins with few records join the next one. Use it for what others will read, because
            a rare value may tell who a person is.
        """
        column = table.schema[name]
        if column.listed:
            return _of_categories(column, table.columns[name], most, fewest)
        values = numbers(column, table)
        known = values[~np.isnan(values)]
        distinct = np.unique(known) if len(known) >= fewest else known[:0]
        starts = distinct[1:] if len(distinct) <= most else bin_starts(values, most)
        starts = _common_starts(starts, known, fewest)
        labels = _bin_labels(column, starts, distinct)
        return cls(column, _with_missing(column, labels), starts, np.zeros(0, np.int32))

    @property
    def size(self) -> int:
        """The number of classes."""
        return len(self.labels)

    @property
    def ordered(self) -> bool:
        """Whether the order of the classes has a meaning; a missing value has no place in it."""
        return not self.column.listed or (self.column.ordered and not self._lumped)

    @property
    def _lumped(self) -> bool:
        return int(self.places.max(initial=-1)) + 1 < len(self.places)

    def encode(self, table: Table) -> Codes:
        """The class of every record, counted from 0."""
        contents = table.columns[self.column.name]
        if self.column.listed:
            codes = self.places[contents]
        else:
            values = numbers(self.column, table)
            codes = np.searchsorted(self.starts, values, side="right").astype(np.int32)
        if self.column.nullable:
            codes[missing_cells(self.column, contents)] = self.size - 1
        return codes

    def counts(self, table: Table) -> Ints:
        """How many records are in each class."""
        return np.bincount(self.encode(table), minlength=self.size)


def _common_starts(starts: Floats, known: Floats, fewest: int) -> Floats:
    """The starts of bins that all have at least ``fewest`` of the numbers."""
    ordered, kept, before = np.sort(known), [], 0
    for start in starts.tolist():
        place = int(np.searchsorted(ordered, start))
        if min(place - before, len(ordered) - place) >= fewest:
            kept.append(start)
            before = place
    return np.array(kept)


def _of_categories(column: Column, codes: Codes, most: int, fewest: int) -> ValueClasses:
    none, values = np.zeros(0), column.values
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    if len(values) <= most and (counts >= fewest).all():
        places = np.arange(len(values), dtype=np.int32)
        return ValueClasses(column, _with_missing(column, values), none, places)
    common = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    common = common[counts[common] >= fewest]
    places = np.full(len(values), len(common), np.int32)
    places[common] = np.arange(len(common))
    kept = tuple(values[code] for code in common)
    other = OTHER if OTHER not in kept else f"{OTHER} values"
    return ValueClasses(column, _with_missing(column, (*kept, other)), none, places)


def _with_missing(column: Column, labels: tuple[str, ...]) -> tuple[str, ...]:
    if not column.nullable:
        return labels
    return (*labels, MISSING if MISSING not in labels else f"no value ({MISSING})")


def _bin_labels(column: Column, starts: Floats, distinct: Floats) -> tuple[str, ...]:
    """Names of bins; the smallest and the largest value of all stay unnamed if there are bins."""
    if not len(starts):
        return ("all values",) if len(distinct) != 1 else (_format_value(column, distinct[0]),)
    if len(starts) == len(distinct) - 1:
        return tuple(_format_value(column, value) for value in distinct)
    inner = [_between(column, *pair, distinct) for pair in pairwise(starts.tolist())]
    later = "and later" if column.temporal else "and above"
    return (_below(column, starts[0]), *inner, f"{_format_value(column, starts[-1])} {later}")


def _between(column: Column, start: float, end: float, distinct: Floats) -> str:
    """The name of the bin from ``start`` up to, but without, ``end``."""
    inside = distinct[(distinct >= start) & (distinct < end)]
    if len(inside) == 1:
        return _format_value(column, inside[0])
    last = max(inside, default=end) if column.temporal else end
    last = math.ceil(end) - 1 if column.whole else last
    return f"{_format_value(column, start)} to {_format_value(column, last)}"


def _below(column: Column, start: float) -> str:
    if column.whole:
        return f"up to {math.ceil(start) - 1}"
    return ("before " if column.temporal else "below ") + _format_value(column, start)


def _format_value(column: Column, value: float) -> str:
    if column.temporal:
        return datetime.fromtimestamp(value, UTC).strftime(column.time_format)
    # A bin that begins right after a common value begins at the next integer.
    return str(math.ceil(value)) if column.whole else f"{value:.4g}"
