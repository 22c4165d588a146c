"""Area under the curve: how well an attacker's scores put members before others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from quintain.guesses import Goal
from quintain.guesses.membership import Membership, members_and_scores
from quintain.kernels.ranks import average_ranks
from quintain.measures.intervals import clopper_pearson, normal_quantile
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction, Reading, average
from quintain.registry import register


@register("auc-v1")
class Auc(GuessMeasure):
    """The probability that a random member gets a higher score than a random non-member.

    Chance is one half, 1 is perfect, and lower is better for people. Ties count half. One
    repetition gets DeLong's interval. Several are averaged with a t interval, because scores of
    different releases are not on one scale.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson, Comparing the areas under two or more correlated receiver
    operating characteristic curves, Biometrics 44 (1988).

    Examples
    --------
    Of the four pairs of a member and a non-member, three are in the right order:

    >>> import quintain as q
    >>> from quintain.testing import membership_guess
    >>> guess = membership_guess([0.9, 0.8, 0.4, 0.1])
    >>> q.measure("auc", guess, [True, False, True, False])["auc"].value
    0.75
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Membership,)
    reads: ClassVar[Mapping[str, Direction]] = {"auc": "lower"}
    chance: ClassVar[Mapping[str, float]] = {"auc": 0.5}

    def in_people(self, value: float) -> str:
        """How often the attacker picks the member out of two people."""
        return (
            "Given one person who is in the data and one who is not, the attacker picks the right "
            f"one in {round(100 * value)} of 100 cases; blind guessing does in 50."
        )

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Average the repetitions."""
        readings = [auc(*members_and_scores(case.truth, case.guess)) for case in cases]
        return {"auc": average(readings, within=self.within)}


def auc(members: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]) -> Reading:
    """The area under one curve with DeLong's interval.

    >>> auc(np.array([True, True, False, False]), np.array([0.9, 0.4, 0.5, 0.1])).value
    0.75
    """
    m, n = int(members.sum()), int((~members).sum())
    if m == 0 or n == 0:
        return Reading.missing("lower", "all targets are of one class")
    ranks = average_ranks(scores)
    # Placement values: the share of the other class each score beats.
    over = (ranks[members] - average_ranks(scores[members])) / n
    under = (ranks[~members] - average_ranks(scores[~members])) / m
    value = float(over.mean())
    spread = _variance(over) / m + _variance(under) / n
    half = normal_quantile(6) * math.sqrt(spread)
    low, high = max(0.0, value - half), min(1.0, value + half)
    if value in (0.0, 1.0):
        # A perfect order has no spread, so the size of the rarer class gives the interval.
        rarer = min(m, n)
        low, high = clopper_pearson(round(value * rarer), rarer)
    return Reading(
        value=value,
        low=low,
        high=high,
        n=m + n,
        better="lower",
        method="DeLong",
    )


def _variance(values: npt.NDArray[np.float64]) -> float:
    return float(values.var(ddof=1)) if len(values) > 1 else 0.25
