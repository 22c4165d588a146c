"""Splits: categories swapped until a decision tree splits as another one does.

A tree takes the best split of each node, and often the second best is nearly as good. Where the
release's tree would take another split than the private data's, positives that speak for the rival
change places with negatives that speak against it.
"""

from __future__ import annotations

import numpy as np

from quintain.data import Table
from quintain.data.arrays import Array, Mask, Rows
from quintain.kernels.decision_trees import DecisionTree
from quintain.noise import Noise
from quintain.sanitizers.masking.shuffling import permutation
from quintain.sanitizers.synthetic.annealed.leaves import KeptTree

_ROUNDS = 30  # rivals that are fought at a node, at most
_SMALL = 30  # records in a node that is left as it is
_SHARE = 0.005  # of a node's records change places at a time


def taught(table: Table, kept: KeptTree, tree: DecisionTree, noise: Noise) -> Table:
    """The table with target values swapped within nodes until the tree's splits are the best."""
    for rows, likelier in tree.branches(table):
        if len(rows) >= _SMALL and likelier.any() and not likelier.all():
            held = table.columns[kept.target].copy()
            held[rows] = _defended(table.take(rows), kept, likelier, noise)
            table = table.replace({kept.target: held})
    return table


def _defended(node: Table, kept: KeptTree, likelier: Mask, noise: Noise) -> Array:
    """Target values of the records of a node with which a split beats every rival."""
    code = node.schema[kept.target].values.index(kept.positive)
    for _ in range(_ROUNDS):
        held = node.columns[kept.target]
        positive = held == code
        rival = _best_split(node, kept, positive)
        if rival is None or np.array_equal(rival, likelier):
            break
        falls, rises = _opponents(positive, likelier, rival)
        count = min(len(falls), len(rises), max(1, round(_SHARE * len(node))))
        if not count:
            break
        falls = falls[permutation(len(falls), noise)[:count]]
        rises = rises[permutation(len(rises), noise)[:count]]
        swapped = held.copy()
        swapped[falls], swapped[rises] = held[rises], held[falls]
        node = node.replace({kept.target: swapped})
    return node.columns[kept.target]


def _best_split(node: Table, kept: KeptTree, positive: Mask) -> Mask | None:
    """The best split of a node: which records go where positives are more frequent."""
    leaves = DecisionTree.learn(node, kept.target, kept.positive, depth=1).leaves(node)
    one = leaves == leaves.max()
    if one.all():
        return None
    return np.asarray(one if positive[one].mean() > positive[~one].mean() else ~one)


def _opponents(positive: Mask, likelier: Mask, rival: Mask) -> tuple[Rows, Rows]:
    """Positives that speak for the rival, and negatives that speak against it.

    First those whose exchange speaks for the split, too; then those for which it is all the same.
    """
    falls, rises = positive & rival, ~positive & ~rival
    for from_side, to_side in ((~likelier, likelier), (~likelier, ~likelier), (likelier, likelier)):
        if (falls & from_side).any() and (rises & to_side).any():
            return np.flatnonzero(falls & from_side), np.flatnonzero(rises & to_side)
    return np.flatnonzero(falls)[:0], np.flatnonzero(rises)[:0]
