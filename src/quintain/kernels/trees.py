"""Decision trees that predict a category of a table, and boosted trees that tell two classes apart.

The boosted trees need no library but NumPy, so a figure that rests on them is the same on every
machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Array, Codes, Floats, Ints, Mask, Rows
from quintain.data.schema import Schema
from quintain.data.table import Table
from quintain.errors import MissingExtra, PartError
from quintain.kernels.dummies import numbers

Encoding = Literal["drop-first", "full"]
Features = npt.NDArray[np.float32]

_LARGEST = 3e38  # larger numbers do not fit a float32

RATE, SMOOTHING, LEAST = 0.2, 1.0, 5.0
"""How much a tree may correct; the weight of "no correction"; how much weight a branch needs."""


def require_target(part: str, schema: Schema, target: str, positive: str) -> None:
    """Refuse a target that is not a category of the data, or lacks the positive value."""
    if target not in schema or not schema[target].listed:
        raise PartError(f"{part}: the data have no category {target!r} to predict")
    if positive not in schema[target].values:
        raise PartError(f"{part}: {target!r} has no value {positive!r}")
    if len(schema.attributes) < 2:
        raise PartError(f"{part}: no other column is left to predict {target!r} from")


def features(table: Table, target: str, encoding: Encoding) -> Features:
    """All columns except the target, as numbers; a missing number stays missing.

    Numbers come first. Then "full" has one variable per category; "drop-first" leaves out the
    alphabetically first category of each column.
    """
    columns = [c for c in table.schema.attributes if c.name != target]
    parts: list[Array] = [
        np.clip(numbers(c, table), -_LARGEST, _LARGEST) for c in columns if not c.listed
    ]
    for column in columns:
        if column.listed:
            codes = table.columns[column.name]
            order = np.argsort(column.values)[encoding == "drop-first" :]
            parts += [codes == code for code in order]
            parts += [codes < 0] if column.nullable else []
    # Trees read one variable at a time, so each variable is contiguous in memory.
    out = np.empty((len(table), len(parts)), np.float32, order="F")
    for place, part in enumerate(parts):
        out[:, place] = part
    return out


@dataclass(frozen=True, slots=True, eq=False)
class FittedTree:
    """A tree of scikit-learn, ``random_state`` 0, that predicts a category of a column."""

    target: str
    encoding: Encoding
    positive: int
    fitted: Any

    @classmethod
    def learn(
        cls,
        table: Table,
        target: str,
        positive: str,
        *,
        depth: int,
        binarise: bool = True,
        encoding: Encoding = "drop-first",
    ) -> FittedTree:
        """Learn to predict "positive or not", or each of the categories."""
        try:
            from sklearn.tree import DecisionTreeClassifier
        except ModuleNotFoundError:
            raise MissingExtra("a decision tree", "scikit-learn", "ml") from None
        code, labels = table.schema[target].values.index(positive), table.columns[target]
        if binarise:
            labels, code = (labels == code).astype(np.int32), 1
        tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
        return cls(target, encoding, code, tree.fit(features(table, target, encoding), labels))

    def predicts_positive(self, records: Table) -> npt.NDArray[np.bool_]:
        """Whether the tree predicts the positive value, for each record."""
        predicted = self.fitted.predict(features(records, self.target, self.encoding))
        return np.asarray(predicted == self.positive)

    def branches(self, records: Table) -> Iterator[tuple[Rows, npt.NDArray[np.bool_]]]:
        """Yield the records of each splitting node, and which of them go to the likelier branch.

        Parents come first. The likelier branch has the larger share of positives in training.
        """
        tree = self.fitted.tree_
        path = self.fitted.decision_path(features(records, self.target, self.encoding)).tocsc()
        positive = list(self.fitted.classes_).index(self.positive) if tree.node_count > 1 else 0
        for node in np.flatnonzero(tree.children_left >= 0):
            sides = tree.children_left[node], tree.children_right[node]
            likelier = max(sides, key=lambda side: tree.value[side, 0, positive])
            rows, likelier_rows = (
                path.indices[path.indptr[n] : path.indptr[n + 1]] for n in (node, likelier)
            )
            yield np.asarray(rows, np.int64), np.isin(rows, likelier_rows)

    def leaves(self, records: Table) -> Rows:
        """The number of the leaf that each record reaches."""
        predicted = self.fitted.apply(features(records, self.target, self.encoding))
        return np.asarray(predicted, np.int64)


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
        # In this order the codes of a column lie together: counting is much faster.
        codes = np.ascontiguousarray(codes)
        flat = codes + np.cumsum([0, *sizes[:-1]])[:, None]
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
    slopes, weights = (np.tile(values, len(codes)) for values in (slope, weight))
    for level in range(depth):
        column, threshold = _splits(flat + node * ends[-1], 2**level, ends, slopes, weights)
        columns.append(column)
        thresholds.append(threshold)
        node = 2 * node + (codes[column[node], rows] > threshold[node])
    total, mass = (np.bincount(node, w, minlength=2**depth) for w in (slope, weight))
    return _Tree(tuple(columns), tuple(thresholds), RATE * total / (mass + SMOOTHING))


def _splits(
    keys: Ints, nodes: int, ends: Ints, slopes: Floats, weights: Floats
) -> tuple[Ints, Ints]:
    """For each node of a level, the column and the threshold whose split gains most.

    Slopes and weights are repeated for each column, as the keys are.
    """
    width = int(ends[-1])
    left, mass = (
        _from_left(np.bincount(keys.ravel(), values, minlength=nodes * width), nodes, ends)
        for values in (slopes, weights)
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
