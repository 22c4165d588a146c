"""Adversarial random forest: leaves in which columns do not depend on each other any more."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field
from scipy.special import ndtr, ndtri

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Array, Codes, Floats, Mask, Rows
from quintain.kernels.observed import Distribution, Ranks, contents_of
from quintain.registry import register
from quintain.releases import FocalPoint
from quintain.sanitizers.masking.mask import numeric
from quintain.sanitizers.synthesizer import Arrays, FittedModel
from quintain.sanitizers.synthetic.generators.generator import TableGenerator


@dataclass(frozen=True, slots=True, eq=False)
class ForestModel(FittedModel):
    """The leaves of all trees, and in each leaf the distribution of every column by itself.

    Parameters
    ----------
    values : by column, the values that occur.
    repeated : by column, which of its values are drawn as they are; the other numbers lie close
        together, and follow a normal distribution.
    begin, count : by leaf, the part of ``donors`` that belongs to it.
    donors : one row per column: ranks, sorted within each leaf, so that no row of records is kept.
    mean, spread, low, high : by leaf and column, the normal distribution of numbers and its ends;
        NaN for other columns and where all are missing.
    """

    kind: ClassVar[str] = "adversarial-forest"

    schema: Schema
    size: int
    values: dict[str, Array]
    repeated: dict[str, Mask]
    begin: Rows
    count: Rows
    donors: Codes
    mean: Floats
    spread: Floats
    low: Floats
    high: Floats

    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw a leaf by its number of records, then each column by itself."""
        leaf = rng.choice(len(self.count), rows, p=self.count / self.count.sum())
        columns = {}
        for number, column in enumerate(self.schema.columns):
            pick = (rng.random(rows) * self.count[leaf]).astype(np.int64)
            ranks = self.donors[number, self.begin[leaf] + pick]
            values, repeated = self.values[column.name], self.repeated[column.name]
            contents = contents_of(column, values, ranks)
            if not repeated.all():
                rare = (ranks >= 0) & ~repeated[ranks]
                drawn = self._numbers(number, leaf[rare], rng=rng)
                seen = Distribution(column, values, np.ones(len(values), np.int64))
                contents[rare] = seen.nearest(drawn)
            columns[column.name] = contents
        return Table(self.schema, columns)

    def _numbers(self, column: int, leaf: Rows, *, rng: np.random.Generator) -> Floats:
        """Draw from the normal distributions of leaves, cut off at the ends of each leaf."""
        mean, spread, low, high = (
            part[leaf, column] for part in (self.mean, self.spread, self.low, self.high)
        )
        wide = np.where(spread > 0, spread, 1.0)
        first, last = ndtr((low - mean) / wide), ndtr((high - mean) / wide)
        drawn = mean + wide * ndtri(first + rng.random(len(leaf)) * (last - first))
        return np.asarray(np.where(spread > 0, np.clip(drawn, low, high), mean))

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """List nothing: leaves look at all columns, and keep no statistic on purpose."""
        return ()

    def arrays(self) -> Arrays:
        """Give the observed values and everything about leaves."""
        return {
            **{f"values/{name}": array for name, array in self.values.items()},
            **{f"repeated/{name}": array for name, array in self.repeated.items()},
            **{name: getattr(self, name) for name in _LEAF_ARRAYS},
        }

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> ForestModel:
        """Make a model from what :meth:`arrays` gave."""
        values, repeated = (
            {name: arrays[f"{what}/{name}"] for name in schema.names}
            for what in ("values", "repeated")
        )
        return cls(schema, size, values, repeated, *(arrays[name] for name in _LEAF_ARRAYS))


_ATOM = 0.01
"""A number that at least this share of all records has is drawn as it is."""

_LEAF_ARRAYS = ("begin", "count", "donors", "mean", "spread", "low", "high")


