"""Bins: numbers and times cut into intervals, and values drawn back within their interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Array, Codes, Floats
from quintain.data.codec import missing_value
from quintain.data.coding.grid import Grid
from quintain.data.schema import Column

DEFAULT_BINS = 32
"""The number of bins of a column whose schema does not say it."""

MOST_STEPS = 1000
"""A column with a ``step`` and more values than this is cut into the default number of bins."""

_DIGITS = 3
"""A value is drawn with about this many digits more than its bin is wide."""


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
