"""ROC curves: how many members an attack finds at each rate of false alarms, for drawings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quintain.audits.pool import Evidence
from quintain.audits.results import RocCurve
from quintain.audits.risk import Risk, RiskResult
from quintain.data.arrays import Floats, Mask, Rows

POINTS = 200
"""The largest number of points of a curve: more cannot be seen in a drawing."""


def roc_curve(evidence: Evidence, members: Mask, points: int = POINTS) -> RocCurve:
    """The curve of one attack, from (0, 0) to (1, 1).

    The points are about evenly spaced on a logarithmic axis of false alarms, and those at the left
    end are all kept: that is where an attack can name people. Records with equal scores are one
    step. Records without a score do not count.

    Parameters
    ----------
    members : which records of the pool are in the original.

    >>> roc_curve(Evidence("x", np.array([3.0, 2.0, 1.0])), np.array([True, False, True]))
    RocCurve(attack='x', false_positive_rate=(0.0, 0.0, 1.0, 1.0),
             true_positive_rate=(0.0, 0.5, 0.5, 1.0), members=2, others=1)
    """
    false, true = steps(evidence.scores, members)
    chosen = thin(false, points)
    rates = [np.round(count[chosen] / max(1, count[-1]), 9) for count in (false, true)]
    return RocCurve(
        attack=evidence.attack,
        false_positive_rate=tuple(rates[0].tolist()),
        true_positive_rate=tuple(rates[1].tolist()),
        members=int(true[-1]),
        others=int(false[-1]),
    )


def membership_curves(
    measured: Sequence[tuple[Risk, RiskResult]], members: Mask
) -> tuple[RocCurve, ...]:
    """The curves of all attacks that say which records are in the data."""
    evidence = [
        scores
        for risk, result in measured
        if risk.curves
        for scores in result.evidence
        if not scores.of_people
    ]
    return tuple(roc_curve(scores, members) for scores in evidence)


def steps(scores: Floats, members: Mask) -> tuple[Floats, Floats]:
    """How many of the others and of the members score at least as high, for falling scores."""
    scored = ~np.isnan(scores)
    scores, members = scores[scored], members[scored]
    if not len(scores):
        return np.zeros(1), np.zeros(1)
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)
    true = np.cumsum(members[order])[last]
    return np.append(0.0, last + 1.0 - true), np.append(0.0, true)


def thin(counts: Floats, points: int) -> Rows:
    """At most so many places of a rising row of counts, the first and the last among them.

    The counts at the chosen places are about evenly spaced on a logarithmic axis.
    """
    if len(counts) <= points:
        return np.arange(len(counts))
    wanted = np.geomspace(1, max(counts[-1], 2), points // 2 - 1)
    after = np.searchsorted(counts, wanted)  # the first step with as many false alarms
    places = np.concatenate([[0], after - 1, after, [len(counts) - 1]])
    return np.unique(places.clip(0, len(counts) - 1))
