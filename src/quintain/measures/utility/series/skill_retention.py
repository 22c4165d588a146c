"""Skill retention: does a model that learned from the release predict as well as the original's?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field
from threadpoolctl import threadpool_limits

from quintain.data import Data, Series
from quintain.data.schema import Shape
from quintain.errors import PartError
from quintain.kernels.series_preparation import Prepared, Scaling, as_series, longest, prepare
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.measures.utility.series.prediction_errors import (
    Errors,
    jackknifed,
    overall_ratio,
    passed_share,
    retained_skill,
    worst_ratio,
)
from quintain.measures.utility.series.series_ridge import Models, Sums, fit, fit_mean, sums
from quintain.registry import register

_GROUPS = 10


@register("skill-retention-v1")
class SkillRetention(ReleaseMeasure):
    r"""How much of a model's predictive skill is left if it learns from the release.

    Ridge models predict each feature from the others, now and one row before (``feature_``), and
    every column of the next row (``step_``). With root mean squared errors R on test records,

    $$ SR_j = (R_{mean} - R_{release}) / (R_{mean} - R_{original}) $$

    compares, for column j, a model of the release and one of the original with the mean of the
    original: 1 if nothing is lost, 0 if the release is no better than a constant. SR is clipped to
    -1..1 and averaged over the columns that can be predicted at all. The original sets the scale
    of all data, of time too, and values beyond its tails are moved to their ends, because a few
    misplaced decimal points would otherwise decide.

    The gate of Hide-and-Seek is read as well: R_release / R_original, with each data set scaled by
    its own extremes and time unscaled; at most 5 passes. A constant passes it for most features of
    real data, so it says little. It serves to compare with 2020.

    Parameters
    ----------
    features : the features to predict from the others; all if not given.
    tails : the share of the original's values at either end of a feature that counts as outliers.
    ridge : the penalty, as a share of each column's variance.
    least_skill : the averages leave out a column if its original model is not better than the mean
        by this share of its error.
    steps : how many rows of a series count, from the first on; if not given, as many as the
        longest series of the original has.

    References
    ----------
    Jordon et al., Hide-and-Seek Privacy Challenge, arXiv:2007.12087.

    Examples
    --------
    Half of the stays are enough to learn how the next row follows from the last:

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays, others = example("series", rows=400), example("series", rows=200, seed=1)
    >>> readings = q.measure("skill-retention", stays, stays.take(range(20)), test=others)
    >>> print(readings["step_skill"])
    0.9994 [0.9992, 0.9996]
    """

    about: ClassVar[About] = "utility"
    shapes: ClassVar[tuple[Shape, ...]] = ("series",)
    reads: ClassVar[Mapping[str, Direction]] = {
        "feature_skill": "higher",
        "step_skill": "higher",
        "feature_ratio": "lower",
        "feature_passed": "higher",
        "step_ratio": "lower",
    }
    captions: ClassVar[Mapping[str, str]] = {
        "feature_skill": "Share of the skill at predicting a feature from the others that is left.",
        "step_skill": "Share of the skill at predicting the next row that is left.",
        "feature_ratio": "Error at predicting a feature, release to original; the worst feature.",
        "feature_passed": "Share of features whose error is at most 5 times that of the original.",
        "step_ratio": "Error at predicting the next row, release to original.",
    }

    features: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    tails: Annotated[float, Field(ge=0, lt=0.5)] = 0.01
    ridge: Annotated[float, Field(gt=0, le=1000)] = 1e-3
    least_skill: Annotated[float, Field(ge=0, lt=1)] = 0.05
    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Fit models on original and release, and compare their errors on the test records."""
        given = [as_series(data) for data in (original, release, test) if data is not None]
        columns = self._predicted(given[0])
        if len(given) < 3 or not all(len(series.values) for series in given):
            note = (
                "there are no test records" if len(given) < 3 else "there is nothing to learn from"
            )
            return {name: Reading.missing(way, note) for name, way in self.reads.items()}
        steps = self.steps or longest(given[0])
        own = [prepare(series, steps) for series in given]
        # In products this tall and narrow, threads wait for each other more than they work.
        with threadpool_limits(1):
            old_feature, old_step = self._errors(own, columns)
            feature, step = self._errors(self._alike(own), columns)
        skill = partial(retained_skill, least=self.least_skill)
        most = (0.0, np.inf)
        return {
            "feature_skill": jackknifed(feature, skill, "higher", (-1.0, 1.0)),
            "step_skill": jackknifed(step, skill, "higher", (-1.0, 1.0)),
            "feature_ratio": jackknifed(old_feature, worst_ratio, "lower", most),
            "feature_passed": jackknifed(old_feature, passed_share, "higher", (0.0, 1.0)),
            "step_ratio": jackknifed(old_step, overall_ratio, "lower", most),
        }

    def _predicted(self, original: Series) -> list[int]:
        """The positions of the features to predict among the columns of the values."""
        names = original.schema.names[1:]
        unknown = sorted(set(self.features or ()) - set(names[1:]))
        if unknown:
            known = ", ".join(names[1:])
            raise PartError(f"unknown feature {unknown[0]!r}; available: {known}")
        return [j for j in range(1, len(names)) if not self.features or names[j] in self.features]

    def _alike(self, sides: list[Prepared]) -> list[Prepared]:
        """All sides on the scale of the original, time in 0..1 too, outliers moved to the tails."""
        original = sides[0]
        span = np.array(original.scaling.span)
        span[0] = float(original.values[:, 0].max()) or 1.0
        scaled = [side.rescaled(Scaling(original.scaling.low, span)) for side in sides]
        low, high = np.quantile(scaled[0].values, [self.tails, 1 - self.tails], axis=0)
        low[0], high[0] = -np.inf, np.inf
        return [replace(side, values=np.clip(side.values, low, high)) for side in scaled]

    def _errors(self, sides: list[Prepared], columns: list[int]) -> tuple[Errors, Errors]:
        """Errors of predicting features and of predicting the next row."""
        original, release, test = sides
        learned = sums(original, np.arange(len(original)))
        other = sums(release, np.arange(len(release)))
        models = [
            fit_mean(learned, columns),
            fit(learned, columns, self.ridge),
            fit(other, columns, self.ridge),
        ]
        groups = [
            sums(test, np.arange(start, len(test), _GROUPS))
            for start in range(min(_GROUPS, len(test)))
        ]
        return _feature_errors(groups, models), _step_errors(groups, models)


def _feature_errors(groups: list[Sums], models: list[Models]) -> Errors:
    mean, original, release = (
        np.array([model.feature_errors(group) for group in groups]) for model in models
    )
    return Errors(mean, original, release, np.array([group.now[-1, -1] for group in groups]))


def _step_errors(groups: list[Sums], models: list[Models]) -> Errors:
    mean, original, release = (
        np.array([model.step_errors(group) for group in groups]) for model in models
    )
    return Errors(mean, original, release, np.array([group.before[-1, -1] for group in groups]))
