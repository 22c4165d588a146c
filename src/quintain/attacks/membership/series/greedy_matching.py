"""Greedy matching: each released series is paired with one target, and each target only once."""

from __future__ import annotations

from typing import Self

import numpy as np

from quintain.attacks.membership.series.greedy_pairs import greedy_pairs
from quintain.attacks.membership.series.series_attack import PreparedSeriesAttack, Scores
from quintain.data import Series
from quintain.kernels.series_distances import Compare, all_distances, cloud
from quintain.registry import register


@register("greedy-matching-v1")
class GreedyMatching(PreparedSeriesAttack):
    """Pairs released series with targets one to one, closest first.

    Paired targets are guessed to be members.

    If a release keeps its persons apart, this is much stronger than a search for the nearest series
    of each target: an ordinary target, which is close to many series, gets only one partner. This
    is one half of the attack that won Hide-and-Seek, which ignored the times.

    Parameters
    ----------
    compare : all columns, only the times, or only the features.
    steps, scaled_by : as for every attack on series.

    References
    ----------
    The solution of team Mikan to the NeurIPS 2020 Hide-and-Seek Privacy Challenge, as published by
    its organisers.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> release = q.sanitize("add-noise", stays.take(range(10)), seed=1)  # 10 of 20 are members
    >>> guess = q.attack("greedy-matching", release, targets=stays, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 10 + [False] * 10)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 1.00; chance is 0.50'
    """

    compare: Compare = "features"

    @classmethod
    def examples(cls) -> list[Self]:
        """With and without time."""
        return [cls(), cls(compare="all")]

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Rank targets in the order in which they get a partner, then the others by distance."""
        target_side, release_side = (
            cloud(side, self.compare) for side in self.prepared(targets, released, steps)
        )
        distances = all_distances(release_side, target_side)
        closest = distances.min(axis=0)
        paired = greedy_pairs(distances)[1]
        scores = np.empty(len(targets))
        scores[np.argsort(closest, kind="stable")] = -len(targets) - np.arange(len(targets))
        scores[paired] = -np.arange(len(paired))
        return scores
