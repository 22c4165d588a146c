"""Recurrent networks: does one that learned from the release predict as well as the original's?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Series, as_series
from quintain.data.arrays import Floats, Rows
from quintain.kernels.networks import (
    Batch,
    Device,
    LearningTask,
    Training,
    as_batch,
    computing,
    has_torch,
    prepare_timed,
)
from quintain.kernels.series import PreparedSeries, longest
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.measures.utility.series.skill_retention import (
    Errors,
    jackknife_errors,
    overall_ratio,
    passed_share,
    retained_skill,
)
from quintain.registry import register
from quintain.wording.languages import say, to_say

_GROUPS = 10
"""How many groups of test persons give the interval if there is only one seed."""


_CAPTIONS = {
    "recurrent_feature_skill": to_say("Share of the skill at predicting features that is left."),
    "recurrent_step_skill": to_say("Share of the skill at predicting the next row that is left."),
    "recurrent_feature_ratio": to_say("Error at predicting features, release to original; mean."),
    "recurrent_features_passed": to_say("Features whose error is at most 5 times the original's."),
    "recurrent_step_ratio": to_say("Error at predicting the next row, release to original."),
}


@register("recurrent-v1")
class Recurrent(ReleaseMeasure):
    r"""How well recurrent networks predict that learned from the release, against the original's.

    Networks of gated recurrent units predict some features, each from all other columns of the rows
    so far, and all columns of the next row. For several seeds, one set of networks learns from the
    original and one from the release; both are tested on other persons. Hide-and-Seek judged
    releases in this way. Three of its faults are repaired: all seeds count, time is scaled like a
    feature, and a feature that does not vary is not predicted. The test records decide which
    features are predicted, so a sanitizer cannot know them as long as the test records are secret.

    R is a root mean squared error. For the features and for the next row (``step``) the measure
    reads the ratio of R of the release to that of the original (the mean over features, as in
    2020), how many features are within 5 times the original's as in 2020, and the skill

    $$ SR_j = (R_{mean} - R_{release}) / (R_{mean} - R_{original}), $$

    which is 1 if nothing is lost and 0 if a constant predicts as well. It is clipped to -1..1 and
    averaged over the columns that can be predicted at all. Intervals are over seeds; with one seed,
    over groups of test persons.

    The defaults are small enough for a processor. The settings of 2020 are hidden = none,
    epochs = 20, batch = 128, rate = 0.001, seeds = [12345, 42, 1, 123, 777]; they need a GPU.

    Parameters
    ----------
    features : how many features are predicted.
    hidden : how many numbers a state has; none means as many as there are columns.
    layers, epochs, batch, rate : settings of the networks and their training.
    seeds : one set of networks is trained per seed.
    scaled_by : "original" scales the release like the original; "own" scales it by its own
        extremes, as in 2020, which accepts a release in any unit.
    least_skill : a feature has no skill to keep if its original networks are not better than the
        mean by this share of its error.
    device : where to compute.
    steps : how many rows of a series count, from the first on; if not given, as many as the
        longest series of the original has.

    References
    ----------
    Jordon et al., Hide-and-Seek Privacy Challenge, arXiv:2007.12087.

    Examples
    --------
    >>> import quintain as q
    >>> part = q.part("recurrent", features=2, epochs=1, seeds=(7,))
    >>> for name in list(part.reads)[-2:]:
    ...     print(name, "-", part.caption(name))
    recurrent_skill_1 - Share of the skill at predicting feature 1 that is left.
    recurrent_skill_2 - Share of the skill at predicting feature 2 that is left.
    """

    about: ClassVar[About] = "utility"
    shapes: ClassVar[tuple[str, ...]] = ("series",)

    features: Annotated[int, Field(ge=1, le=1000)] = 10
    hidden: Annotated[int, Field(ge=1, le=4096)] | None = 32
    layers: Annotated[int, Field(ge=1, le=10)] = 3
    epochs: Annotated[int, Field(ge=1, le=100_000)] = 10
    batch: Annotated[int, Field(ge=1, le=1_000_000)] = 32
    rate: Annotated[float, Field(gt=0, le=1)] = 3e-3
    seeds: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1)] = (12345, 42, 1)
    scaled_by: Literal["original", "own"] = "original"
    least_skill: Annotated[float, Field(ge=0, lt=1)] = 0.02
    device: Device = "auto"
    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """Tiny networks; an empty list if PyTorch is not installed, since they could not run."""
        small = cls(features=2, hidden=3, layers=2, epochs=1, device="cpu")
        one = small.model_copy(update={"seeds": (7,), "scaled_by": "own"})
        return [small, one] if has_torch() else []

    @property
    def reads(self) -> Mapping[str, Direction]:
        """Skills and passed features, for which higher is better; ratios, where lower is better."""
        names: dict[str, Direction] = {
            "recurrent_feature_skill": "higher",
            "recurrent_step_skill": "higher",
            "recurrent_feature_ratio": "lower",
            "recurrent_features_passed": "higher",
            "recurrent_step_ratio": "lower",
        }
        for number in range(1, self.features + 1):
            names[f"recurrent_skill_{number}"] = "higher"
        return names

    @property
    def captions(self) -> Mapping[str, str]:
        """What is predicted, and how the release is compared."""
        out = {name: say(text) for name, text in _CAPTIONS.items()}
        for number in range(1, self.features + 1):
            text = to_say("Share of the skill at predicting feature %(number)s that is left.")
            out[f"recurrent_skill_{number}"] = say(text, number=number)
        return out

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Train networks on original and release, and compare their errors on the test records."""
        given = [as_series(data) for data in (original, release, test) if data is not None]
        if len(given) < 3 or not all(len(series.values) for series in given):
            note = "there are no test records" if len(given) < 3 else "nothing to learn from"
            return {name: Reading.missing(way, note) for name, way in self.reads.items()}
        learned, released, tested = self._prepare(*given)
        columns = predicted_columns(learned, given[2], self.features)
        if not columns:
            note = "no feature varies"
            return {name: Reading.missing(way, note) for name, way in self.reads.items()}
        with computing(self.device, "utility by recurrent networks") as device:
            tests = as_batch(tested, device)
            sides = [
                self._squares(as_batch(side, device), tests, columns)
                for side in (learned, released)
            ]
        means = _squares_of_mean(tested, learned.values.mean(axis=0), columns)
        counts = tested.lengths, np.maximum(tested.lengths - 1, 0)
        feature, step = (self._errors(*kind) for kind in zip(means, *sides, counts, strict=True))
        return self._readings(feature, step)

    def _prepare(
        self, original: Series, release: Series, test: Series
    ) -> tuple[PreparedSeries, PreparedSeries, PreparedSeries]:
        steps = self.steps or longest(original)
        learned = prepare_timed(original, steps)
        scaling = learned.scaling if self.scaled_by == "original" else None
        return (
            learned,
            prepare_timed(release, steps, scaling),
            prepare_timed(test, steps, learned.scaling),
        )

    def _squares(self, learned: Batch, tests: Batch, columns: list[int]) -> tuple[Floats, Floats]:
        """Squared errors for features and for the next row, each seeds x persons x columns."""
        training = Training(
            hidden=self.hidden or learned.values.shape[2],
            layers=self.layers,
            epochs=self.epochs,
            batch=self.batch,
            rate=self.rate,
        )
        tasks = [*(LearningTask(column) for column in columns), LearningTask()]
        squares = training.run(learned, tasks, self.seeds).squares(tests)[0]
        by_task = squares.view(len(self.seeds), len(tasks), *squares.shape[1:]).cpu().numpy()
        feature = [by_task[:, place, :, column] for place, column in enumerate(columns)]
        return np.stack(feature, axis=2), by_task[:, -1]

    def _errors(self, mean: Floats, original: Floats, release: Floats, counts: Rows) -> Errors:
        """Group the errors by seed, or by groups of persons if there is one seed."""
        if len(self.seeds) > 1:
            count = np.full(len(self.seeds), float(counts.sum()))
            same = np.tile(mean.sum(axis=0), (len(self.seeds), 1))
            return Errors(same, original.sum(axis=1), release.sum(axis=1), count)
        groups = [slice(start, None, _GROUPS) for start in range(min(_GROUPS, len(counts)))]
        by_group = [
            np.array([side[group].sum(axis=0) for group in groups])
            for side in (mean, original[0], release[0])
        ]
        mean, own, other = by_group
        return Errors(mean, own, other, np.array([float(counts[group].sum()) for group in groups]))

    def _readings(self, feature: Errors, step: Errors) -> Readings:
        skill = partial(retained_skill, least=self.least_skill)
        predicted = feature.mean.shape[1]
        out = {
            "recurrent_feature_skill": self._reading(feature, skill, "higher", (-1.0, 1.0)),
            "recurrent_step_skill": self._reading(step, skill, "higher", (-1.0, 1.0)),
            "recurrent_feature_ratio": self._reading(feature, mean_ratio, "lower", (0.0, np.inf)),
            "recurrent_features_passed": self._reading(
                feature, lambda errors: predicted * passed_share(errors), "higher", (0.0, predicted)
            ),
            "recurrent_step_ratio": self._reading(step, overall_ratio, "lower", (0.0, np.inf)),
        }
        for number in range(self.features):
            out[f"recurrent_skill_{number + 1}"] = (
                self._reading(_column(feature, number), skill, "higher", (-1.0, 1.0))
                if number < predicted
                else Reading.missing("higher", f"only {predicted} features vary")
            )
        return out

    def _reading(
        self,
        errors: Errors,
        statistic: Callable[[Errors], float],
        better: Direction,
        within: tuple[float, float],
    ) -> Reading:
        reading = jackknife_errors(errors, statistic, better, within)
        if len(self.seeds) > 1 and reading.method.startswith("jackknife"):
            return reading.model_copy(update={"method": f"jackknife over {len(self.seeds)} seeds"})
        return reading