@register("arf-v1")
class AdversarialForest(TableGenerator):
    """Grows a forest that tells private from synthetic records until it cannot, and draws from it.

    At first, synthetic records have every column drawn by itself. A random forest learns to tell
    them from the private records. New synthetic records come from its leaves: a leaf is drawn by
    its number of private records, and within it each column by itself. This is repeated until the
    forest is right for at most half of the records that its trees were not grown on, or ``rounds``
    are over. Then columns are nearly independent within each leaf. Numbers in a leaf follow a
    normal distribution that is cut off at the ends of the leaf; other values, and numbers that one
    of a hundred records has, occur as often as in the leaf. Leaves with fewer than ``leaf`` private
    records join their neighbours.

    The part claims no privacy.

    Parameters
    ----------
    rows : how many records to draw; if not given, as many as the private data has.
    trees : the number of trees.
    leaf : the smallest number of private records in a leaf.
    rounds : the most rounds of growing a forest.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table())
    >>> release = q.sanitize("arf", table, seed=1)
    >>> round(q.measure("histogram", table, release)["histogram"].value, 2)
    0.96

    References
    ----------
    Watson, Blesch, Kapar and Wright (2023), Adversarial random forests for density estimation and
    generative modeling.
    """

    trees: Annotated[int, Field(ge=1, le=1000)] = 30
    leaf: Annotated[int, Field(ge=2)] = 5
    rounds: Annotated[int, Field(ge=1, le=100)] = 10

    def fit(self, data: Table, *, rng: np.random.Generator) -> ForestModel:
        """Grow forests until private and synthetic records look alike, then describe the leaves."""
        ranked = Ranks.of(data)
        real = ranked.ranks
        made = np.stack([rng.permutation(row) for row in real])
        for _ in range(self.rounds):
            forest = self._grow(real, made, rng=rng)
            leaves = Leaves.of(forest, real, self.leaf)
            if forest.oob_score_ <= 0.5:
                break
            made = leaves.draw(real, rng=rng)
        return _describe_leaves(data, ranked, leaves, forest)

    def _grow(self, real: Codes, made: Codes, *, rng: np.random.Generator) -> Any:
        from sklearn.ensemble import RandomForestClassifier

        forest = RandomForestClassifier(
            self.trees,
            min_samples_leaf=self.leaf,
            oob_score=True,
            random_state=int(rng.integers(2**31)),
        )
        label = np.repeat([True, False], real.shape[1])
        with warnings.catch_warnings():
            # With few trees, some records are in all of them and have no vote; the others suffice.
            warnings.filterwarnings("ignore", "Some inputs do not have OOB scores")
            return forest.fit(np.concatenate([real, made], axis=1).T, label)


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of all trees: their records, one leaf after the other, and where each begins.

    Parameters
    ----------
    records : row numbers of private records; each record is in one leaf of every tree.
    begin, count : by leaf, its part of ``records``.
    tree, node : by leaf, where it is in the forest.
    """

    records: Rows
    begin: Rows
    count: Rows
    tree: Rows
    node: Rows

    @classmethod
    def of(cls, forest: Any, real: Codes, least: int) -> Leaves:
        """Put the private records into leaves of at least so many of them."""
        features = real.T.astype(np.float32)
        records, counts, trees, nodes = [], [], [], []
        for number, estimator in enumerate(forest.estimators_):
            node = _prune(estimator, features, least)
            order = np.argsort(node, kind="stable")
            leaf, count = np.unique(node, return_counts=True)
            records.append(order)
            counts.append(count)
            nodes.append(leaf)
            trees.append(np.full(len(leaf), number))
        count = np.concatenate(counts)
        return cls(
            np.concatenate(records),
            np.cumsum(count) - count,
            count,
            np.concatenate(trees),
            np.concatenate(nodes),
        )

    def draw(self, real: Codes, *, rng: np.random.Generator) -> Codes:
        """Draw as many records as there are, each column by itself within a leaf."""
        rows = real.shape[1]
        leaf = rng.choice(len(self.count), rows, p=self.count / len(self.records))
        out = np.empty_like(real)
        for number, ranks in enumerate(real):
            pick = (rng.random(rows) * self.count[leaf]).astype(np.int64)
            out[number] = ranks[self.records[self.begin[leaf] + pick]]
        return out


def _prune(estimator: Any, features: Array, least: int) -> Rows:
    """Join small leaves with their neighbours; returns the node of each private record."""
    tree = estimator.tree_
    left, right = tree.children_left, tree.children_right
    count = np.bincount(tree.apply(features), minlength=tree.node_count)
    for parent in range(tree.node_count - 1, -1, -1):  # children have larger numbers
        if left[parent] >= 0:
            count[parent] = count[left[parent]] + count[right[parent]]
    splits = (left >= 0) & (count[left] >= least) & (count[right] >= least)
    at = np.zeros(len(features), np.int64)
    active = np.flatnonzero(splits[at])
    while len(active):
        node = at[active]
        goes_left = features[active, tree.feature[node]] <= tree.threshold[node]
        at[active] = np.where(goes_left, left[node], right[node])
        active = active[splits[at[active]]]
    return at


def _describe_leaves(data: Table, ranked: Ranks, leaves: Leaves, forest: Any) -> ForestModel:
    """Find the distribution of every column in every leaf."""
    columns, real = data.schema.columns, ranked.ranks
    shape = (len(leaves.count), len(columns))
    mean, spread, low, high = (np.full(shape, np.nan) for _ in range(4))
    of_leaf = np.repeat(np.arange(shape[0]), leaves.count)
    donors = np.empty((shape[1], len(leaves.records)), np.int32)
    repeated = {c.name: _find_repeated(c, row) for c, row in zip(columns, real, strict=True)}
    for number, column in enumerate(columns):
        ranks = real[number][leaves.records]
        donors[number] = ranks[np.lexsort((ranks, of_leaf))]
        if repeated[column.name].all():
            continue
        there = (ranks >= 0) & ~repeated[column.name][ranks]
        numbers = ranked.values[column.name][ranks[there]].astype(np.float64)
        people = np.bincount(of_leaf[there], minlength=shape[0])
        some = np.maximum(people, 1)
        centre = np.bincount(of_leaf[there], numbers, minlength=shape[0]) / some
        square = (numbers - centre[of_leaf[there]]) ** 2
        mean[:, number] = np.where(people > 0, centre, np.nan)
        spread[:, number] = np.sqrt(np.bincount(of_leaf[there], square, minlength=shape[0]) / some)
        values = ranked.values[column.name].astype(np.float64)
        ends = _ends(leaves, forest, number, len(values))
        low[:, number], high[:, number] = _cut(values, ends)
    return ForestModel(
        data.schema,
        len(data),
        ranked.values,
        repeated,
        leaves.begin,
        leaves.count,
        donors,
        mean,
        spread,
        low,
        high,
    )


def _find_repeated(column: Column, ranks: Codes) -> Mask:
    """Which values of a column are drawn as they are: frequent numbers, and all but numbers."""
    counts = np.bincount(ranks[ranks >= 0], minlength=ranks.max() + 1)
    return (counts >= max(2, _ATOM * len(ranks))) | (not numeric(column))


def _ends(leaves: Leaves, forest: Any, column: int, values: int) -> Floats:
    """By leaf, the ranks between which it lies; trees cut halfway between two ranks."""
    out = np.empty((2, len(leaves.count)))
    for number, estimator in enumerate(forest.estimators_):
        tree = estimator.tree_
        ends = np.empty((2, tree.node_count))
        ends[:, 0] = -0.5, values - 0.5
        for node, child, side in _children(tree):  # parents come before their children
            ends[:, child] = ends[:, node]
            if tree.feature[node] == column:
                cut = tree.threshold[node]
                ends[side, child] = min(max(cut, ends[0, node]), ends[1, node])
        of_tree: Mask = leaves.tree == number
        out[:, of_tree] = ends[:, leaves.node[of_tree]]
    return out


def _children(tree: Any) -> Iterator[tuple[int, int, int]]:
    """Every child with its parent, and which end of its interval the parent's cut is."""
    for node in range(tree.node_count):
        if tree.children_left[node] >= 0:
            yield node, tree.children_left[node], 1
            yield node, tree.children_right[node], 0


def _cut(values: Floats, ends: Floats) -> tuple[Floats, Floats]:
    """The numbers at cuts between ranks: halfway between both values; the outermost at the ends."""
    below = np.clip(np.floor(ends).astype(np.int64), 0, len(values) - 1)
    above = np.clip(np.ceil(ends).astype(np.int64), 0, len(values) - 1)
    numbers = (values[below] + values[above]) / 2
    return numbers[0], numbers[1]
