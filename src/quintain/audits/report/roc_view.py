"""ROC view: the curves that are worth drawing, the strongest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from quintain.audits.release_audit import RocCurve
from quintain.figures.audit.roc_plot import MOST_CURVES, RocLine, roc_plot

_RATE = 0.01
"""Curves are ordered by what they find at this rate of false alarms."""


@dataclass(frozen=True, slots=True)
class RocView:
    """A drawing with its legend, and how many curves were left out."""

    drawn: Markup
    lines: list[RocLine]
    left_out: int
    band: bool


def roc_view(curves: Sequence[RocCurve]) -> RocView | None:
    """Draw the strongest curves; None if there is none."""
    if not curves:
        return None
    ordered = sorted(curves, key=lambda curve: -_share_at(curve))[:MOST_CURVES]
    lines = [
        RocLine(one.attack, one.false_positive_rate, one.true_positive_rate, i)
        for i, one in enumerate(ordered)
    ]
    members, others = ordered[0].members, ordered[0].others
    drawn = roc_plot(lines, members, others, "roc")
    return RocView(drawn, lines, len(curves) - len(lines), bool(members and others))


def _share_at(curve: RocCurve) -> float:
    if not curve.false_positive_rate:
        return 0.0
    return float(np.interp(_RATE, curve.false_positive_rate, curve.true_positive_rate))
