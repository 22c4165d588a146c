"""Tree ratio: compare densities along a tree of dependences learned from the release."""

from __future__ import annotations

from itertools import combinations
from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.attacks.membership.record_scores import RecordScores
from quintain.data import Table
from quintain.data.arrays import Floats
from quintain.kernels.cells import cell_counts
from quintain.registry import register

_MOST_CELLS = 1 << 26  # larger tables of counts are not laid out in memory


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
    """Find the edges of the maximum spanning tree of mutual information, parents first."""
    names = table.schema.names
    weights = {pair: mutual_information(table, *pair) for pair in combinations(names, 2)}
    inside, edges = [names[0]], []
    while len(inside) < len(names):
        outside = [name for name in names if name not in inside]
        parent, child = max(
            ((a, b) for a in inside for b in outside),
            key=lambda edge: weights.get(edge, weights.get((edge[1], edge[0]), 0.0)),
        )
        edges.append((parent, child))
        inside.append(child)
    return edges


def mutual_information(table: Table, one: str, other: str) -> float:
    """How much information one column gives about another, in nats."""
    sizes = table.schema[one].size + 1, table.schema[other].size + 1
    if sizes[0] * sizes[1] > _MOST_CELLS:
        return _sparse_information(table, one, other)
    cell = (table.columns[one] + 1) * sizes[1] + (table.columns[other] + 1)
    joint = np.bincount(cell, minlength=sizes[0] * sizes[1]).reshape(sizes) / len(table)
    row, column = np.nonzero(joint)  # most cells of two columns with many values are empty
    present, product = joint[row, column], joint.sum(1)[row] * joint.sum(0)[column]
    return float((present * np.log(present / product)).sum())


def _sparse_information(table: Table, one: str, other: str) -> float:
    """The same from the cells that occur, for columns with very many values."""
    joint, alone, beside = (
        cell_counts(table, names, table) for names in ((one, other), (one,), (other,))
    )
    return float(np.log(joint * len(table) / (alone * beside)).mean())
