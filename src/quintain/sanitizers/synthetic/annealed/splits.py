"""Splits: swap categories until the release's decision tree splits like the private data's.

A tree takes the best split of each node, and the second best is often nearly as good. Where the
release's tree would take another split (the rival), positives that favour the rival swap values
with negatives that count against it.
"""

from __future__ import annotations

import numpy as np

from quintain.data import Table
from quintain.data.arrays import Array, Mask, Rows
from quintain.kernels.decision_trees import DecisionTree
from quintain.noise import Noise
from quintain.sanitizers.masking.shuffling import permutation
from quintain.sanitizers.synthetic.annealed.leaves import KeptTree

_ROUNDS = 30
"""The most rounds of swaps at one node."""
_SMALL = 30
"""Nodes with fewer records than this stay as they are."""
_SHARE = 0.005
"""The share of a node's records that swap in one round."""


def teach_splits(table: Table, kept: KeptTree, tree: DecisionTree, noise: Noise) -> Table:
    """Swap target values within nodes until the splits of the given tree are the best ones."""
    for rows, likelier in tree.branches(table):
        if len(rows) >= _SMALL and likelier.any() and not likelier.all():
            labels = table.columns[kept.target].copy()
            labels[rows] = _defend(table.take(rows), kept, likelier, noise)
            table = table.replace({kept.target: labels})
    return table


def _defend(node: Table, kept: KeptTree, likelier: Mask, noise: Noise) -> Array:
    """Give the records of a node target values with which a split beats every rival."""
    code = node.schema[kept.target].values.index(kept.positive)
    for _ in range(_ROUNDS):
        labels = node.columns[kept.target]
        positive = labels == code
        rival = _best_split(node, kept, positive)
        if rival is None or np.array_equal(rival, likelier):
            break
        falls, rises = _opponents(positive, likelier, rival)
        count = min(len(falls), len(rises), max(1, round(_SHARE * len(node))))
        if not count:
            break
        falls = falls[permutation(len(falls), noise)[:count]]
        rises = rises[permutation(len(rises), noise)[:count]]
        swapped = labels.copy()
        swapped[falls], swapped[rises] = labels[rises], labels[falls]
        node = node.replace({kept.target: swapped})
    return node.columns[kept.target]


def _best_split(node: Table, kept: KeptTree, positive: Mask) -> Mask | None:
    """Find the best split of a node: the records on the side with more frequent positives."""
    leaves = DecisionTree.learn(node, kept.target, kept.positive, depth=1).leaves(node)
    one = leaves == leaves.max()
    if one.all():
        return None
    return np.asarray(one if positive[one].mean() > positive[~one].mean() else ~one)


def _opponents(positive: Mask, likelier: Mask, rival: Mask) -> tuple[Rows, Rows]:
    """List positives that favour the rival, and negatives that count against it.

    Pairs that also favour the wanted split come first, then pairs that do not change it.
    """
    falls, rises = positive & rival, ~positive & ~rival
    for from_side, to_side in ((~likelier, likelier), (~likelier, ~likelier), (likelier, likelier)):
        if (falls & from_side).any() and (rises & to_side).any():
            return np.flatnonzero(falls & from_side), np.flatnonzero(rises & to_side)
    return np.flatnonzero(falls)[:0], np.flatnonzero(rises)[:0]
