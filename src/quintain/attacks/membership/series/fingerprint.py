"""Fingerprints: a few figures of a series can be enough to recognise it."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np

from quintain.attacks.membership.series.series_attack import PreparedSeriesAttack, ScaledBy, Scores
from quintain.data import Series
from quintain.data.arrays import Floats
from quintain.kernels.series import PADDING, PreparedSeries, nearest, points
from quintain.registry import register


@register("fingerprint-v1")
class Fingerprint(PreparedSeriesAttack):
    """Scores a target by the distance from its figures to those of the nearest released series.

    Parameters
    ----------
    figures : "extremes" uses the smallest and largest value of each feature, which a sanitizer
        keeps if it works within each person's range; "moments" uses mean and standard deviation of
        time and each feature over the padded array, and the number of padded rows, as the GenSynDS
        team did in 2020; "both" uses all of them.
    steps, scaled_by : as for every attack on series.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> release = q.sanitize("add-noise", stays.take(range(10)), seed=1)  # 10 of 20 are members
    >>> guess = q.attack("fingerprint", release, targets=stays, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 10 + [False] * 10)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.91; chance is 0.50'
    """

    figures: Literal["extremes", "moments", "both"] = "extremes"
    scaled_by: ScaledBy = "targets"

    @classmethod
    def examples(cls) -> list[Self]:
        """Extremes, the moments of 2020, and both."""
        return [cls(), cls(figures="moments", scaled_by="own"), cls(figures="both")]

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Find the released series with the figures nearest to each target's."""
        target_side, release_side = (
            points(self._figures(s)) for s in self.prepare_sides(targets, released, steps)
        )
        return -nearest(target_side, release_side)[0]

    def _figures(self, prepared: PreparedSeries) -> Floats:
        parts = [] if self.figures == "moments" else [extremes(prepared)]
        if self.figures != "extremes":
            parts.append(moments(prepared))
        return np.hstack(parts)


def extremes(prepared: PreparedSeries) -> Floats:
    """Compute the smallest and the largest value of each feature: persons x 2 features."""
    present = prepared.lengths > 0
    features = prepared.values[:, 1:]
    out = np.full((len(prepared), 2 * features.shape[1]), PADDING)
    if present.any():
        starts = prepared.offsets[:-1][present]
        low, high = (f.reduceat(features, starts, axis=0) for f in (np.minimum, np.maximum))
        out[present] = np.hstack([low, high])
    return out


def moments(prepared: PreparedSeries) -> Floats:
    """Compute mean and standard deviation of each column with its padding, and the padded rows."""
    padding = (prepared.steps - prepared.lengths)[:, None]
    mean = (_sums(prepared.values, prepared) + padding * PADDING) / prepared.steps
    apart = (prepared.values - np.repeat(mean, prepared.lengths, axis=0)) ** 2
    square = _sums(apart, prepared) + padding * (PADDING - mean) ** 2
    return np.hstack([mean, np.sqrt(square / prepared.steps), padding])


def _sums(values: Floats, prepared: PreparedSeries) -> Floats:
    """Sum the rows of each person."""
    out = np.zeros((len(prepared), values.shape[1]))
    present = prepared.lengths > 0
    if present.any():
        out[present] = np.add.reduceat(values, prepared.offsets[:-1][present], axis=0)
    return out
