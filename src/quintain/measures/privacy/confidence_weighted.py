"""The historical score of SNAKE 1: membership advantage weighted by the attacker's confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from quintain.guesses import Goal
from quintain.guesses.membership import Membership, members_and_scores
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction, Reading, average, tail
from quintain.registry import register

_RESAMPLES = 500


@register("confidence-weighted-v1")
class ConfidenceWeighted(GuessMeasure):
    r"""Membership advantage in which a target counts more if the attacker is surer of it.

    $$ w_i = 2|1/2 - g_i|, \quad score = (TPR_w - FPR_w + 1) / 2 $$

    Chance is one half, 1 is perfect, and lower is better for people. The measure exists to compare
    with the published boards of SNAKE 1. It is not recommended, because attackers can game it. An
    attacker that answers only the two targets it is surest of, and gives one half to all others,
    scores far above its true accuracy (a true AUC of .60 gives .86 on average). If exact scores
    are shown, weights of powers of two reveal every label in a few submissions. And a guess that is
    sure of one class only has no score at all; here it reads "not measured". The interval is a
    percentile bootstrap over targets. Repetitions with the same number of targets share their
    draws, so that the order of repetitions does not matter.

    References
    ----------
    SNAKE 1, scoring program as published in 2023.

    Examples
    --------
    The attacker is unsure of the two targets that it would get wrong:

    >>> import quintain as q
    >>> from quintain.testing import membership_guess
    >>> guess = membership_guess([1.0, 0.55, 0.45, 0.0])
    >>> readings = q.measure("confidence-weighted", guess, [True, False, True, False])
    >>> round(readings["confidence_weighted"].value, 3)
    0.909
    """

    weighted: ClassVar[bool] = True
    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Membership,)
    reads: ClassVar[Mapping[str, Direction]] = {"confidence_weighted": "lower"}
    chance: ClassVar[Mapping[str, float]] = {"confidence_weighted": 0.5}

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Average the repetitions."""
        answers = [members_and_scores(case.truth, case.guess) for case in cases]
        sizes = sorted({len(members) for members, _ in answers})
        draws = {n: rng.integers(n, size=(_RESAMPLES, n)) for n in sizes}
        readings = [_reading(members, scores, draws[len(members)]) for members, scores in answers]
        return {"confidence_weighted": average(readings, within=self.within)}


def _reading(
    members: npt.NDArray[np.bool_],
    scores: npt.NDArray[np.float64],
    drawn: npt.NDArray[np.int64],
) -> Reading:
    value = weighted_score(members[None, :], scores[None, :])[0]
    if np.isnan(value):
        return Reading.missing("lower", "the guess is sure of targets of one class only")
    spread = weighted_score(members[drawn], scores[drawn])
    low, high = np.nanquantile(spread, [tail(), 1 - tail()])
    return Reading(
        value=float(value),
        low=float(min(low, value)),
        high=float(max(high, value)),
        n=len(members),
        better="lower",
        method="bootstrap over targets",
    )


def weighted_score(
    members: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """The score of each row of guesses; NaN where a class has no weight.

    >>> weighted_score(np.array([[True, True, False, False]]), np.array([[1, 0.5, 0, 1]])).tolist()
    [0.75]
    """
    weight = 2 * np.abs(0.5 - scores)
    called_member = scores > 0.5
    rates = []
    for kind in (members, ~members):
        total = (weight * kind).sum(axis=1)
        hit = (weight * (called_member & kind)).sum(axis=1)
        rates.append(np.divide(hit, total, out=np.full(len(total), np.nan), where=total > 0))
    return np.asarray((rates[0] - rates[1] + 1) / 2)
