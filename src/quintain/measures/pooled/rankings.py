"""Ranked scores: an attack's order of the records, and what labels say about its top."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats, Mask, Rows
from quintain.kernels.ranks import average_ranks
from quintain.measures.pooled.normal_scores import (
    members_among,
    members_before,
    rank_sum_scores,
)

Labels = npt.NDArray[np.uint8]
"""One row per record, one column per labelling: 1 for a member."""
Counts = npt.NDArray[np.int32]

RATES = (0.0, 0.001, 0.01, 0.1)
"""Rates of false positives at which the true positives are counted."""
SHARES = (0.001, 0.01, 0.1)
"""Shares of the ranking, from the top, in which the members are counted."""
STATISTICS = (
    "AUC",
    *(f"true positives at {100 * rate:g} % false positives" for rate in RATES),
    *(f"members among the top {100 * share:g} %" for share in SHARES),
)


@dataclass(frozen=True, slots=True, eq=False)
class RankedScores:
    """The records of one attack in descending order of their scores.

    Parameters
    ----------
    ranks : the rank of each record from the bottom, equal scores averaged; 0 if not scored.
    order : the scored records, the highest score first.
    ends : how many records have at least the score of the i-th highest value.
    members : how many of the scored records are members; it is the same for every labelling.
    """

    ranks: Floats
    order: Rows
    ends: Rows
    members: int

    @classmethod
    def of(cls, scores: Floats, members: Mask) -> RankedScores:
        """Rank the records that have a score."""
        rows = np.flatnonzero(~np.isnan(scores))
        ranks = np.zeros(len(scores))
        if len(rows):
            ranks[rows] = average_ranks(scores[rows])
        order = rows[np.argsort(-scores[rows], kind="stable")]
        ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True)) + 1
        return cls(ranks, order, ends[: len(rows)], int(members[rows].sum()))

    @property
    def controls(self) -> int:
        """How many of the scored records are no members."""
        return len(self.order) - self.members

    def statistics(self, labels: Labels, sums: Floats) -> Floats:
        """Compute all statistics as normal scores: one row per labelling.

        At the top, records with the same score are counted together or not at all, so their order
        does not matter. With equal scores that count is below what the law of different ones
        expects, so its normal score never exaggerates.

        Parameters
        ----------
        sums : the sums of the members' ranks, one for each labelling.
        """
        out = np.zeros((labels.shape[1], len(STATISTICS)))
        if not self.members or not self.controls:
            return out
        out[:, 0] = rank_sum_scores(sums, self.ranks[self.order], self.members)
        ends, false = self._false_positives(labels)
        sizes = self.members, self.controls
        for column, rate in enumerate(RATES, start=1):
            limit = self._limit(rate)
            out[:, column] = members_before(limit, *sizes)[_hits(ends, false, limit)]
        for column, share in enumerate(SHARES, start=1 + len(RATES)):
            row = self._top(ends, share)
            if row is not None:
                out[:, column] = members_among(int(ends[row]), *sizes)[ends[row] - false[row]]
        return out

    def _false_positives(self, labels: Labels) -> tuple[Rows, Counts]:
        """How many records and how many controls have at least each of the highest values."""
        depth, most = self._depth(), self._limit(RATES[-1])
        while True:
            false = np.cumsum(1 - labels[self.order[:depth]], axis=0, dtype=np.int32)
            if depth == len(self.order) or (false[-1] > most).all():
                break
            depth = min(2 * depth, len(self.order))
        ends = self.ends[self.ends <= depth]
        return ends, false if len(ends) == depth else false[ends - 1]

    def _limit(self, rate: float) -> int:
        """How many false positives a rate allows."""
        return math.floor(rate * self.controls + 1e-9)

    def _depth(self) -> int:
        """How many records hold more controls than any rate allows, for nearly every labelling."""
        total, limit = len(self.order), self._limit(RATES[-1]) + 1
        expected = limit * total / self.controls
        spread = math.sqrt(expected * self.members / self.controls)
        wanted = max(expected + 6 * spread + 10, 2 * SHARES[-1] * total)
        return min(total, math.ceil(wanted))

    def _top(self, ends: Rows, share: float) -> int | None:
        """The group of equal scores with which the top share ends; None if there is none near."""
        wanted = math.ceil(share * len(self.order))
        row = int(np.searchsorted(ends, wanted))
        if row < len(ends) and ends[row] <= 2 * wanted:
            return row
        return row - 1 if row else None


def _hits(ends: Rows, false: Counts, limit: int) -> Rows:
    """The members above the lowest threshold that admits at most ``limit`` controls."""
    groups: Rows = (false <= limit).sum(axis=0)
    if not len(ends):
        return groups
    last = np.maximum(groups - 1, 0)
    return np.where(groups > 0, ends[last] - false[last, np.arange(false.shape[1])], 0)
