"""Skill retention: does a model that learned from the release predict as well as the original's?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field
from threadpoolctl import threadpool_limits

from quintain.data import Data, Series, as_series
from quintain.data.arrays import Floats, Rows
from quintain.errors import PartError
from quintain.kernels.series import PreparedSeries, Scaling, longest, prepare
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading, tail
from quintain.registry import register

_ROWS = 1 << 16
"""About how many rows are described at a time."""

_GROUPS = 10

GATE = 5.0
"""In 2020 a prediction passed if its error was at most this many times that of the original."""


# Ridge regression on series: one pass over the rows collects sums, the rest is small matrices.
#
# The description of a row is the row itself, the row before it and a 1; the first row serves as its
# own predecessor. Sums of products of descriptions are enough to fit a model and to compute its
# squared error on other data. So predicting each of seventy features costs seventy small solves.


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums of products over rows; d columns give descriptions of 2 d + 1 numbers.

    Parameters
    ----------
    now : description x description, over all rows.
    before : description x description, over the rows that have a next one.
    next_row : description x next row, over the rows that have a next one.
    squares : squared columns of the next row, over the rows that have a next one.
    """

    now: Floats
    before: Floats
    next_row: Floats
    squares: Floats

    @property
    def columns(self) -> int:
        """How many columns a row has, time among them."""
        return len(self.squares)

    def plus(self, other: Sums) -> Sums:
        """The sums over both sets of rows."""
        return Sums(
            self.now + other.now,
            self.before + other.before,
            self.next_row + other.next_row,
            self.squares + other.squares,
        )


