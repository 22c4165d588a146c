"""Leaves: categories assigned so that a decision tree is learned again."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from quintain.data import Table
from quintain.data.decision_trees import DecisionTree
from quintain.noise import Noise
from quintain.sanitizers.masking.shuffling import permutation


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
        one, other = expected.says(records), self.learn(release).says(records)
        either = int((one | other).sum())
        both = int((one & other).sum())
        return 2 * both / (both + either) if either else 1.0

    def relabelled(self, table: Table, original: Table, tree: DecisionTree, noise: Noise) -> Table:
        """The table with target values swapped between leaves of the private data's tree.

        Afterwards each leaf has about the share of positive records it has in the private data.
        Who swaps is drawn, and no count changes.
        """
        code = original.schema[self.target].values.index(self.positive)
        here, there = tree.leaves(table), tree.leaves(original)
        size = int(max(here.max(), there.max())) + 1
        positive = table.columns[self.target] == code
        share = np.bincount(there[original.columns[self.target] == code], minlength=size)
        wanted = share / np.maximum(np.bincount(there, minlength=size), 1)
        wanted *= np.bincount(here, minlength=size)
        wanted *= positive.sum() / max(wanted.sum(), 1e-9)
        missing = np.rint(wanted).astype(np.int64) - np.bincount(here[positive], minlength=size)
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
