"""Leaves: swap categories so that the release leads to the same decision tree."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from quintain.data import Table
from quintain.data.arrays import Floats, Mask
from quintain.kernels.decision_trees import DecisionTree
from quintain.noise import Noise
from quintain.sanitizers.masking.shuffling import permutation

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

    def learn(self, table: Table) -> DecisionTree:
        """Learn the tree from a table."""
        return DecisionTree.learn(table, self.target, self.positive, depth=self.depth)

    def agreement(self, expected: DecisionTree, release: Table, records: Table) -> float:
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
        tree: DecisionTree,
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
