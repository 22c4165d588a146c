"""True positives at a low rate of false ones: what a careful attacker is sure of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.guesses import Goal
from quintain.guesses.membership import Membership, members_and_scores
from quintain.measures.intervals import proportion
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction, Reading, average
from quintain.registry import register


@register("tpr-at-fpr-v1")
class TprAtFpr(GuessMeasure):
    """The share of members an attacker can name while falsely naming few others.

    The threshold is the lowest score at which at most ``fpr`` of the non-members are named, tied
    scores together; the interval is that of the share of members above it. Over several
    repetitions, their mean with a t interval.

    Parameters
    ----------
    fpr : the share of non-members that may be named.
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Membership,)
    reads: ClassVar[Mapping[str, Direction]] = {"tpr_at_fpr": "lower"}

    fpr: Annotated[float, Field(gt=0, lt=1)] = 0.1

    @property
    def captions(self) -> Mapping[str, str]:
        """At which false positive rate."""
        rate = f"{100 * self.fpr:g} %"
        return {"tpr_at_fpr": f"True positive rate at a false positive rate of {rate}."}

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Average the repetitions."""
        readings = []
        for case in cases:
            members, scores = members_and_scores(case.truth, case.guess)
            if members.all():
                readings.append(Reading.missing("lower", "all targets are of one class"))
                continue
            hits = named_members(members, scores, self.fpr)
            readings.append(proportion(hits, int(members.sum()), "lower"))
        return {"tpr_at_fpr": average(readings, within=self.within)}


def named_members(
    members: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64], fpr: float
) -> int:
    """How many members score above the threshold that names at most ``fpr`` of the others.

    >>> named_members(np.array([True, True, False, False]), np.array([0.9, 0.5, 0.5, 0.1]), 0.1)
    1
    """
    others = np.sort(scores[~members])[::-1]
    allowed = int(np.floor(fpr * len(others) + 1e-9))
    # Everything above the best-scoring non-member that may no longer be named.
    threshold = others[allowed] if allowed < len(others) else -np.inf
    return int((scores[members] > threshold).sum())