def sums(prepared: PreparedSeries, persons: Rows) -> Sums:
    """The sums over the rows of some persons."""
    columns = prepared.values.shape[1]
    wide = 2 * columns + 1
    total = Sums(
        np.zeros((wide, wide)), np.zeros((wide, wide)), np.zeros((wide, columns)), np.zeros(columns)
    )
    step = max(1, _ROWS // prepared.steps)
    for start in range(0, len(persons), step):
        block = persons[start : start + step]
        lengths = prepared.lengths[block]
        ends = np.cumsum(lengths)
        rows = np.repeat(prepared.offsets[block] - (ends - lengths), lengths) + np.arange(
            lengths.sum()
        )
        first, last = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
        first[(ends - lengths)[lengths > 0]] = True
        last[(ends - 1)[lengths > 0]] = True
        current = prepared.values[rows]
        described = np.hstack([current, prepared.values[rows - ~first], np.ones((len(rows), 1))])
        earlier, later = described[~last], prepared.values[rows[~last] + 1]
        total = total.plus(
            Sums(
                described.T @ described,
                earlier.T @ earlier,
                earlier.T @ later,
                np.einsum("ij,ij->j", later, later),
            )
        )
    return total


@dataclass(frozen=True, slots=True, eq=False)
class Models:
    """Weights of linear models that predict columns from a description.

    Parameters
    ----------
    columns : the columns that are predicted from the others.
    feature : description x these columns; a column does not predict itself, so its own weight and
        that of its past are 0.
    step : description x all columns of the next row.
    """

    columns: list[int]
    feature: Floats
    step: Floats

    def feature_errors(self, test: Sums) -> Floats:
        """The squared error of the prediction of each column, summed over rows."""
        cross, squares = test.now[:, self.columns], np.diag(test.now)[self.columns]
        return _squared_errors(self.feature, test.now, cross, squares)

    def step_errors(self, test: Sums) -> Floats:
        """The squared error of the prediction of each column of the next row, summed over rows."""
        return _squared_errors(self.step, test.before, test.next_row, test.squares)


def fit(train: Sums, columns: list[int], ridge: float) -> Models:
    """Fit ridge models for some columns and for the next row."""
    wide = 2 * train.columns
    feature = np.zeros((wide + 1, len(columns)))
    for place, column in enumerate(columns):
        kept = np.delete(np.arange(wide + 1), [column, train.columns + column])
        cross = train.now[kept, column, None]
        feature[kept, place] = _solve(train.now[np.ix_(kept, kept)], cross, ridge)[:, 0]
    return Models(columns, feature, _solve(train.before, train.next_row, ridge))


def fit_mean(train: Sums, columns: list[int]) -> Models:
    """The mean as a model: the best constant prediction."""
    feature = np.zeros((2 * train.columns + 1, len(columns)))
    step = np.zeros_like(train.next_row)
    feature[-1] = train.now[-1, columns] / max(train.now[-1, -1], 1)
    step[-1] = train.next_row[-1] / max(train.before[-1, -1], 1)
    return Models(columns, feature, step)


def _squared_errors(weights: Floats, gram: Floats, cross: Floats, squares: Floats) -> Floats:
    fitted = (weights * (gram @ weights)).sum(axis=0)
    return np.asarray(squares - 2 * (weights * cross).sum(axis=0) + fitted)


def _solve(gram: Floats, cross: Floats, ridge: float) -> Floats:
    """Ridge weights from sums; the last column is the 1, whose weight is not shrunk.

    The penalty of a column is proportional to its variance, so units do not matter.
    """
    count = max(gram[-1, -1], 1.0)
    mean, target = gram[:-1, -1] / count, cross[-1] / count
    spread = gram[:-1, :-1] / count - np.outer(mean, mean)
    shared = cross[:-1] / count - np.outer(mean, target)
    variance = np.maximum(np.diag(spread), 0)
    # A column that does not vary gets weight 0: its shared variation is rounding, its penalty 1.
    penalty = np.where(variance > 1e-12 * (1 + mean**2), ridge * variance, 1.0)
    weights = np.linalg.solve(spread + np.diag(penalty), shared)
    return np.vstack([weights, target - mean @ weights])


@register("skill-retention-v1")
class SkillRetention(ReleaseMeasure):
    r"""How much of a model's predictive skill is left if it learns from the release.

    Ridge models predict each feature from the others, now and one row before (``feature_``), and
    every column of the next row (``step_``). With root mean squared errors R on test records,

    $$ SR_j = (R_{mean} - R_{release}) / (R_{mean} - R_{original}) $$

    compares, for column j, a model of the release and one of the original with the mean of the
    original: 1 if nothing is lost, 0 if the release is not better than a constant. SR is clipped to
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
    shapes: ClassVar[tuple[str, ...]] = ("series",)
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
        columns = self._predicted_columns(given[0])
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
            "feature_skill": jackknife_errors(feature, skill, "higher", (-1.0, 1.0)),
            "step_skill": jackknife_errors(step, skill, "higher", (-1.0, 1.0)),
            "feature_ratio": jackknife_errors(old_feature, worst_ratio, "lower", most),
            "feature_passed": jackknife_errors(old_feature, passed_share, "higher", (0.0, 1.0)),
            "step_ratio": jackknife_errors(old_step, overall_ratio, "lower", most),
        }

    def _predicted_columns(self, original: Series) -> list[int]:
        """The positions of the features to predict among the columns of the values."""
        names = original.schema.names[1:]
        unknown = sorted(set(self.features or ()) - set(names[1:]))
        if unknown:
            known = ", ".join(names[1:])
            raise PartError(f"unknown feature {unknown[0]!r}; available: {known}")
        return [j for j in range(1, len(names)) if not self.features or names[j] in self.features]

    def _alike(self, sides: list[PreparedSeries]) -> list[PreparedSeries]:
        """All sides on the scale of the original, time in 0..1 too, outliers moved to the tails."""
        original = sides[0]
        span = np.array(original.scaling.span)
        span[0] = float(original.values[:, 0].max()) or 1.0
        scaled = [side.rescale(Scaling(original.scaling.low, span)) for side in sides]
        low, high = np.quantile(scaled[0].values, [self.tails, 1 - self.tails], axis=0)
        low[0], high[0] = -np.inf, np.inf
        return [replace(side, values=np.clip(side.values, low, high)) for side in scaled]

    def _errors(self, sides: list[PreparedSeries], columns: list[int]) -> tuple[Errors, Errors]:
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


def jackknife_errors(
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
