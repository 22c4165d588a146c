"""Leaves: swap categories so that the release leads to the same decision tree."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from quintain.data import Table
from quintain.data.arrays import Array, Floats, Mask, Rows
from quintain.kernels.decision_trees import FittedTree
from quintain.noise import Noise
from quintain.sanitizers.shuffling import permutation

Counts = npt.NDArray[np.int64]

_CLEAR = 0.005
"""A majority in a leaf is clear if it exceeds one half by this share of the records."""


class KeptTree(BaseModel):
    """A decision tree that the release must reproduce.

    Parameters
    ----------
    target : the column that the tree predicts, a category.
    positive : the category that it separates from the others.
    depth : its largest depth.
    at_least : the least F-measure of the release's tree against the private data's tree.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: str
    positive: str
    depth: Annotated[int, Field(ge=1, le=64)] = 5
    at_least: Annotated[float, Field(ge=0, le=1)] = 0.95

    def learn(self, table: Table) -> FittedTree:
        """Learn the tree from a table."""
        return FittedTree.learn(table, self.target, self.positive, depth=self.depth)

    def agreement(self, expected: FittedTree, release: Table, records: Table) -> float:
        """Give the F-measure between the release's tree and the expected one, over some records."""
        one, other = (
            expected.predicts_positive(records),
            self.learn(release).predicts_positive(records),
        )
        either = int((one | other).sum())
        both = int((one & other).sum())
        return 2 * both / (both + either) if either else 1.0

    def relabel(
        self,
        table: Table,
        original: Table,
        tree: FittedTree,
        noise: Noise,
        *,
        gently: bool = False,
    ) -> Table:
        """Swap target values between the leaves of the private data's tree.

        Afterwards each leaf has about the same share of positive records as in the private data,
        and on the same side of one half; ``gently`` only corrects the side. The records that swap
        are chosen at random, and no count changes.
        """
        code = original.schema[self.target].values.index(self.positive)
        leaf, original_leaf = tree.leaves(table), tree.leaves(original)
        size = int(max(leaf.max(), original_leaf.max())) + 1
        positive = table.columns[self.target] == code
        records, have = (np.bincount(rows, minlength=size) for rows in (leaf, leaf[positive]))
        positives = np.bincount(
            original_leaf[original.columns[self.target] == code], minlength=size
        )
        share = positives / np.maximum(np.bincount(original_leaf, minlength=size), 1)
        wanted = have.astype(float) if gently else share * records
        wanted = _on_the_same_side(wanted, records, share > 0.5, int(positive.sum()))
        missing = np.rint(wanted).astype(np.int64) - have
        order = permutation(len(table), noise)
        place = np.empty(len(table), np.int64)
        for flag in (False, True):  # number the positive and the negative records of each leaf
            rows = order[positive[order] == flag]
            rows = rows[np.argsort(leaf[rows], kind="stable")]
            place[rows] = np.arange(len(rows)) - np.searchsorted(leaf[rows], leaf[rows])
        rises = order[~positive[order] & (place[order] < missing[leaf[order]])]
        falls = order[positive[order] & (place[order] < -missing[leaf[order]])]
        count = min(len(rises), len(falls))
        labels = table.columns[self.target].copy()
        labels[rises[:count]] = table.columns[self.target][falls[:count]]
        labels[falls[:count]] = table.columns[self.target][rises[:count]]
        return table.replace({self.target: labels})


def _on_the_same_side(wanted: Floats, records: Counts, most: Mask, total: int) -> Floats:
    """Adjust the numbers of positive records so that they are a clear majority where ``most`` says.

    Their sum stays ``total``: the leaves with room for it take or give the difference.
    """
    slack = np.ceil(_CLEAR * records)
    low = np.where(most, np.minimum(records // 2 + 1 + slack, records), 0)
    high = np.where(most, records, np.maximum((records + 1) // 2 - 1 - slack, 0))
    wanted = np.clip(wanted, low, high)
    surplus = wanted.sum() - total
    room = wanted - low if surplus > 0 else high - wanted
    return np.asarray(wanted - surplus * room / max(room.sum(), abs(surplus), 1e-9))


# Splits: swap categories until the release's decision tree splits like the private data's.
#
# A tree takes the best split of each node, and the second best is often nearly as good. Where the
# release's tree would take another split (the rival), positives that favour the rival swap values
# with negatives that count against it.


_ROUNDS = 30
"""The most rounds of swaps at one node."""
_SMALL = 30
"""Nodes with fewer records than this stay as they are."""
_SHARE = 0.005
"""The share of a node's records that swap in one round."""


def teach_splits(table: Table, kept: KeptTree, tree: FittedTree, noise: Noise) -> Table:
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
    leaves = FittedTree.learn(node, kept.target, kept.positive, depth=1).leaves(node)
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
