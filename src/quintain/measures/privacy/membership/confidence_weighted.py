"""The historic score of SNAKE 1: membership advantage weighted by the attacker's confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from quintain.guesses import members_and_scores
from quintain.measures.measure import Case, PrivacyMeasure, Readings
from quintain.measures.reading import Direction, Reading, average
from quintain.registry import register


@register("confidence-weighted-v1")
class ConfidenceWeighted(PrivacyMeasure):
    r"""Advantage in which every target counts as much as the attacker is sure of it.

    $$ w_i = 2|1/2 - g_i|, \quad score = (TPR_w - FPR_w + 1) / 2 $$

    One half is chance, 1 is perfect. Kept to compare with the published boards of SNAKE 1, and
    not recommended, because it can be gamed: an attacker who answers only the two targets it is
    surest of, and says one half of all others, scores far above its true accuracy (true AUC .60
    gives .86 on average); full-precision scores with weights of powers of two give away every
    label in a few submissions; and a guess that is sure of one class only has no score at all.
    That last case reads "not measured" here instead of a number. The interval is a percentile
    bootstrap over targets with fixed seed.

    References: SNAKE 1, scoring program as published in 2023.
    """

    weighted: ClassVar[bool] = True

    @property
    def reads(self) -> Mapping[str, Direction]:
        """confidence_weighted, lower is better for people."""
        return {"confidence_weighted": "lower"}

    @property
    def chance(self) -> Mapping[str, float]:
        """What a blind guess is expected to read."""
        return {"confidence_weighted": 0.5}

    def measure(self, cases: Sequence[Case]) -> Readings:
        """Average the repetitions."""
        readings = [_reading(*members_and_scores(case.truth, case.guess)) for case in cases]
        return {"confidence_weighted": average(readings, within=self.within)}


def _reading(members: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]) -> Reading:
    value = weighted_score(members[None, :], scores[None, :])[0]
    if np.isnan(value):
        return Reading.missing("lower", "the guess is sure of targets of one class only")
    rng = np.random.default_rng(0)
    drawn = rng.integers(len(members), size=(500, len(members)))
    spread = weighted_score(members[drawn], scores[drawn])
    low, high = np.nanquantile(spread, [0.025, 0.975])
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
    said = scores > 0.5
    rates = []
    for kind in (members, ~members):
        total = (weight * kind).sum(axis=1)
        hit = (weight * (said & kind)).sum(axis=1)
        rates.append(np.divide(hit, total, out=np.full(len(total), np.nan), where=total > 0))
    return np.asarray((rates[0] - rates[1] + 1) / 2)
