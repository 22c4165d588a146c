"""Stacking: an attacker who learns from known members how to combine all scores.

The weights are learned with labels. So the combined score is no evidence for the joint test by
permuted labels, which would have to learn the weights anew for every permutation. The reading is
honest nevertheless: half of the people teach the weights, and only the others are scored with them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from quintain.audits.finding import Finding, NotComputed
from quintain.audits.panel import Evidence
from quintain.data.arrays import Floats, Mask
from quintain.kernels.ranks import average_ranks
from quintain.kernels.tables.logistic import logistic_weights
from quintain.measures import Reading
from quintain.measures.pooled.detectable import smallest_auc
from quintain.measures.privacy.membership.auc import Auc, auc

NAME = "stacked"

LEAST = 50
"""The smallest number of members, and of others, in each half."""

_RIDGE = 10.0  # keeps the weights small where scores say the same
_TAIL = 1.5  # standard deviations from which high scores count extra

_THREAT = (
    "The attacker wants to know which targets were in the private data.",
    "The attacker is given the release, the population the private sample was drawn from, and "
    "for half of these people whether they were in the private data.",
    "The attacker is given nothing about the sanitizer.",
)


def stacked_finding(
    evidence: Sequence[Evidence], members: Mask, *, rng: np.random.Generator
) -> Finding | NotComputed:
    """How well all scores together tell members, with weights from one half of the people.

    Both halves are scored, each with the weights from the other one, and the two areas under the
    curve are averaged.
    """
    halves = rng.permutation(len(members)) % 2 == 0
    counts = [
        int((side & kind).sum()) for side in (halves, ~halves) for kind in (members, ~members)
    ]
    if min(counts) < LEAST or not evidence:
        reason = f"it needs scores, and in each half at least {LEAST} members and {LEAST} others"
        return NotComputed(what=NAME, reason=f"{reason}, not {min(counts)}")
    features = np.column_stack([_features(one.scores) for one in evidence])
    readings = []
    for learn in (halves, ~halves):
        weights = logistic_weights(features[learn], members[learn], _RIDGE)
        readings.append(auc(members[~learn], features[~learn] @ weights[1:]))
    reading = _mean(readings)
    others = "It learned from half of the people, whose membership it knew, how to combine scores."
    return Finding(
        risk="membership",
        attack=NAME,
        parameters={"attacks": [one.attack for one in evidence], "ridge": _RIDGE, "tail": _TAIL},
        name="auc",
        says=f"{Auc().in_people(reading.value)} {others}",
        reading=reading,
        chance=0.5,
        smallest_detectable=smallest_auc(int(members.sum()), int((~members).sum())),
        threat=_THREAT,
    )


def _features(scores: Floats) -> Floats:
    """Scores as normal quantiles, once whole and once the upper tail; 0 where there are none."""
    from scipy.special import ndtri

    scored = ~np.isnan(scores)
    out = np.zeros((len(scores), 2))
    if scored.any():
        ranks = average_ranks(scores[scored])
        out[scored, 0] = ndtri((ranks - 0.5) / len(ranks))
        out[:, 1] = np.maximum(out[:, 0] - _TAIL, 0.0)
    return out


def _mean(readings: Sequence[Reading]) -> Reading:
    """The mean of the readings of two halves, which share no people."""
    value = sum(one.value for one in readings) / len(readings)
    reach = math.hypot(*((one.high - one.low) / 2 for one in readings)) / len(readings)
    return readings[0].model_copy(
        update={
            "value": value,
            "low": max(0.0, value - reach),
            "high": min(1.0, value + reach),
            "n": sum(one.n for one in readings),
            "method": "DeLong, mean of two held-out halves",
        }
    )
