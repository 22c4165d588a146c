"""The curve of true and false positives: the area under it, and its beginning.

The beginning shows whom a careful attacker recognises, at a low rate of false positives.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data.arrays import Floats, Mask
from quintain.guesses import Goal
from quintain.guesses.membership import Membership, members_and_scores
from quintain.kernels.ranks import average_ranks
from quintain.measures.intervals import clopper_pearson, normal_quantile, proportion
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import LEVEL, Direction, Reading, average
from quintain.registry import register
from quintain.wording.languages import say, write_decimal


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


@register("tpr-at-fpr-v1")
class TprAtFpr(GuessMeasure):
    """The share of members an attacker can name while falsely naming few others.

    The threshold is the lowest score at which at most ``fpr`` of the non-members are named; tied
    scores are named together. Lower is better for people. The threshold was learned from some
    non-members, not from all, so the interval of one repetition reaches from the share of members
    above the highest likely threshold to the share above the lowest likely one. Several repetitions
    are averaged with a t interval.

    Parameters
    ----------
    fpr : the share of non-members that may be named.
    threshold : "learned", or "given" for an interval that takes the threshold as if it were known.
        That interval is too short, because other non-members would have given another threshold.
    interpolated : read the rate off straight lines between the steps of the curve, instead of the
        last step at which at most ``fpr`` are named. With few non-members the last step can be far
        below ``fpr``: of 50 non-members, none may be named at a rate of 1 %.

    Examples
    --------
    Naming at most half of the two non-members allows one false name, and so both members:

    >>> import quintain as q
    >>> from quintain.testing import membership_guess
    >>> guess, members = membership_guess([0.9, 0.8, 0.4, 0.1]), [True, False, True, False]
    >>> print(q.measure("tpr-at-fpr", guess, members, fpr=0.5, threshold="given")["tpr_at_fpr"])
    1 [0.1581, 1]

    Two non-members say next to nothing about the threshold, so the interval is as wide as can be:

    >>> print(q.measure("tpr-at-fpr", guess, members, fpr=0.5)["tpr_at_fpr"])
    1 [0, 1]

    At a rate of one fifth no non-member may be named, which names one member of two. The curve goes
    on to the first non-member without another member, so the line between both is flat:

    >>> print(q.measure("tpr-at-fpr", guess, members, fpr=0.2, interpolated=True)["tpr_at_fpr"])
    0.5 [0, 1]
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Membership,)
    reads: ClassVar[Mapping[str, Direction]] = {"tpr_at_fpr": "lower"}

    fpr: Annotated[float, Field(gt=0, lt=1)] = 0.1
    threshold: Literal["learned", "given"] = "learned"
    interpolated: bool = Field(default=False, exclude_if=lambda chosen: not chosen)

    @classmethod
    def examples(cls) -> list[Self]:
        """With the long interval, with the short one, and between the steps."""
        return [cls(), cls(threshold="given"), cls(fpr=0.01, interpolated=True)]

    @property
    def captions(self) -> Mapping[str, str]:
        """The reading with its false positive rate."""
        caption = say(
            "True positive rate at a false positive rate of %(percent)s %%.",
            percent=write_decimal(100 * self.fpr),
        )
        return {"tpr_at_fpr": caption}

    def in_people(self, value: float) -> str:
        """How many members are recognised, and how many others are mistaken for members."""
        others = f"{100 * self.fpr:g}"
        return (
            f"Of 100 people in the data, the attacker recognises {round(100 * value)} and mistakes "
            f"at most {others} of 100 others for members; blind guessing recognises about {others}."
        )

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Average the repetitions."""
        readings = []
        for case in cases:
            members, scores = members_and_scores(case.truth, case.guess)
            if members.all():
                readings.append(Reading.missing("lower", "all targets are of one class"))
                continue
            readings.append(self._reading(members, scores))
        return {"tpr_at_fpr": average(readings, within=self.within)}

    def _reading(self, members: Mask, scores: Floats) -> Reading:
        reading = self._reading_at_step(members, scores)
        if not self.interpolated or not reading.measured:
            return reading
        value = tpr_on_line(members, scores, self.fpr)
        low, high = min(reading.low, value), max(reading.high, value)
        if self.threshold == "given":  # the share lies between those of two whole counts
            high = clopper_pearson(math.ceil(value * reading.n - 1e-9), reading.n)[1]
        method = f"{reading.method}, between steps"
        return reading.model_copy(
            update={"value": value, "low": low, "high": high, "method": method}
        )

    def _reading_at_step(self, members: Mask, scores: Floats) -> Reading:
        hits = named_members(members, scores, self.fpr)
        reading = proportion(hits, int(members.sum()), "lower")
        if not reading.measured:
            return reading.model_copy(update={"method": ""})
        if self.threshold == "given":
            method = f"{reading.method}, given the threshold"
            return reading.model_copy(update={"method": method})
        low, high = interval_at_fpr(members, scores, self.fpr)
        method = "Clopper-Pearson, over likely thresholds"
        return reading.model_copy(update={"low": low, "high": high, "method": method})


def named_members(members: Mask, scores: Floats, fpr: float) -> int:
    """How many members score above the threshold that names at most ``fpr`` of the others.

    >>> named_members(np.array([True, True, False, False]), np.array([0.9, 0.5, 0.5, 0.1]), 0.1)
    1
    """
    others = np.sort(scores[~members])[::-1]
    allowed = int(np.floor(fpr * len(others) + 1e-9))
    # The best-scoring non-member that must not be named sets the threshold.
    threshold = others[allowed] if allowed < len(others) else -np.inf
    return int((scores[members] > threshold).sum())


def tpr_on_line(members: Mask, scores: Floats, fpr: float) -> float:
    """The share of members who are named at a rate, on straight lines between the curve's steps.

    The curve has a step for each distinct score. Where it rises straight up at the rate, the upper
    end counts.

    >>> tpr_on_line(np.array([True, True, False, False]), np.array([0.9, 0.5, 0.5, 0.1]), 0.25)
    0.75
    """
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)
    named = [np.append(0, np.cumsum(of[order])[ends]) / of.sum() for of in (~members, members)]
    return float(np.interp(fpr, *named))


def interval_at_fpr(members: Mask, scores: Floats, fpr: float) -> tuple[float, float]:
    """The interval of the share of named members if the right threshold is uncertain.

    The number of non-members above the right threshold is binomial. Half of the error probability
    goes to its two tails, the other half to the tails of the two shares of members.
    """
    from scipy.stats import binom

    level = 1 - (1 - LEVEL) / 2
    others, inside = np.sort(scores[~members])[::-1], scores[members]
    few, many = (
        int(count) for count in binom.ppf([(1 - level) / 2, (1 + level) / 2], len(others), fpr)
    )
    highest = others[few - 1] if few else np.inf
    lowest = others[many] if many < len(others) else -np.inf
    least, most = (int((inside > threshold).sum()) for threshold in (highest, lowest))
    low = clopper_pearson(least, len(inside), level)[0]
    return low, clopper_pearson(most, len(inside), level)[1]