def predicted_columns(original: PreparedSeries, test: Series, features: int) -> list[int]:
    """The columns to predict: features that vary, drawn with a seed from the test records."""
    spread = np.ptp(original.values[:, 1:], axis=0)
    varying = 1 + np.flatnonzero(spread > 0)
    rng = np.random.default_rng(int(test.digest(), 16))
    chosen = rng.choice(varying, min(features, len(varying)), replace=False)
    return [int(column) for column in np.sort(chosen)]


def mean_ratio(errors: Errors) -> float:
    """The mean over columns of the ratio of errors, release to original."""
    _, original, release = errors.roots()
    return float((release / np.maximum(original, 1e-12)).mean()) if len(original) else np.nan


def _squares_of_mean(
    test: PreparedSeries, mean: Floats, columns: list[int]
) -> tuple[Floats, Floats]:
    """Squared errors of the original's mean for features and the next row, persons x columns."""
    squares = (test.values - mean) ** 2
    with_rows = test.lengths > 0
    first = test.offsets[:-1][with_rows]
    feature, step = np.zeros((2, len(test), squares.shape[1]))
    feature[with_rows] = np.add.reduceat(squares, first, axis=0)
    step[with_rows] = feature[with_rows] - squares[first]
    return feature[:, columns], step


def _column(errors: Errors, number: int) -> Errors:
    one = [number]
    return Errors(
        errors.mean[:, one], errors.original[:, one], errors.release[:, one], errors.count
    )
