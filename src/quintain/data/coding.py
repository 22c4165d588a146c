"""Coding: tables of any columns as small codes without open domains, and back.

Real numbers, times and large integers are cut into bins, and rare categories may share a group.
Everything here is a function of the schema or of numbers that the caller gives. Nothing is learned
from the records, so a sanitizer may use it on private data. What attacks and measures compare is
public to them; they cut it at its own quantiles, with :mod:`quintain.kernels.value_classes`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from quintain.data.arrays import MISSING_TIME, Array, Codes, Floats, Mask
from quintain.data.codec import missing_cells, missing_value
from quintain.data.column import Column
from quintain.data.schema import Schema
from quintain.data.table import Table
from quintain.data.times import TimeUnit, in_seconds, in_units, smallest_unit
from quintain.errors import DataError, Faults

DEFAULT_BINS = 32
"""The number of bins of a column whose schema does not say it."""


FEW_VALUES = 100
"""An integer with at most this many values needs no edges, unless its schema asks for bins."""


WIDE = 256
"""An integer with more values than this has measured edges if nobody says otherwise."""


MOST_STEPS = 1000
"""A column with a ``step`` and more values than this is cut into the default number of bins."""


_DIGITS = 3
"""A value is drawn with about this many digits more than its bin is wide."""


class ColumnCoding(Protocol):
    """How the contents of one column become codes 0, 1, 2 ...; -1 is a missing value."""

    @property
    def count(self) -> int:
        """The number of codes, without that of missing values."""
        ...

    def encode(self, contents: Array) -> Codes:
        """Column contents as codes."""
        ...

    def decode(self, codes: Codes, rng: np.random.Generator) -> Array:
        """Codes as column contents."""
        ...


@dataclass(frozen=True, eq=False)
class Coding:
    """How a table becomes codes, column by column; columns that need no coding stay as they are.

    A table whose columns are all discrete and never missing is its own code: the same object.

    >>> schema = Schema(columns=(
    ...     Column(name="sex", kind="category", values=("f", "m"), nullable=True),
    ...     Column(name="bmi", kind="real", low=10, high=60, bins=5),
    ... ))
    >>> table = Table.of(schema, {"sex": ["m", None], "bmi": [22.5, 60.0]})
    >>> coding = Coding.of(schema)
    >>> codes = coding.encode(table)
    >>> codes.codes().tolist(), [column.size for column in codes.schema.columns]
    ([[1, 1], [2, 4]], [3, 5])
    >>> coding.decode(codes, np.random.default_rng(1)).records()
    [{'sex': 'm', 'bmi': 25.12}, {'sex': None, 'bmi': 59.5}]

    Parameters
    ----------
    schema : the columns of the table.
    columns : the coding of every column that is not stored as codes, or whose codes are to change.
    missing_code : whether missing values get a code of their own, after all others. Otherwise they
        stay -1, and their column stays nullable.
    """

    schema: Schema
    columns: Mapping[str, ColumnCoding]
    missing_code: bool = True

    @classmethod
    def of(cls, schema: Schema, *, missing_code: bool = True, also: Collection[str] = ()) -> Coding:
        """The coding by the bins of the schema, which costs no privacy.

        Categories keep their codes, and so do bounded integers whose schema asks for no bins. A
        column without bounds is refused, because bounds must not come from private data. ``also``
        names further columns of integers to cut.
        """
        advice = schema.unbounded_advice()
        if advice:
            faults = Faults()
            faults.add(f"these columns cannot be cut into bins: {advice}")
            raise DataError(faults.findings)
        columns = {c.name: Bins.of(c) for c in schema.columns if needs_bins(c) or c.name in also}
        return cls(schema, columns, missing_code)

    @cached_property
    def coded(self) -> Schema:
        """The schema of the codes."""
        columns = tuple(self._coded_column(column) for column in self.schema.columns)
        return self.schema if columns == self.schema.columns else self._schema(columns)

    def encode(self, table: Table) -> Table:
        """The codes of a table."""
        if self.coded is self.schema:
            return table
        return Table(self.coded, {c.name: self._encode(c, table) for c in self.schema.columns})

    def decode(self, codes: Table, rng: np.random.Generator) -> Table:
        """A table with these codes; values are drawn within their bin or group."""
        if self.coded is self.schema:
            return codes
        return Table(
            self.schema, {c.name: self._decode(c, codes, rng) for c in self.schema.columns}
        )

    def _schema(self, columns: tuple[Column, ...]) -> Schema:
        return Schema(shape=self.schema.shape, title=self.schema.title, columns=columns)

    def _coded_column(self, column: Column) -> Column:
        extra = column.nullable and self.missing_code
        coding = self.columns.get(column.name)
        if coding is None and not extra:
            return column
        nullable = column.nullable and not extra
        facts = {"name": column.name, "role": column.role, "nullable": nullable}
        if column.listed:
            names = coding.names if isinstance(coding, Groups) else column.values
            values = [*names, *(["missing"] if extra else [])]
            return Column.model_validate({**facts, "kind": "category", "values": _distinct(values)})
        size = (column.size if coding is None else coding.count) + extra
        return Column.model_validate({**facts, "kind": "integer", "low": 0, "high": size - 1})

    def _encode(self, column: Column, table: Table) -> Array:
        contents, coding = table.columns[column.name], self.columns.get(column.name)
        codes = contents if coding is None else coding.encode(contents)
        if not (column.nullable and self.missing_code):
            return codes
        return np.where(codes < 0, self.coded[column.name].size - 1, codes)

    def _decode(self, column: Column, table: Table, rng: np.random.Generator) -> Array:
        codes, coding = table.columns[column.name], self.columns.get(column.name)
        if column.nullable and self.missing_code:
            codes = np.where(codes == self.coded[column.name].size - 1, -1, codes)
        return codes if coding is None else coding.decode(codes, rng)


def needs_bins(column: Column) -> bool:
    """Whether a column is cut into bins: it has no finite domain, or its schema asks for bins."""
    fields = (column.bins, column.edges, column.step)
    return not column.discrete or any(value is not None for value in fields)


Edges = Literal["measured", "equal"]
"""Where bins begin: where the records say so, measured with noise, or at equal distances."""


def needs_edges(column: Column, edges: Edges | None) -> bool:
    """Whether a synthesizer measures where the bins of a column begin; the schema alone decides.

    If nobody says what ``edges`` are, those of wide columns are measured: of reals, times and
    integers with many values, unless the schema says how to cut them.

    >>> pay = Column(name="pay", kind="real", low=0, high=100)
    >>> cut = pay.model_copy(update={"bins": 4})
    >>> [needs_edges(c, edges) for c in (pay, cut) for edges in (None, "measured", "equal")]
    [True, True, False, False, True, False]
    """
    numbers = column.scaled and column.bounded
    if edges == "equal" or not numbers or column.edges is not None:
        return False
    if edges is None and (column.bins is not None or column.step is not None):
        return False
    grid = Grid(column)
    if grid.continuous or column.bins is not None:
        return True
    few = FEW_VALUES if edges == "measured" else WIDE
    return grid.count > (few if column.discrete else Bins.equal(column).count)


def _distinct(values: list[str]) -> list[str]:
    """The names with a mark where a name of the schema is used for a group or a missing value."""
    used: set[str] = set()
    for at in range(len(values)):
        while values[at] in used:
            values[at] += "*"
        used.add(values[at])
    return values


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The values of a discrete column that keep their own code; all others share the last one.

    >>> town = Column(name="town", kind="category", values=("a", "b", "c", "d"), nullable=True)
    >>> groups = Groups(town, np.array([1, 3]))
    >>> codes = groups.encode(np.array([0, 1, 2, 3, -1]))
    >>> codes.tolist(), groups.count
    ([2, 0, 2, 1, -1], 3)
    >>> groups.decode(codes, np.random.default_rng(1)).tolist()
    [0, 1, 2, 3, -1]

    Parameters
    ----------
    column : the column of the schema.
    kept : the codes with a code of their own, in order.
    """

    column: Column
    kept: Array

    @property
    def count(self) -> int:
        """The number of codes, with that of the group if there is one."""
        return len(self.kept) + (len(self.kept) < self.column.size)

    @property
    def names(self) -> tuple[str, ...]:
        """The values with a code of their own, then a name for the group."""
        kept = tuple(self.column.values[code] for code in self.kept.tolist())
        return kept if len(kept) == self.count else (*kept, "other values")

    def encode(self, contents: Array) -> Codes:
        """The code of every value; -1 where the value is missing."""
        code = np.full(self.column.size + 1, len(self.kept), np.int32)
        code[self.kept] = np.arange(len(self.kept))
        code[-1] = -1  # where missing values, stored as -1, look
        return code[contents]

    def decode(self, codes: Codes, rng: np.random.Generator) -> Array:
        """Values of the codes; those of the group are drawn uniformly."""
        out = np.append(self.kept, [-1, -1])[codes].astype(np.int32)
        rest = np.setdiff1d(np.arange(self.column.size), self.kept)
        shared = np.flatnonzero(codes == len(self.kept))
        if len(shared):
            out[shared] = rest[rng.integers(len(rest), size=len(shared))]
        return out


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The bins of one column of numbers or times.

    >>> age = Column(name="age", kind="real", low=0, high=100, bins=4, nullable=True)
    >>> bins = Bins.equal(age)
    >>> codes = bins.encode(np.array([0, 24.9, 25, 100, np.nan]))
    >>> codes.tolist(), bins.count
    ([0, 1, 2, 4, -1], 5)
    >>> bins.decode(codes, np.random.default_rng(1)).tolist()
    [0.0, 23.76, 28.6, 98.72, nan]

    Parameters
    ----------
    column : the column of the schema.
    starts : the position at which each bin begins, in order, and behind them the position at which
        the last bin ends. A bin does not contain its end; the last one of a continuous column does.
    """

    column: Column
    starts: Array

    @classmethod
    def of(cls, column: Column) -> Bins:
        """The bins that the schema asks for: with its edges, or of equal width."""
        if column.edges is None:
            return cls.equal(column)
        grid = Grid(column)
        low, high = grid.bounds
        if grid.continuous:
            return cls.at(column, np.array([low, *column.edges, high]))
        places = np.ceil((np.array(column.edges) - low) / (column.step or 1)).astype(np.int64)
        return cls.at(column, np.unique([0, *places.clip(0, grid.count), grid.count]))

    @classmethod
    def equal(cls, column: Column, count: int | None = None) -> Bins:
        """Bins of equal width, as many as given or as the schema says, and one more for zero.

        On a grid, where no equal widths may exist, bins differ by at most one position.
        """
        grid, wanted = Grid(column), count or column.bins
        if grid.continuous:
            low, high = grid.bounds
            wanted = (wanted or DEFAULT_BINS) if high > low else 1
            return cls.at(column, np.linspace(low, high, wanted + 1))
        if wanted is None:
            few = column.step is not None and grid.count <= MOST_STEPS
            wanted = grid.count if few else DEFAULT_BINS
        wanted = min(wanted, grid.count)
        starts = [-(-k * grid.count // wanted) for k in range(wanted + 1)]
        return cls.at(column, np.array(starts, np.int64))

    @classmethod
    def at(cls, column: Column, starts: Array) -> Bins:
        """Bins with these starts, and one more for zero.

        Zero often means something else than small numbers do: no income, no children. If zeros
        shared a bin, they would become small numbers when values are drawn.
        """
        zero = Grid(column).zero
        if zero is None:
            return cls(column, starts)
        after = zero + 1 if starts.dtype.kind == "i" else np.nextafter(0.0, 1.0)
        return cls(column, np.unique(np.append(starts, [zero, min(after, starts[-1])])))

    @property
    def count(self) -> int:
        """The number of bins."""
        return len(self.starts) - 1

    def encode(self, contents: Array) -> Codes:
        """The bin of every value, from 0; -1 where the value is missing."""
        grid = Grid(self.column)
        places = np.searchsorted(self.starts[1:-1], grid.positions(contents), side="right")
        codes: Codes = places.astype(np.int32)
        if self.column.nullable:
            codes[grid.missing(contents)] = -1
        return codes

    def decode(self, codes: Codes, rng: np.random.Generator) -> Array:
        """Draw a value within the bin of every code; -1 becomes a missing value."""
        grid, known = Grid(self.column), np.maximum(codes, 0)
        first, end = self.starts[known], self.starts[known + 1]
        drawn = self._between(known, first, end, rng) if grid.continuous else None
        contents = grid.contents(rng.integers(first, end) if drawn is None else drawn)
        if (codes < 0).any():
            contents[codes < 0] = missing_value(self.column)
        return contents

    def _between(
        self, codes: Codes, first: Floats, end: Floats, rng: np.random.Generator
    ) -> Floats:
        """Draw numbers of a few digits, so that files stay short; no number leaves its bin."""
        drawn = first + rng.random(len(codes)) * (end - first)
        widths = np.diff(self.starts)
        with np.errstate(divide="ignore"):
            digits = np.clip(_DIGITS - np.floor(np.log10(widths)), 0, 15)
        scale = (10.0**digits)[codes]
        rounded = np.rint(drawn * scale) / scale
        last = np.where(codes == self.count - 1, end, np.nextafter(end, first))
        inside = (rounded >= first) & (rounded <= last)
        return np.asarray(np.clip(np.where(inside, rounded, drawn), first, last))


@dataclass(frozen=True, slots=True)
class Grid:
    """The positions of one column of bounded numbers or times.

    >>> column = Column(name="bmi", kind="real", low=10, high=60, step=0.1)
    >>> grid = Grid(column)
    >>> positions = grid.positions(np.array([10.0, 10.26, 60.0]))
    >>> positions.tolist(), grid.contents(positions).tolist(), grid.count
    ([0, 3, 500], [10.0, 10.3, 60.0], 501)
    """

    column: Column

    @property
    def continuous(self) -> bool:
        """Whether any number between the bounds is a position."""
        return self.column.fractional and self.column.step is None

    @property
    def count(self) -> int:
        """The number of positions on the grid; a continuous column has no such number."""
        low, high = self.bounds
        if self.column.fractional:
            # A step of 0.1 is stored as a number a little below or above it.
            return int(np.floor((high - low) / self._step() + 1e-9)) + 1
        if self.column.temporal:
            low, high = (
                int(in_units(np.array([end], np.int64), self._unit())[0]) for end in (low, high)
            )
        return (int(high) - int(low)) // int(self._step()) + 1

    @property
    def zero(self) -> int | float | None:
        """The position of the number zero; None if the column has no zero."""
        low, high = self.bounds
        if self.column.temporal or not low <= 0 <= high:
            return None
        if self.continuous:
            return 0.0
        place = self.positions(np.array([-self.column.offset]))
        return int(place[0]) if self.contents(place)[0] == -self.column.offset else None

    def missing(self, contents: Array) -> Mask:
        """For each cell, whether its value is missing."""
        return missing_cells(self.column, contents)

    def positions(self, contents: Array) -> Array:
        """Column contents as positions; values between two positions go to the nearest one.

        The position of a missing value has no meaning.
        """
        if self.continuous:
            return contents
        steps = self._steps(contents)
        return np.clip(steps, 0, self.count - 1)

    def contents(self, positions: Array) -> Array:
        """Positions as column contents."""
        if self.continuous:
            return positions
        low, _ = self.bounds
        step = self._step()
        if self.column.fractional:
            return np.round(low + positions * step, self._decimals())
        if self.column.whole:  # stored less their lower bound
            return positions * int(step)
        first = in_units(np.array([low], np.int64), self._unit())
        return in_seconds(first + positions * int(step), self._unit())

    def _steps(self, contents: Array) -> Array:
        low, _ = self.bounds
        if self.column.fractional:
            steps = (np.nan_to_num(contents, nan=low) - low) / self._step()
            return np.rint(steps).astype(np.int64)
        units = contents.astype(np.int64)
        if self.column.temporal:
            units = np.where(units == MISSING_TIME, int(low), units)
            units = in_units(units, self._unit()) - in_units(
                np.array([low], np.int64), self._unit()
            )
        step = int(self._step())
        return units if step == 1 else (units + step // 2) // step

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest number allowed; for a time, in seconds since 1970."""
        low, high = self.column.bounds
        if low is None or high is None:
            raise ValueError(f"column {self.column.name!r} has no bounds")
        return low, high

    def _step(self) -> float:
        return 1 if self.column.step is None else self.column.step

    def _unit(self) -> TimeUnit:
        return smallest_unit(self.column.time_format)

    def _decimals(self) -> int:
        """The digits after the point that numbers on the grid can have."""
        exponents = [Decimal(repr(x)).as_tuple().exponent for x in (self.bounds[0], self._step())]
        return min(15, max(-int(e) for e in exponents))
