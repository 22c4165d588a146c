"""Tree and forest ratio: compare densities along the dependences that the release shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.attacks.membership.record_scores import RecordScores
from quintain.data import Table
from quintain.data.arrays import Array, Floats
from quintain.kernels.associated_pairs import associated_pairs
from quintain.kernels.cells import cell_counts
from quintain.registry import register

_MOST_CELLS = 300_000  # two columns with more possible pairs of values are counted sparsely

_NOTICEABLE = 10.0  # nats beyond chance that a pair of columns gives over all records together


@register("tree-ratio-v1")
class TreeRatio(RecordScores):
    r"""Scores a record by the log ratio of its density in the release to that in the base data.

    Both densities are trees of pairwise dependence over the same edges: the maximum spanning tree
    of mutual information in the *release* (Chow and Liu 1968). A synthesizer that uses marginals
    preserves about these pairs. The attack needs no shadow runs and no knowledge of the sanitizer.
    Numbers and times without a finite domain are cut into 50 bins that are equally common in
    the release; a missing value is a value of its own. The score of a target is the mean over its
    records.

    Parameters
    ----------
    smoothing : a number added to every count.

    References
    ----------
    Chow and Liu, Approximating discrete probability distributions with dependence trees, IEEE
    Transactions on Information Theory 14 (1968).

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("tree-ratio", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.83; chance is 0.50'
    """

    smoothing: Annotated[float, Field(gt=0)] = 0.5

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Learn the tree of the release, then compare densities along its edges."""
        return tree_ratio(release, base, records, self.smoothing)


@register("forest-ratio-v1")
class ForestRatio(RecordScores):
    r"""Scores a record by the log ratio of its density in the release to that in the population.

    Synthetic data that are made from one-way or two-way counts of the private data repeat what is
    special about these counts. Both densities are forests of pairwise dependence over the same
    edges: a maximum spanning forest of the release (Chow and Liu 1968) without the edges that
    chance alone explains. Columns without an edge contribute their one-way counts. With columns
    a, b and edges (a, b) the score is

    $$ sum_a log r(x_a) + sum_{(a, b)} log (r(x_a, x_b) / (r(x_a) r(x_b))) $$

    where r is a smoothed ratio of counts, release to population. Numbers and times without a
    finite domain are cut into 50 bins that are equally common in the release; a missing value is
    a value of its own.

    Parameters
    ----------
    smoothing : expected records added to both counts; with more of it, rare cells count less.
    excess : how many times the mutual information of a shuffled release an edge must have.

    References
    ----------
    Chow and Liu, Approximating discrete probability distributions with dependence trees, IEEE
    Transactions on Information Theory 14 (1968). Homer et al., Resolving individuals contributing
    trace amounts of DNA to highly complex mixtures, PLoS Genetics 4 (2008).

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("forest-ratio", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.72; chance is 0.50'
    """

    smoothing: Annotated[float, Field(gt=0)] = 0.1
    excess: Annotated[float, Field(ge=1)] = 1.5

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Find the forest of the release, then compare counts along its edges."""
        edges = forest(release, self.excess, rng=rng)
        degree = {name: sum(name in edge for edge in edges) for name in release.schema.names}
        out = np.zeros(len(records))
        for name, times in degree.items():
            if times != 1:
                out += (1 - times) * self._ratio(release, base, records, (name,))
        for edge in edges:
            out += self._ratio(release, base, records, edge)
        return out

    def _ratio(self, release: Table, base: Table, records: Table, names: tuple[str, ...]) -> Floats:
        expected = cell_counts(base, names, records) * (len(release) / len(base))
        observed = cell_counts(release, names, records)
        return np.asarray(np.log((observed + self.smoothing) / (expected + self.smoothing)))


def tree_ratio(release: Table, base: Table, records: Table, smoothing: float = 0.5) -> Floats:
    """Compute the log ratio of each record's density in the release to that in the base data."""
    edges = spanning_tree(release)
    return tree_density(release, edges, records, smoothing) - tree_density(
        base, edges, records, smoothing
    )


def tree_density(
    table: Table, edges: list[tuple[str, str]], records: Table, smoothing: float
) -> Floats:
    """Compute the log density of records under a tree with smoothed counts."""
    root = edges[0][0] if edges else table.schema.names[0]
    one = cell_counts(table, (root,), records) + smoothing
    out = np.log(one / (len(table) + smoothing * table.schema[root].size))
    for parent, child in edges:
        both = cell_counts(table, (parent, child), records) + smoothing
        alone = cell_counts(table, (parent,), records) + smoothing * table.schema[child].size
        out += np.log(both / alone)
    return out


def spanning_tree(table: Table) -> list[tuple[str, str]]:
    """Find the edges of the maximum spanning tree of mutual information, parents first.

    Of a wide table not all pairs are looked at (see :func:`associated_pairs`).
    """
    names, coded = table.schema.names, _CodedColumns.of(table)
    places = {name: place for place, name in enumerate(names)}
    weights = np.zeros((len(names), len(names)))
    for first, second in associated_pairs(table):
        one, other = places[first], places[second]
        weights[one, other] = weights[other, one] = coded.information(first, second)
    inside, outside, edges = [0], list(range(1, len(names))), []
    while outside:
        # Of equal weights the first counts, by the order in which columns entered the tree.
        best = int(weights[np.ix_(inside, outside)].argmax())
        parent, child = inside[best // len(outside)], outside[best % len(outside)]
        edges.append((names[parent], names[child]))
        inside.append(child)
        outside.remove(child)
    return edges


@dataclass(frozen=True, slots=True, eq=False)
class _CodedColumns:
    """Columns as numbers from 0, which stands for a missing value, ready for many pairs of them.

    Parameters
    ----------
    sizes : how many numbers each column can have.
    """

    table: Table
    codes: Mapping[str, Array]
    sizes: Mapping[str, int]

    @classmethod
    def of(cls, table: Table) -> _CodedColumns:
        columns = table.schema.columns
        return cls(
            table,
            {column.name: table.columns[column.name] + 1 for column in columns},
            {column.name: column.size + 1 for column in columns},
        )

    def information(self, one: str, other: str) -> float:
        """How much information one column gives about another, in nats."""
        sizes, rows = (self.sizes[one], self.sizes[other]), len(self.table)
        if sizes[0] * sizes[1] > _MOST_CELLS:
            return _sparse_information(self.table, one, other)
        cell = self.codes[one] * sizes[1] + self.codes[other]
        joint = np.bincount(cell, minlength=sizes[0] * sizes[1]) / rows
        filled = np.flatnonzero(joint)  # most cells of two columns with many values are empty
        row, column = np.divmod(filled, sizes[1])
        present, joint = joint[filled], joint.reshape(sizes)
        product = joint.sum(1)[row] * joint.sum(0)[column]
        return float((present * np.log(present / product)).sum())


def mutual_information(table: Table, one: str, other: str) -> float:
    """How much information one column gives about another, in nats."""
    return _CodedColumns.of(table.select([one, other])).information(one, other)


def _sparse_information(table: Table, one: str, other: str) -> float:
    """The same from the cells that occur, for columns with very many values."""
    joint, alone, beside = (
        cell_counts(table, names, table) for names in ((one, other), (one,), (other,))
    )
    return float(np.log(joint * len(table) / (alone * beside)).mean())


def forest(table: Table, excess: float, *, rng: np.random.Generator) -> list[tuple[str, str]]:
    """Find the maximum spanning forest of mutual information beyond that of shuffled columns."""
    shuffled = table.replace({n: rng.permutation(table.columns[n]) for n in table.schema.names})
    sides = [_CodedColumns.of(side) for side in (table, shuffled)]
    weights = {}
    for pair in associated_pairs(table):
        information, chance = (side.information(*pair) for side in sides)
        if information > excess * chance + _NOTICEABLE / len(table):
            weights[pair] = information - chance
    tree_of = {name: name for name in table.schema.names}
    edges = []
    for first, other in sorted(weights, key=lambda pair: (-weights[pair], pair)):
        if tree_of[first] != tree_of[other]:
            joined = tree_of[first]
            tree_of = {n: tree_of[other] if t == joined else t for n, t in tree_of.items()}
            edges.append((first, other))
    return edges
