"""Grid: the positions of the values of a column, counted from its lower bound.

Integers, times, and real numbers with a ``step`` lie on a grid: their positions are the integers
0, 1, 2 ... Other real numbers are their own positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from quintain.data.arrays import MISSING_TIME, Array, Mask
from quintain.data.codec import missing_cells
from quintain.data.schema import Column
from quintain.data.schema.times import TimeUnit, in_seconds, in_units, smallest_unit


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
        return self.column.kind == "real" and self.column.step is None

    @property
    def count(self) -> int:
        """The number of positions on the grid; a continuous column has no such number."""
        low, high = self.bounds
        if self.column.kind == "real":
            # A step of 0.1 is stored as a number a little below or above it.
            return int(np.floor((high - low) / self._step() + 1e-9)) + 1
        if self.column.kind == "time":
            low, high = (
                int(in_units(np.array([end], np.int64), self._unit())[0]) for end in (low, high)
            )
        return (int(high) - int(low)) // int(self._step()) + 1

    @property
    def zero(self) -> int | float | None:
        """The position of the number zero; None if the column has no zero."""
        low, high = self.bounds
        if self.column.kind == "time" or not low <= 0 <= high:
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
        if self.column.kind == "real":
            return np.round(low + positions * step, self._decimals())
        if self.column.kind == "integer":  # stored less their lower bound
            return positions * int(step)
        first = in_units(np.array([low], np.int64), self._unit())
        return in_seconds(first + positions * int(step), self._unit())

    def _steps(self, contents: Array) -> Array:
        low, _ = self.bounds
        if self.column.kind == "real":
            steps = (np.nan_to_num(contents, nan=low) - low) / self._step()
            return np.rint(steps).astype(np.int64)
        units = contents.astype(np.int64)
        if self.column.kind == "time":
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
