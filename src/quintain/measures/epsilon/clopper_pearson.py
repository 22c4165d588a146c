"""A lower bound on epsilon from an attack that distinguishes two neighbouring data sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Floats
from quintain.measures.epsilon.counts import Counts
from quintain.measures.epsilon.threshold_method import ThresholdMethod
from quintain.measures.intervals import clopper_pearson
from quintain.measures.reading import LEVEL, Reading


def epsilon_bound(
    hits: int, with_it: int, false: int, without: int, *, delta: float = 0.0, level: float = LEVEL
) -> Reading:
    """The least epsilon that a mechanism can have, given how well an attack distinguishes its runs.

    The attack says of each run whether the record was in the data. It says yes for ``hits`` of the
    ``with_it`` runs with the record, and for ``false`` of the ``without`` runs without it. Exact
    binomial bounds on both error rates hold together with probability ``level``. The attack must
    have been tuned on other runs.

    References
    ----------
    Jagielski, Ullman and Oprea, Auditing differentially private machine learning, NeurIPS 2020.

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
    """The bound from scores of runs: half of them choose the threshold, the rest give the bound."""
    first, second = with_it[::2], with_it[1::2]
    third, fourth = without[::2], without[1::2]

    def bound(inside: Floats, outside: Floats, threshold: float) -> Reading:
        hits, false = int((inside > threshold).sum()), int((outside > threshold).sum())
        return epsilon_bound(hits, len(inside), false, len(outside), delta=delta, level=level)

    candidates = np.unique(np.quantile(np.concatenate([first, third]), np.linspace(0, 1, 101)))
    best = max(candidates.tolist(), key=lambda threshold: bound(first, third, threshold).value)
    return bound(second, fourth, best)


@dataclass(frozen=True)
class ClopperPearson(ThresholdMethod):
    """Exact binomial bounds on both error rates, each with half of the error that is allowed.

    References
    ----------
    Jagielski, Ullman and Oprea, Auditing differentially private machine learning, NeurIPS 2020.

    >>> round(ClopperPearson().of_counts(Counts.perfect(100, 100)), 3)
    3.281
    """

    name: ClassVar[str] = "clopper-pearson"
    guarantee: ClassVar[str] = "above the true epsilon in at most 1 - level of all audits"

    def of_counts(self, counts: Counts, *, delta: float = 0.0, level: float = LEVEL) -> float:
        sides = (counts.hits, counts.with_it, counts.false, counts.without)
        return epsilon_bound(*sides, delta=delta, level=level).value
