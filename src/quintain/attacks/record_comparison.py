"""Record comparison: how much each pair of a known and a released record speaks for a match.

This is the model of Fellegi and Sunter. Every column compares two values by a level: equal, a
little larger, much smaller. Two records of one person show some levels more often than two records
of different people. The logarithm of this ratio, summed over the columns, is the weight of a pair.
How often a level occurs among records of one person is learned from the release alone, by
expectation maximisation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from quintain.data import Table
from quintain.data.arrays import Array, Floats, Rows
from quintain.kernels.dummies import numbers

_DIFFERENCES = (0.005, 0.015, 0.05, 0.15, 0.4)  # shares of chance pairs within each level
_CHANCE_PAIRS = 20_000  # pairs of random records that show how often a level is chance
_FLOOR = 1e-4  # nothing is certain, neither a change nor its absence
_BLOCK = 1 << 21  # pairs that are weighed at a time


@dataclass(frozen=True, slots=True, eq=False)
class ColumnComparison:
    """How one column compares values, and what each level says.

    Parameters
    ----------
    known, released : the values of the column, as codes of categories or as numbers.
    edges : where one level of the difference of two numbers ends; empty for a category.
    chance : how often two random records show each level; for a category, the share of each
        known value among the released ones.
    match : how often two records of one person show each level.
    """

    known: Array
    released: Array
    edges: Floats
    chance: Floats
    match: Floats

    @classmethod
    def of(
        cls, known: Table, released: Table, name: str, *, kept: float, rng: np.random.Generator
    ) -> ColumnComparison:
        """Prepare a column; before anything is learned, ``kept`` values in 1 are unchanged."""
        if known.schema[name].listed:
            return cls._of_category(known.columns[name], released.columns[name], kept)
        column = known.schema[name]
        one, other = numbers(column, known), numbers(column, released)
        pairs = (
            rng.integers(len(one), size=_CHANCE_PAIRS),
            rng.integers(len(other), size=_CHANCE_PAIRS),
        )
        difference = other[pairs[1]] - one[pairs[0]]
        away = np.abs(difference[difference != 0])
        away = away[~np.isnan(away)]
        limits = np.unique(np.quantile(away, _DIFFERENCES)) if len(away) else np.zeros(0)
        edges = np.concatenate([-limits[::-1], limits])
        made = cls(one, other, edges, np.zeros(0), np.zeros(0))
        levels = made.levels_of(one[pairs[0]], other[pairs[1]])
        count = len(edges) + 3
        chance = _smooth(np.bincount(levels, minlength=count).astype(float))
        middle = len(limits)
        near = 0.5 ** np.abs(np.arange(len(edges) + 1) - middle)
        changed = min(4.5 * (1 - kept), 0.9)  # noise is commoner in numbers than in categories
        start = np.concatenate([8 / 9 * changed * near / near.sum(), [1 - changed, changed / 9]])
        return replace(made, chance=chance, match=start)

    @classmethod
    def _of_category(cls, known: Array, released: Array, kept: float) -> ColumnComparison:
        size = int(max(known.max(initial=0), released.max(initial=0))) + 2  # -1 is missing
        shares = _smooth(np.bincount(released + 1, minlength=size).astype(float))
        return cls(known + 1, released + 1, np.zeros(0), shares, np.array([1 - kept, kept]))

    @property
    def is_category(self) -> bool:
        """Whether values are equal or different, and nothing in between."""
        return self.known.dtype.kind == "i"

    def levels(self, rows: Rows) -> Array:
        """The level of every pair of one of these known records and a released record."""
        return self.levels_of(self.known[rows, None], self.released[None, :])

    def levels_of(self, known: Array, released: Array) -> Array:
        """The levels of pairs of values: bins of differences, then equal, then one missing."""
        if self.is_category:
            return np.asarray(known == released, np.int8)
        difference = released - known
        level = np.searchsorted(self.edges, difference).astype(np.int8)
        level[difference == 0] = len(self.edges) + 1
        missing = np.isnan(known) & np.isnan(released)
        level[np.isnan(difference)] = len(self.edges) + 2
        level[np.broadcast_to(missing, level.shape)] = len(self.edges) + 1
        return level

    def weights(self, rows: Rows, levels: Array) -> Floats:
        """The logarithm of how much likelier a level is if both records are of one person."""
        if not self.is_category:
            return np.asarray(np.log(self.match / self.chance)[levels])
        share = self.chance[self.known[rows]]
        other = np.log(self.match[0] / (1 - share))
        same = np.log(self.match[1] / share)
        return np.asarray(np.where(levels == 1, same[:, None], other[:, None]))

    def learn_from(self, totals: Floats) -> ColumnComparison:
        """The comparison after so much evidence for each level among records of one person."""
        return replace(self, match=_smooth(totals))


@dataclass(frozen=True, slots=True, eq=False)
class RecordComparison:
    """How known records compare with released records, over all columns that are known.

    Parameters
    ----------
    present : the share of known records that have a released record.

    >>> from quintain.testing import example_table, people
    >>> table, rng = people(example_table(rows=40)), np.random.default_rng(1)
    >>> model = RecordComparison.learn(table.take([3, 4]), table, rng=rng)
    >>> weights = np.concatenate([block for _, block in model.blocks()])
    >>> weights.shape, (weights.argmax(axis=1) == [3, 4]).tolist()
    ((2, 40), [True, True])
    """

    columns: tuple[ColumnComparison, ...]
    known: int
    released: int
    present: float

    @classmethod
    def before_looking(
        cls,
        known: Table,
        released: Table,
        *,
        rng: np.random.Generator,
        kept: float = 0.9,
        present: float = 1.0,
    ) -> RecordComparison:
        """The comparison under the belief that a value is unchanged with probability ``kept``."""
        columns = tuple(
            ColumnComparison.of(known, released, name, kept=kept, rng=rng)
            for name in known.schema.names
        )
        return cls(columns, len(known), len(released), present)

    @classmethod
    def learn(
        cls,
        known: Table,
        released: Table,
        *,
        rng: np.random.Generator,
        absent: bool = False,
        rounds: int = 10,
        lesson: int = 300,
    ) -> RecordComparison:
        """Learn from some of the known records, each of which has at most one released record.

        If records may be ``absent`` from the release, the attack also learns how many are present.
        """
        present = 0.5 if absent else 1.0
        model = cls.before_looking(known, released, rng=rng, present=present)
        few = max(1, min(lesson, len(known), _BLOCK // max(1, len(released))))
        rows = rng.choice(len(known), few, replace=False)
        levels = [column.levels(rows) for column in model.columns]
        for _ in range(rounds):
            model = model._after_round(rows, levels)
        return model

    @property
    def weight_of_nobody(self) -> float:
        """The weight above which a pair is likelier a match than a record without one."""
        return float(np.log(self.released * (1 - self.present) / self.present))

    def _after_round(self, rows: Rows, levels: list[Array]) -> RecordComparison:
        share = posterior(self._weights(rows, levels), self.present)
        present = (
            1.0 if self.present == 1.0 else float(np.clip(share.sum() / len(rows), 0.01, 0.99))
        )
        columns = tuple(
            column.learn_from(_totals(level, share, len(column.match)))
            for column, level in zip(self.columns, levels, strict=True)
        )
        return replace(self, columns=columns, present=present)

    def _weights(self, rows: Rows, levels: list[Array]) -> Floats:
        total = np.zeros((len(rows), self.released))
        for column, level in zip(self.columns, levels, strict=True):
            total += column.weights(rows, level)
        return total

    def blocks(self) -> Iterator[tuple[Rows, Floats]]:
        """Weigh all pairs, some known records at a time: their rows, and known x released."""
        step = max(1, _BLOCK // max(1, self.released))
        for start in range(0, self.known, step):
            rows = np.arange(start, min(start + step, self.known))
            yield rows, self._weights(rows, [column.levels(rows) for column in self.columns])

    def weights_at(self, candidates: Rows) -> Floats:
        """Weigh some pairs: known records x the released records that each is compared with."""
        rows, total = np.arange(self.known), np.zeros(candidates.shape)
        for column in self.columns:
            levels = column.levels_of(column.known[:, None], column.released[candidates])
            total += column.weights(rows, levels)
        return total


def posterior(weights: Floats, present: float, released: int | None = None) -> Floats:
    """How likely each released record is that of the known one; the rest is "of nobody".

    Before looking, a known record is ``present`` with this probability, and then every released
    record is equally likely. If there are more ``released`` records than weights, those without a
    weight are too unlike to count.
    """
    top = np.maximum(weights.max(axis=1, keepdims=True, initial=0.0), 0.0)
    each = present / (released or weights.shape[1]) * np.exp(weights - top)
    return np.asarray(each / (each.sum(axis=1, keepdims=True) + (1 - present) * np.exp(-top)))


def _totals(levels: Array, share: Floats, count: int) -> Floats:
    return np.asarray(np.bincount(levels.ravel(), share.ravel(), count), np.float64)


def _smooth(counts: Floats) -> Floats:
    shares = counts / max(float(counts.sum()), 1e-12)
    return np.asarray((1 - _FLOOR) * shares + _FLOOR / len(counts))


def best_pairs(weights: Floats, keep: int) -> tuple[Rows, Floats]:
    """The ``keep`` columns with the largest weights in each row, and these weights."""
    keep = min(keep, weights.shape[1])
    best = np.argpartition(-weights, keep - 1, axis=1)[:, :keep]
    return best, np.take_along_axis(weights, best, axis=1)


def assign_columns(columns: Rows, weights: Floats, count: int, alone: float | None = None) -> Rows:
    """The column of each row, no column twice, with the largest total weight; -1 for none.

    Parameters
    ----------
    columns, weights : rows x candidates; the candidates of each row and their weights.
    count : how many columns there are.
    alone : what it is worth to give a row no column. By default a row has none only if its
        candidates are all taken.

    >>> candidates = np.array([[0, 1], [0, 1]])
    >>> assign_columns(candidates, np.array([[5.0, 4.0], [3.0, 0.0]]), 2).tolist()
    [1, 0]
    """
    rows, candidates = columns.shape
    row = np.repeat(np.arange(rows), candidates)
    return assign_pairs(row, columns.ravel(), weights.ravel(), (rows, count), alone)


def assign_pairs(
    row: Rows, column: Rows, weight: Floats, shape: tuple[int, int], alone: float | None = None
) -> Rows:
    """As :func:`assign_columns`, with a list of pairs that may be matched; rows may differ in size.

    >>> row, column = np.array([0, 0, 1]), np.array([0, 1, 0])
    >>> assign_pairs(row, column, np.array([5.0, 4.0, 3.0]), (3, 2)).tolist()
    [1, 0, -1]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    rows, count = shape
    if rows == 0:
        return np.zeros(0, np.int64)
    worst = float(weight.min()) - 1.0 if weight.size else 0.0
    nobody = 10 * worst - 1e6 if alone is None else alone
    top = max(float(weight.max(initial=0.0)), nobody) + 1.0
    each = np.arange(rows)
    cost = top - np.concatenate([weight, np.full(rows, nobody)])  # zero would be no pair
    places = np.concatenate([row, each]), np.concatenate([column, count + each])
    graph = csr_array((cost, places), shape=(rows, count + rows))
    match = min_weight_full_bipartite_matching(graph)[1]
    return np.where(match < count, match, -1).astype(np.int64)
