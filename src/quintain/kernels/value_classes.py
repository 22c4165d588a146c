"""Value classes: the values of a column in a few classes that people can read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np

from quintain.data.arrays import Codes, Floats, Ints
from quintain.data.codec import missing_cells
from quintain.data.schema import Column
from quintain.data.table import Table
from quintain.kernels.dummies import numbers
from quintain.kernels.quantile_bins import bin_starts

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
        if column.kind == "category":
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
        return self.column.kind != "category" or (self.column.ordered and not self._lumped)

    @property
    def _lumped(self) -> bool:
        return int(self.places.max(initial=-1)) + 1 < len(self.places)

    def encode(self, table: Table) -> Codes:
        """The class of every record, counted from 0."""
        contents = table.columns[self.column.name]
        if self.column.kind == "category":
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
    later = "and later" if column.kind == "time" else "and above"
    return (_below(column, starts[0]), *inner, f"{_format_value(column, starts[-1])} {later}")


def _between(column: Column, start: float, end: float, distinct: Floats) -> str:
    """The name of the bin from ``start`` up to, but without, ``end``."""
    inside = distinct[(distinct >= start) & (distinct < end)]
    if len(inside) == 1:
        return _format_value(column, inside[0])
    last = max(inside, default=end) if column.kind == "time" else end
    last = math.ceil(end) - 1 if column.kind == "integer" else last
    return f"{_format_value(column, start)} to {_format_value(column, last)}"


def _below(column: Column, start: float) -> str:
    if column.kind == "integer":
        return f"up to {math.ceil(start) - 1}"
    return ("before " if column.kind == "time" else "below ") + _format_value(column, start)


def _format_value(column: Column, value: float) -> str:
    if column.kind == "time":
        return datetime.fromtimestamp(value, UTC).strftime(column.time_format)
    # A bin that begins right after a common value begins at the next integer.
    return str(math.ceil(value)) if column.kind == "integer" else f"{value:.4g}"
