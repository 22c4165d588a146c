"""Boosted trees: a classifier for two classes of records, from coded columns alone.

It needs no library but NumPy, so a figure that rests on it is the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Array, Codes, Floats, Ints, Mask

RATE, SMOOTHING, LEAST = 0.2, 1.0, 5.0
"""How much a tree may correct; the weight of "no correction"; how much weight a branch needs."""


@dataclass(frozen=True, slots=True, eq=False)
class _Tree:
    """All nodes of a level split at once: node k of a level has the nodes 2k and 2k + 1 below it.

    Parameters
    ----------
    columns, thresholds : for each level, the column and the highest code that goes to the left.
    leaves : what a record in each leaf adds to the log odds.
    """

    columns: tuple[Ints, ...]
    thresholds: tuple[Ints, ...]
    leaves: Floats

    def add(self, codes: Codes) -> Floats:
        rows, node = np.arange(codes.shape[1]), np.zeros(codes.shape[1], np.int64)
        for column, threshold in zip(self.columns, self.thresholds, strict=True):
            node = 2 * node + (codes[column[node], rows] > threshold[node])
        return np.asarray(self.leaves[node])


@dataclass(frozen=True, slots=True, eq=False)
class BoostedTrees:
    """Many small trees, each of which corrects the log odds of those before (logistic loss).

    >>> rng = np.random.default_rng(0)
    >>> codes = rng.integers(4, size=(2, 400))
    >>> positive = codes[0] == codes[1]
    >>> trees = BoostedTrees.learn(codes, [4, 4], positive)
    >>> bool(((trees.log_odds(codes) > 0) == positive).all())
    True

    References
    ----------
    Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 29
    (2001). Chen and Guestrin, XGBoost: a scalable tree boosting system, KDD (2016): the gain of a
    split.
    """

    start: float
    trees: tuple[_Tree, ...]

    @classmethod
    def learn(
        cls, codes: Codes, sizes: list[int], positive: Mask, *, rounds: int = 40, depth: int = 5
    ) -> BoostedTrees:
        """Learn from one row of codes per column, with the number of codes of each column.

        Codes are split at thresholds, so their order matters for how many splits are needed.
        """
        share = (positive.sum() + 1) / (len(positive) + 2)
        start = float(np.log(share / (1 - share)))
        odds, trees = np.full(len(positive), start), []
        flat = (codes + np.cumsum([0, *sizes[:-1]])[:, None]).astype(np.int64)
        ends = np.cumsum(sizes)
        for _ in range(rounds):
            p = 1 / (1 + np.exp(-odds))
            tree = _grow(codes, flat, ends, positive - p, p * (1 - p), depth)
            odds = odds + tree.add(codes)
            trees.append(tree)
        return cls(start, tuple(trees))

    def log_odds(self, codes: Codes) -> Floats:
        """The log odds of the positive class for further records."""
        return self.start + sum((t.add(codes) for t in self.trees), np.zeros(codes.shape[1]))


def _grow(codes: Codes, flat: Ints, ends: Ints, slope: Floats, weight: Floats, depth: int) -> _Tree:
    rows, node = np.arange(len(slope)), np.zeros(len(slope), np.int64)
    columns, thresholds = [], []
    for level in range(depth):
        column, threshold = _splits(flat + node * ends[-1], 2**level, ends, slope, weight)
        columns.append(column)
        thresholds.append(threshold)
        node = 2 * node + (codes[column[node], rows] > threshold[node])
    total, mass = (np.bincount(node, w, minlength=2**depth) for w in (slope, weight))
    return _Tree(tuple(columns), tuple(thresholds), RATE * total / (mass + SMOOTHING))


def _splits(keys: Ints, nodes: int, ends: Ints, slope: Floats, weight: Floats) -> tuple[Ints, Ints]:
    """For each node of a level, the column and the threshold whose split gains most."""
    width, columns = int(ends[-1]), len(ends)
    left, mass = (
        _from_left(
            np.bincount(keys.ravel(), np.tile(w, columns), minlength=nodes * width), nodes, ends
        )
        for w in (slope, weight)
    )
    total, all_mass = left[:, ends[:1] - 1], mass[:, ends[:1] - 1]
    gain = _fit(left, mass) + _fit(total - left, all_mass - mass)
    gain[(mass < LEAST) | (all_mass - mass < LEAST)] = -np.inf
    best = gain.argmax(axis=1)
    column = np.searchsorted(ends, best, side="right")
    threshold = best - np.concatenate([[0], ends])[column]
    # No threshold is above the last code: a node without a useful split sends all to the left.
    useless = ~np.isfinite(gain[np.arange(nodes), best])
    threshold[useless] = width
    return column, threshold


def _fit(slope: Floats, mass: Floats) -> Floats:
    return np.asarray(slope**2 / (mass + SMOOTHING))


def _from_left(sums: Array, nodes: int, ends: Ints) -> Floats:
    """Sums over all codes up to each one, column by column."""
    running = sums.reshape(nodes, -1).cumsum(axis=1)
    before = np.concatenate([np.zeros((nodes, 1)), running[:, ends[:-1] - 1]], axis=1)
    return np.asarray(running - np.repeat(before, np.diff(ends, prepend=0), axis=1))
