"""Coded view: tables as the attacks of a game count them, with few values per column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from quintain.data import Table
from quintain.data.arrays import Array, Floats, Rows
from quintain.kernels.dummies import numbers

MOST_VALUES = 128
"""A column with more possible values than this is cut into bins."""
BINS = 32


@dataclass(frozen=True, slots=True, eq=False)
class CodedView:
    """How the columns of a table become small codes; a missing value has the code 0.

    Parameters
    ----------
    names : the columns that are looked at.
    sizes : how many codes each of them has.
    starts : for a column that is cut, the least value of every bin but the first.
    codes : for a cut column with a finite domain, the code of each value.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    starts: Mapping[str, Floats]
    codes: Mapping[str, Rows]

    @classmethod
    def of(cls, data: Table, names: tuple[str, ...]) -> CodedView:
        """Cut at the quantiles of the data; a worst-case attacker knows them but for one person."""
        starts, codes, sizes = {}, {}, []
        for name in names:
            column = data.schema[name]
            if column.discrete and column.size <= MOST_VALUES:
                sizes.append(column.size + 1)
                continue
            values = numbers(column, data) if not column.discrete else data.columns[name]
            starts[name] = _starts(values)
            sizes.append(len(starts[name]) + 2)
            if column.discrete:
                every = np.arange(-1, column.size)
                codes[name] = np.where(every < 0, 0, _place(starts[name], every))
        return cls(names, tuple(sizes), starts, codes)

    def encode(self, table: Table) -> list[Array]:
        """The codes of each column, as bytes."""
        return [self._encode(table, name).astype(np.uint8) for name in self.names]

    def _encode(self, table: Table, name: str) -> Array:
        if name in self.codes:
            return np.asarray(self.codes[name][table.columns[name] + 1])
        if name in self.starts:
            values = numbers(table.schema[name], table)
            return np.where(np.isnan(values), 0, _place(self.starts[name], values))
        return table.columns[name] + 1


def _starts(values: Array) -> Floats:
    known = np.sort(values[values >= 0] if values.dtype.kind == "i" else values[~np.isnan(values)])
    if not len(known):
        return np.zeros(0)
    cuts = np.unique(known[np.arange(1, BINS) * len(known) // BINS]).astype(np.float64)
    # A common value is a bin of its own: it ends where the next value begins.
    after = known[np.minimum(np.searchsorted(known, cuts, "right"), len(known) - 1)]
    starts = np.unique(np.concatenate([cuts, after.astype(np.float64)]))
    return np.asarray(starts[starts > known[0]])


def _place(starts: Floats, values: Array) -> Rows:
    return np.searchsorted(starts, values, side="right") + 1
