"""Prediction errors: three models on the same test persons, and what they say about a release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats
from quintain.measures.reading import Direction, Reading, tail

GATE = 5.0
"""In 2020 a prediction passed if its error was at most this many times that of the original."""


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """Summed squared errors: one row per group of test persons, one column per predicted column.

    Parameters
    ----------
    mean : errors of a constant, the mean of the original.
    original, release : errors of the model that learned from the original, from the release.
    count : how many predictions each group has.
    """

    mean: Floats
    original: Floats
    release: Floats
    count: Floats

    def without(self, group: int) -> Errors:
        """The errors of all groups but one."""
        kept = np.arange(len(self.count)) != group
        return Errors(self.mean[kept], self.original[kept], self.release[kept], self.count[kept])

    def roots(self) -> tuple[Floats, Floats, Floats]:
        """Root mean squared errors of mean, original and release, for the columns that vary."""
        total = max(float(self.count.sum()), 1.0)
        sides = (self.mean, self.original, self.release)
        mean, original, release = (np.sqrt(np.maximum(e.sum(axis=0), 0) / total) for e in sides)
        varies = mean > 1e-9
        return mean[varies], original[varies], release[varies]


def retained_skill(errors: Errors, least: float) -> float:
    """The mean share of skill that a release keeps, over columns with more skill than ``least``."""
    mean, original, release = errors.roots()
    known = mean - original > least * mean
    if not known.any():
        return np.nan
    kept = (mean - release)[known] / (mean - original)[known]
    return float(np.clip(kept, -1, 1).mean())


def worst_ratio(errors: Errors) -> float:
    """The largest ratio of errors, release to original, over all columns."""
    ratios = _ratios(errors)
    return float(ratios.max()) if len(ratios) else np.nan


def passed_share(errors: Errors) -> float:
    """The share of columns that pass the gate of 2020."""
    ratios = _ratios(errors)
    return float((ratios <= GATE).mean()) if len(ratios) else np.nan


def overall_ratio(errors: Errors) -> float:
    """The ratio of errors, release to original, over all columns together."""
    _, original, release = errors.roots()
    below = float((original**2).sum())
    return float(np.sqrt((release**2).sum() / below)) if below > 0 else np.nan


def jackknifed(
    errors: Errors,
    statistic: Callable[[Errors], float],
    better: Direction,
    within: tuple[float, float],
) -> Reading:
    """A statistic with an interval that comes from leaving out one group of persons at a time."""
    value, groups = statistic(errors), len(errors.count)
    n = int(errors.count.sum())
    if not np.isfinite(value):
        return Reading.missing(better, "no column of the test records can be predicted")
    others = np.array([statistic(errors.without(group)) for group in range(groups)])
    if groups < 2 or not np.isfinite(others).all():
        return Reading.exact(value, n, better)
    from scipy.special import stdtrit

    variance = (groups - 1) / groups * ((others - others.mean()) ** 2).sum()
    half = float(stdtrit(groups - 1, 1 - tail()) * np.sqrt(variance))
    return Reading(
        value=value,
        low=max(value - half, within[0]),
        high=min(value + half, within[1]),
        n=n,
        better=better,
        method=f"jackknife over {groups} groups of test persons",
    )


def _ratios(errors: Errors) -> Floats:
    _, original, release = errors.roots()
    return release / np.maximum(original, 1e-12)
