"""A lower bound on epsilon from an attack that tells two neighbouring data sets apart."""

from __future__ import annotations

import math

import numpy as np

from quintain.data.arrays import Floats
from quintain.measures.intervals import clopper_pearson
from quintain.measures.reading import LEVEL, Reading


def epsilon_bound(
    hits: int, with_it: int, false: int, without: int, *, delta: float = 0.0, level: float = LEVEL
) -> Reading:
    """The epsilon that a mechanism must have, at least, given how well runs can be told apart.

    Of ``with_it`` runs on data with the record, ``hits`` were called so; of ``without`` runs on
    data without it, ``false``. Exact binomial bounds on both error rates hold together with
    probability ``level`` (Jagielski et al. 2020). The rule that called them must have been fixed
    on other runs.

    >>> print(epsilon_bound(0, 100, 0, 100))
    at least 0
    >>> print(epsilon_bound(100, 100, 0, 100))
    at least 3.281
    """
    # Two-sided intervals at this level leave (1 - level) / 2 in the tail that matters.
    missed_high = clopper_pearson(with_it - hits, with_it, level)[1]
    false_high = clopper_pearson(false, without, level)[1]
    bounds = [0.0]
    for right, wrong in ((1 - missed_high, false_high), (1 - false_high, missed_high)):
        if right - delta > 0:
            bounds.append(math.log((right - delta) / wrong))
    method = "Clopper-Pearson, both error rates"
    return Reading.at_least(max(bounds), with_it + without, "lower", method=method, level=level)


def audited_epsilon(
    with_it: Floats, without: Floats, *, delta: float = 0.0, level: float = LEVEL
) -> Reading:
    """The bound from scores of many runs: the threshold from one half, the bound from the other."""
    first, second = with_it[::2], with_it[1::2]
    third, fourth = without[::2], without[1::2]

    def bound(inside: Floats, outside: Floats, threshold: float) -> Reading:
        hits, false = int((inside > threshold).sum()), int((outside > threshold).sum())
        return epsilon_bound(hits, len(inside), false, len(outside), delta=delta, level=level)

    candidates = np.unique(np.quantile(np.concatenate([first, third]), np.linspace(0, 1, 101)))
    best = max(candidates.tolist(), key=lambda threshold: bound(first, third, threshold).value)
    return bound(second, fourth, best)
