"""Leaves: categories assigned so that a decision tree is learned again."""

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

_CLEAR = 0.005  # of a leaf's records more than half are a clear majority


class KeptTree(BaseModel):
    """A decision tree that a release shall lead to.

    Parameters
    ----------
    target : the column it predicts, a category.
    positive : the category it tells from the others.
    depth : its largest depth.
    at_least : the F-measure of the release's tree against the private data's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: str
    positive: str
    depth: Annotated[int, Field(ge=1, le=64)] = 5
    at_least: Annotated[float, Field(ge=0, le=1)] = 0.95

    def learn(self, table: Table) -> DecisionTree:
        """The tree of a table."""
        return DecisionTree.learn(table, self.target, self.positive, depth=self.depth)

    def agreement(self, expected: DecisionTree, release: Table, records: Table) -> float:
        """The F-measure over some records."""
        one, other = (
            expected.predicts_positive(records),
            self.learn(release).predicts_positive(records),
        )
        either = int((one | other).sum())
        both = int((one & other).sum())
        return 2 * both / (both + either) if either else 1.0

    def relabelled(
        self,
        table: Table,
        original: Table,
        tree: DecisionTree,
        noise: Noise,
        *,
        gently: bool = False,
    ) -> Table:
        """The table with target values swapped between leaves of the private data's tree.

        Afterwards each leaf has about the share of positive records it has in the private data,
        and on the same side of one half; ``gently`` looks to the side only. Who swaps is drawn,
        and no count changes.
        """
        code = original.schema[self.target].values.index(self.positive)
        here, there = tree.leaves(table), tree.leaves(original)
        size = int(max(here.max(), there.max())) + 1
        positive = table.columns[self.target] == code
        records, have = (np.bincount(rows, minlength=size) for rows in (here, here[positive]))
        theirs = np.bincount(there[original.columns[self.target] == code], minlength=size)
        share = theirs / np.maximum(np.bincount(there, minlength=size), 1)
        wanted = have.astype(float) if gently else share * records
        wanted = _on_their_side(wanted, records, share > 0.5, int(positive.sum()))
        missing = np.rint(wanted).astype(np.int64) - have
        order = permutation(len(table), noise)
        place = np.empty(len(table), np.int64)
        for flag in (False, True):  # the place of each record among its like in its leaf
            rows = order[positive[order] == flag]
            rows = rows[np.argsort(here[rows], kind="stable")]
            place[rows] = np.arange(len(rows)) - np.searchsorted(here[rows], here[rows])
        rises = order[~positive[order] & (place[order] < missing[here[order]])]
        falls = order[positive[order] & (place[order] < -missing[here[order]])]
        count = min(len(rises), len(falls))
        held = table.columns[self.target].copy()
        held[rises[:count]] = table.columns[self.target][falls[:count]]
        held[falls[:count]] = table.columns[self.target][rises[:count]]
        return table.replace({self.target: held})


def _on_their_side(wanted: Floats, records: Counts, most: Mask, total: int) -> Floats:
    """Numbers of positive records with a given sum that make them most of a leaf, or not.

    What clear majorities cost is taken from, or given to, the leaves that have room for it.
    """
    slack = np.ceil(_CLEAR * records)
    low = np.where(most, np.minimum(records // 2 + 1 + slack, records), 0)
    high = np.where(most, records, np.maximum((records + 1) // 2 - 1 - slack, 0))
    wanted = np.clip(wanted, low, high)
    surplus = wanted.sum() - total
    room = wanted - low if surplus > 0 else high - wanted
    return np.asarray(wanted - surplus * room / max(room.sum(), abs(surplus), 1e-9))
