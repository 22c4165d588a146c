"""CART synthesis: each column is drawn from the leaves of a tree over the columns before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Array, Codes, Floats, Ints, Rows
from quintain.kernels.observed import Ranks, contents_of
from quintain.registry import register
from quintain.releases import FocalPoint
from quintain.sanitizers.synthesizer import Arrays, FittedModel
from quintain.sanitizers.synthetic.generators.generator import TableGenerator

_LEAF = -1
"""The child of a node that has none."""


@dataclass(frozen=True, slots=True, eq=False)
class DonorTree:
    """A tree over the columns before; each leaf holds the ranks of its records.

    Parameters
    ----------
    feature, threshold, left, right : by node; a record goes left if its feature is at most the
        threshold.
    begin, count : by node, the part of ``donors`` that belongs to it; nodes that are no leaves
        have none.
    donors : ranks of the column.
    places : the place of each rank of each column before, one list after the other; trees split
        by places. Categories have an order of their own for each tree.
    offsets : where the list of each column before begins; it starts with missing values.
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    begin: Rows
    count: Rows
    donors: Codes
    places: Floats
    offsets: Rows

    def draw(self, before: Codes, *, rng: np.random.Generator) -> Codes:
        """Draw a donor's rank for each record, given the ranks of the columns before."""
        node = np.zeros(before.shape[1], np.int64)
        active = np.flatnonzero(self.left[node] != _LEAF)
        while len(active):
            at = node[active]
            feature = self.feature[at]
            place = self.places[self.offsets[feature] + before[feature, active] + 1]
            at = np.where(place <= self.threshold[at], self.left[at], self.right[at])
            node[active] = at
            active = active[self.left[at] != _LEAF]
        pick = (rng.random(len(node)) * self.count[node]).astype(np.int64)
        return np.asarray(self.donors[self.begin[node] + pick])


@dataclass(frozen=True, slots=True, eq=False)
class CartModel(FittedModel):
    """One tree per column."""

    kind: ClassVar[str] = "cart"

    schema: Schema
    size: int
    values: dict[str, Array]
    trees: list[DonorTree] = field(default_factory=list)

    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw one column after the other."""
        ranks = np.full((len(self.trees), rows), -1, np.int32)
        for number, tree in enumerate(self.trees):
            ranks[number] = tree.draw(ranks[:number], rng=rng)
        columns = {
            column.name: contents_of(column, self.values[column.name], row)
            for column, row in zip(self.schema.columns, ranks, strict=True)
        }
        return Table(self.schema, columns)

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """List nothing: a tree looks at all columns before, and keeps no statistic of them all."""
        return ()

    def arrays(self) -> Arrays:
        """Give the observed values, and the arrays of all trees."""
        of_columns = {f"values/{name}": array for name, array in self.values.items()}
        of_trees = {
            f"tree/{number}/{name}": getattr(tree, name)
            for number, tree in enumerate(self.trees)
            for name in DonorTree.__slots__
        }
        return of_columns | of_trees

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> CartModel:
        """Make a model from what :meth:`arrays` gave."""
        values = {name: arrays[f"values/{name}"] for name in schema.names}
        trees = [
            DonorTree(*(arrays[f"tree/{number}/{name}"] for name in DonorTree.__slots__))
            for number in range(len(schema.columns))
        ]
        return cls(schema, size, values, trees)


@register("cart-v1")
class CartSynthesis(TableGenerator):
    """Draws each column from the leaves of a decision tree over the columns before it.

    The first column is drawn from its own values. For each later one, a tree is grown on the
    private records that predicts it from the columns before, and a synthetic record gets the value
    of a private record in its leaf, at random. A missing value is a value like any other, below all
    others. Trees over categories without an order put their values in the order of what is
    predicted. Small leaves copy parts of people: the fewer records a leaf may have, the closer the
    release is to the private data.

    The part claims no privacy. Where a leaf holds one value, everybody in it gets that value.

    Parameters
    ----------
    rows : how many records to draw; if not given, as many as the private data has.
    leaf : the smallest number of private records in a leaf.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table())
    >>> release = q.sanitize("cart", table, seed=1)
    >>> round(q.measure("correlation", table, release)["correlation"].value, 2)
    0.09

    References
    ----------
    Reiter (2005), Using CART to generate partially synthetic public use microdata. Nowok, Raab and
    Dibben (2016), synthpop: bespoke creation of synthetic data in R (leaf 5 is its default).
    """

    leaf: Annotated[int, Field(ge=1)] = 5

    def fit(self, data: Table, *, rng: np.random.Generator) -> CartModel:
        """Grow one tree per column, in the order of the schema."""
        ranked = Ranks.of(data)
        columns = data.schema.columns
        trees = [
            _grow(columns[: n + 1], ranked.ranks[: n + 1], self.leaf, rng=rng)
            for n in range(len(columns))
        ]
        return CartModel(data.schema, len(data), ranked.values, trees)


def _grow(
    columns: tuple[Column, ...], ranks: Codes, leaf: int, *, rng: np.random.Generator
) -> DonorTree:
    """Grow the tree that predicts the last column from the others."""
    *before, target = columns
    wanted = ranks[-1]
    if not before or (wanted == wanted[0]).all():
        return _stump(wanted)
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    nominal = target.listed and not target.ordered
    grower = DecisionTreeClassifier if nominal else DecisionTreeRegressor
    tree = grower(min_samples_leaf=leaf, random_state=int(rng.integers(2**31)))
    aim = wanted == np.bincount(wanted + 1).argmax() - 1 if nominal else wanted
    places = [_places(column, row, aim) for column, row in zip(before, ranks, strict=False)]
    features = np.stack([place[row + 1] for place, row in zip(places, ranks, strict=False)], axis=1)
    tree.fit(features, wanted)
    grown = tree.tree_
    node = tree.apply(features)
    order = np.argsort(node, kind="stable")
    count = np.bincount(node, minlength=grown.node_count)
    return DonorTree(
        feature=np.where(grown.children_left < 0, _LEAF, grown.feature).astype(np.int64),
        threshold=grown.threshold.copy(),
        left=grown.children_left.astype(np.int64),
        right=grown.children_right.astype(np.int64),
        begin=np.cumsum(count) - count,
        count=count,
        donors=wanted[order],
        places=np.concatenate(places),
        offsets=np.cumsum([0, *(len(place) for place in places[:-1])]),
    )


def _stump(wanted: Codes) -> DonorTree:
    """The tree of a single leaf."""
    none = np.array([_LEAF])
    whole = np.array([len(wanted)])
    nothing = np.zeros(0, np.int64)
    return DonorTree(
        none, np.zeros(1), none, none, np.zeros(1, np.int64), whole, wanted, np.zeros(0), nothing
    )


def _places(column: Column, ranks: Codes, aim: Array) -> Floats:
    """The place of each rank of a column, that of missing values first.

    For numbers it is the rank. For categories without an order it is the mean of what is predicted,
    which makes the best split of two outcomes or of a mean one of neighbours. Trees compare in
    single precision, so places are few small numbers.
    """
    count = int(ranks.max()) + 2
    if not column.listed or column.ordered:
        return np.arange(-1, count - 1, dtype=np.float64)
    people = np.bincount(ranks + 1, minlength=count)
    means = np.bincount(ranks + 1, aim, minlength=count) / np.maximum(people, 1)
    place = np.empty(count)
    place[np.argsort(means, kind="stable")] = np.arange(count)
    return place
