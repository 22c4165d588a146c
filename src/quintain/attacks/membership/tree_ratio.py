"""Tree ratio: how much likelier a record is under a tree learned from the release."""

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


@register("tree-ratio-v1")
class TreeRatio(RecordScores):
    r"""The log ratio of a record's density in the release to that in the base data.

    Both densities are trees of pairwise dependence over the same edges: the maximum spanning tree
    of mutual information in the *release* (Chow and Liu 1968), which is close to what a
    marginal-based synthesizer itself preserved. No shadow runs and no knowledge of the sanitizer
    are needed. A target's score is the mean over its
    records.

    Parameters
    ----------
    smoothing : added to every count.
    """

    smoothing: Annotated[float, Field(gt=0)] = 0.5

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Learn the tree, compare densities."""
        return tree_ratio(release, base, records, self.smoothing)


def tree_ratio(release: Table, base: Table, records: Table, smoothing: float = 0.5) -> Floats:
    """The log ratio of each record's density in the release to that in the base data."""
    edges = spanning_tree(release)
    return tree_density(release, edges, records, smoothing) - tree_density(
        base, edges, records, smoothing
    )


def tree_density(
    table: Table, edges: list[tuple[str, str]], records: Table, smoothing: float
) -> Floats:
    """The log density of records under a tree with smoothed counts."""
    root = edges[0][0] if edges else table.schema.names[0]
    one = cell_counts(table, (root,), records) + smoothing
    out = np.log(one / (len(table) + smoothing * table.schema[root].size))
    for parent, child in edges:
        both = cell_counts(table, (parent, child), records) + smoothing
        alone = cell_counts(table, (parent,), records) + smoothing * table.schema[child].size
        out += np.log(both / alone)
    return out


def spanning_tree(table: Table) -> list[tuple[str, str]]:
    """The edges of the maximum spanning tree of mutual information, each parent first."""
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
    """How much one column tells about another, in nats."""
    sizes = table.schema[one].size + 1, table.schema[other].size + 1
    cell = (table.columns[one] + 1) * sizes[1] + (table.columns[other] + 1)
    joint = np.bincount(cell, minlength=sizes[0] * sizes[1]).reshape(sizes) / len(table)
    product = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    there = joint > 0
    return float((joint[there] * np.log(joint[there] / product[there])).sum())
