"""True positives at a low rate of false positives: whom a careful attacker recognises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data.arrays import Floats, Mask
from quintain.guesses import Goal
from quintain.guesses.membership import Membership, members_and_scores
from quintain.measures.intervals import clopper_pearson, proportion
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import LEVEL, Direction, Reading, average
from quintain.registry import register


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
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Membership,)
    reads: ClassVar[Mapping[str, Direction]] = {"tpr_at_fpr": "lower"}

    fpr: Annotated[float, Field(gt=0, lt=1)] = 0.1
    threshold: Literal["learned", "given"] = "learned"

    @classmethod
    def examples(cls) -> list[Self]:
        """With the long interval, and with the short one."""
        return [cls(), cls(threshold="given")]

    @property
    def captions(self) -> Mapping[str, str]:
        """The reading with its false positive rate."""
        rate = f"{100 * self.fpr:g} %"
        return {"tpr_at_fpr": f"True positive rate at a false positive rate of {rate}."}

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
