"""Pair tables: the counts of all pairs of columns, made once and read for any number of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from quintain.data.arrays import Array, Floats, Ints, Rows

Pair = tuple[int, int]
"""The places of two columns."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where the table of each pair of columns begins in one long array.

    Parameters
    ----------
    sizes : how many values each column has.
    starts : the first cell of each pair, pair after pair; at the end the number of all cells.
    first, second : for each cell its value in the first and in the second column of its pair.
    """

    sizes: tuple[int, ...]
    pairs: tuple[Pair, ...]
    starts: Rows
    first: Rows
    second: Rows

    def cells(self, columns: Sequence[Array]) -> Rows:
        """The cell of each record in the table of each pair: pairs x records."""
        wide = [np.asarray(values, np.int64) for values in columns]
        out = np.empty((len(self.pairs), len(wide[0]) if wide else 0), np.int64)
        for place, (i, j) in enumerate(self.pairs):
            out[place] = wide[i] * self.sizes[j] + wide[j] + self.starts[place]
        return out


@lru_cache(maxsize=8)
def layout(sizes: tuple[int, ...]) -> Layout:
    """Lay the tables of all pairs of columns with these sizes one after the other."""
    pairs = tuple(combinations(range(len(sizes)), 2))
    lengths = np.array([sizes[i] * sizes[j] for i, j in pairs], np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    grids = [np.divmod(np.arange(sizes[i] * sizes[j]), sizes[j]) for i, j in pairs]
    first, second = (
        np.concatenate([grid[side] for grid in grids] or [np.zeros(0, np.int64)]) for side in (0, 1)
    )
    return Layout(sizes, pairs, starts, first, second)


@dataclass(frozen=True, slots=True, eq=False)
class PairTables:
    """How often each pair of values occurs, for every pair of columns.

    Parameters
    ----------
    rows : how many records were counted.
    counts : the tables, one after the other.
    singles : how often each value of each column occurs.
    """

    layout: Layout
    rows: int
    counts: Ints
    singles: tuple[Ints, ...]

    @classmethod
    def of(cls, columns: Sequence[Array], sizes: Sequence[int]) -> PairTables:
        """Count all pairs of columns; the values are codes from 0.

        >>> tables = PairTables.of([np.array([0, 1, 1]), np.array([1, 0, 0])], [2, 2])
        >>> tables.counts.tolist(), [one.tolist() for one in tables.singles]
        ([0, 1, 2, 0], [[1, 2], [2, 1]])
        """
        places = layout(tuple(sizes))
        largest = max((sizes[i] * sizes[j] for i, j in places.pairs), default=0)
        kind = np.int16 if largest < 2**15 else np.int64
        narrow: list[Array] = [np.asarray(values, kind) for values in columns]
        tables = [
            np.bincount(narrow[i] * kind(sizes[j]) + narrow[j], minlength=sizes[i] * sizes[j])
            for i, j in places.pairs
        ]
        counts = np.concatenate(tables) if tables else np.zeros(0, np.int64)
        singles = tuple(
            np.bincount(values, minlength=size) for values, size in zip(narrow, sizes, strict=True)
        )
        return cls(places, len(columns[0]) if columns else 0, counts, singles)

    def information(self) -> Floats:
        """The mutual information of each pair of columns, in nats.

        >>> twins = np.array([0, 1, 0, 1])
        >>> PairTables.of([twins, twins], [2, 2]).information().round(4)
        array([0.6931])
        """
        own = np.array([_log_sum(counts) for counts in self.singles])
        if not len(self.counts) or not self.rows:
            return np.zeros(len(self.layout.pairs))
        weights = self.counts * np.log(np.maximum(self.counts, 1))
        joint = np.add.reduceat(weights, self.layout.starts[:-1])
        pairs = np.array(self.layout.pairs, np.int64)
        both = joint - own[pairs[:, 0]] - own[pairs[:, 1]]
        return np.asarray(both / self.rows + np.log(self.rows))

    def spanning_tree(self) -> list[int]:
        """The pairs of the tree in which columns depend most on each other (Chow and Liu 1968).

        Pairs are given by their place in the layout.
        """
        group = list(range(len(self.layout.sizes)))
        edges = []
        for place in np.argsort(-self.information(), kind="stable").tolist():
            one, other = (group[column] for column in self.layout.pairs[place])
            if one != other:
                edges.append(place)
                group = [one if each == other else each for each in group]
        return edges

    def products(self) -> Floats:
        """For each pair of columns the mean product of their codes."""
        if not len(self.counts):
            return np.zeros(0)
        weights = self.counts * (self.layout.first * self.layout.second)
        return np.asarray(np.add.reduceat(weights, self.layout.starts[:-1]) / max(1, self.rows))


def _log_sum(counts: Ints) -> float:
    present = counts[counts > 0]
    return float((present * np.log(present)).sum())
