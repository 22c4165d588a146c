"""Matrix: a table as numbers for objects in the manner of scikit-learn, and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from quintain.data import Table
from quintain.data.arrays import Floats
from quintain.data.schema import Column
from quintain.kernels.dummies import numbers


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """Numbers with mean 0 and standard deviation 1, and one variable per category.

    A missing number counts as the mean, and one more variable marks it. Going back, the largest of
    the variables of a category wins, and a mark above one half means missing.

    Parameters
    ----------
    table : the table whose means and standard deviations are used.
    """

    table: Table

    def encode(self) -> Floats:
        """The table as numbers."""
        return np.concatenate([self._block(c) for c in self.table.schema.columns], axis=1)

    def decode(self, values: Floats) -> pa.Table:
        """Numbers as an Arrow table, before they are put under the schema."""
        columns, at = {}, 0
        for column in self.table.schema.columns:
            width = self._block(column).shape[1]
            columns[column.name] = self._cells(column, values[:, at : at + width])
            at += width
        return pa.table(columns)

    @property
    def width(self) -> int:
        """The number of variables."""
        return sum(self._block(c).shape[1] for c in self.table.schema.columns)

    def _block(self, column: Column) -> Floats:
        if column.kind == "category":
            size = len(column.values) + column.nullable
            return np.eye(size)[np.where((c := self.table.columns[column.name]) < 0, size - 1, c)]
        values, middle, spread = self._scale(column)
        parts = [np.nan_to_num((values - middle) / spread)]
        parts += [np.isnan(values).astype(np.float64)] if column.nullable else []
        return np.stack(parts, axis=1)

    def _scale(self, column: Column) -> tuple[Floats, float, float]:
        values = numbers(column, self.table)
        seen = values[~np.isnan(values)]
        if not len(seen):
            return values, 0.0, 1.0
        return values, float(seen.mean()), float(seen.std()) or 1.0

    def _cells(self, column: Column, block: Floats) -> pa.Array:
        if column.kind == "category":
            names = [*column.values, None]
            return pa.array([names[code] for code in block.argmax(axis=1).tolist()], pa.string())
        _, middle, spread = self._scale(column)
        values = block[:, 0] * spread + middle
        missing = block[:, 1] > 0.5 if column.nullable else np.zeros(len(values), bool)
        if column.kind == "time":
            seconds = np.rint(values).astype(np.int64)
            return pa.array(seconds, mask=missing).cast(pa.timestamp("s"))
        return pa.array(values, mask=missing | np.isnan(values))
