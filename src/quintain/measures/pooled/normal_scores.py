"""Normal scores: how surprising a statistic is if labels mean nothing, on one scale for all.

Statistics with different laws can be compared, and their maximum taken, only on a common scale.
Here each gets the value that a standard normal variable exceeds as rarely.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from quintain.data.arrays import Floats, Ints


@lru_cache(maxsize=256)
def members_among(top: int, members: int, controls: int) -> Floats:
    """The scores of 0, 1, 2 ... members among the first ``top`` records of a random order.

    The law is hypergeometric.

    >>> members_among(2, 3, 3).round(2).tolist()  # 0, 1 or 2 of the first two are members
    [-1.28, 0.0, 1.28, 37.05]
    """
    hits = np.arange(members + 1)
    ways = log_choose(members, hits) + log_choose(controls, top - hits)
    return _scores(ways - log_choose(members + controls, np.array(top)))


@lru_cache(maxsize=256)
def members_before(limit: int, members: int, controls: int) -> Floats:
    """The scores of 0, 1, 2 ... members before ``limit`` + 1 controls, in a random order.

    The law is negative hypergeometric.

    >>> members_before(0, 3, 3).round(2).tolist()  # members above the first of 3 controls
    [-0.67, 0.39, 1.15, 1.96]
    """
    hits = np.arange(members + 1)
    ways = log_choose(hits + limit, np.array(limit)) + log_choose(
        members + controls - hits - limit - 1, np.array(controls - limit - 1)
    )
    return _scores(ways - log_choose(members + controls, np.array(controls)))


def rank_sum_scores(sums: Floats, ranks: Floats, members: int) -> Floats:
    """The scores of sums of the members' ranks; equal values may share their average rank.

    Mean, variance and skewness of a sum without replacement are exact; the law is then taken to
    be a gamma law with these moments, which the cube root makes normal (Wilson and Hilferty).
    """
    total = len(ranks)
    centred = ranks - ranks.mean()
    square, cube = float((centred**2).mean()), float((centred**3).mean())
    if total < 3 or square == 0 or members in (0, total):
        return np.zeros(len(sums))
    drawn = members * (total - members) / (total - 1)
    spread = math.sqrt(drawn * square)
    skewness = drawn * (total - 2 * members) / (total - 2) * cube / spread**3
    scores: Floats = (sums - members * ranks.mean()) / spread
    if skewness < 1e-6:
        return scores
    root: Floats = np.cbrt(np.maximum(skewness * scores / 2 + 1, 0))
    return (root - 1) * 6 / skewness + skewness / 6


def _scores(log_mass: Floats) -> Floats:
    """Normal scores of the values of a law; half the mass of a value counts as above it.

    Far below chance the score comes from the lower tail: the upper one has lost its digits there.
    """
    from scipy.special import ndtri

    mass = np.exp(log_mass)
    above = np.cumsum(mass[::-1])[::-1] - mass / 2
    below = np.cumsum(mass) - mass / 2
    scores: Floats = np.where(
        above > 0.75, ndtri(np.clip(below, 1e-300, 0.5)), -ndtri(np.clip(above, 1e-300, 0.75))
    )
    return scores


def log_choose(things: Ints | int, chosen: Ints) -> Floats:
    """The logarithm of a binomial coefficient; minus infinity if there is no such choice."""
    from scipy.special import gammaln

    possible = (np.asarray(chosen) >= 0) & (np.asarray(chosen) <= things)
    kept = np.where(possible, chosen, 0)
    size = np.where(possible, things, 0)
    ways = gammaln(size + 1) - gammaln(kept + 1) - gammaln(size - kept + 1)
    return np.where(possible, ways, -np.inf)
