"""Series attacks: score each target by how much of its time series is in the release."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Series, as_series
from quintain.data.arrays import Floats
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.kernels.series import (
    PreparedSeries,
    Scaling,
    complete,
    longest,
    prepare,
)
from quintain.releases import Release

Scores = npt.NDArray[np.float64]
ScaledBy = Literal["own", "targets", "robust"]

TAIL = 0.01
"""The share of the targets' values at either end that does not set the scale."""

MARGIN = 0.5
"""Values beyond the scale count at most this far beyond it."""

TOLERANCE = 1e-9
"""A feature does not vary if its span is at most this share of its largest value."""

_OTHER_UNIT = 20.0
"""A release is in another unit if its span is this many times that of the targets, or this part."""


class SeriesAttack(Attack):
    """Scores each target series, and guesses that the upper half are members.

    Parameters
    ----------
    steps : the attack uses only this many first rows of each series; by default it uses all rows.
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)
    shapes: ClassVar[tuple[str, ...]] = ("series",)

    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Score the targets; an empty release gives everyone the same probability."""
        return self.rank(knowledge, release, self.scores, rng=rng)

    def rank(
        self,
        knowledge: Knowledge,
        release: Release,
        scores_of: Callable[..., Scores],
        *,
        rng: np.random.Generator,
    ) -> Guess:
        """Rank the targets by scores; ``scores_of`` has the signature of ``scores``."""
        question = knowledge.question_as(MembershipQuestion)
        released, targets = as_series(release.data), question.series()
        if len(released) == 0:
            return question.answer(np.full(len(targets), 0.5))
        steps = self.steps or longest(released, targets)
        short = targets.head(steps), released.head(steps)
        return question.answer_by_rank(scores_of(*short, steps, rng=rng))

    @abstractmethod
    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Score how likely each target is in the release, on any scale; higher is likelier.

        No series has more than ``steps`` rows.
        """


class PreparedSeriesAttack(SeriesAttack):
    """Compares completed and scaled series, as the attacks of Hide-and-Seek 2020 did.

    Parameters
    ----------
    scaled_by : "own" scales targets and release by their own extremes, as in 2020, so the release
        may be in any unit; "targets" scales both by the extremes of the targets, which is sharper
        if the release has the units of the data; "robust" scales both by quantiles of the targets
        and moves outliers to the ends, so that neither one far-out value nor rounding errors in a
        constant column can hide everybody.
    """

    scaled_by: ScaledBy = "own"

    def prepare_sides(
        self, targets: Series, released: Series, steps: int
    ) -> tuple[PreparedSeries, PreparedSeries]:
        """Complete and scale both sides."""
        if self.scaled_by == "robust":
            return prepare_robustly(targets, released, steps)
        target_side = prepare(targets, steps)
        scaling = None if self.scaled_by == "own" else target_side.scaling
        return target_side, prepare(released, steps, scaling=scaling)


def prepare_robustly(
    targets: Series, released: Series, steps: int, *, timed: bool = False
) -> tuple[PreparedSeries, PreparedSeries]:
    """Complete both sides and scale them by quantiles of the targets.

    Outliers are moved to the ends of the scale. A feature that does not vary among the targets is 0
    on both sides. A feature that the release has in another unit is scaled by its own quantiles.

    Parameters
    ----------
    timed : whether time is scaled as well; the longest target ends at 1.
    """
    scaling = quantile_scaling(complete(targets.head(steps)))
    other = quantile_scaling(complete(released.head(steps)))
    target_side = prepare(targets, steps, scaling=scaling)
    release_side = prepare(released, steps, scaling=_in_units(scaling, other))
    if timed:
        last = float(target_side.values[:, 0].max(initial=0.0)) or 1.0
        return _within(target_side, last), _within(release_side, last)
    return _within(target_side), _within(release_side)


def quantile_scaling(values: Floats) -> Scaling:
    """Scale each feature by two quantiles; by its extremes if these are equal.

    The span of a feature that does not vary is infinite, so that it becomes 0.

    >>> values = np.array([[0.0, 5.0, 1.0], [1.0, 6.0, 1.0], [2.0, 7.0, 1.0 + 1e-15]])
    >>> quantile_scaling(values).span.round(2).tolist()
    [1.0, 1.96, inf]
    """
    if len(values) == 0:
        return Scaling.of(values)
    widest = Scaling.of(values, TOLERANCE)
    low, high = np.quantile(values, [TAIL, 1 - TAIL], axis=0)
    least = TOLERANCE * np.maximum(np.abs(low), np.abs(high))
    narrow = high - low <= least
    highest = values.max(axis=0)
    constant = highest - widest.low <= TOLERANCE * np.maximum(np.abs(widest.low), np.abs(highest))
    low, span = np.where(narrow, widest.low, low), np.where(narrow, widest.span, high - low)
    span[constant] = np.inf
    low[0], span[0] = 0.0, 1.0
    return Scaling(low, span)


def _in_units(scaling: Scaling, other: Scaling) -> Scaling:
    """The targets' scale, but the release's own for features that are in another unit."""
    with np.errstate(invalid="ignore"):
        ratio = other.span / scaling.span
        apart = np.abs(other.low + other.span / 2 - scaling.low - scaling.span / 2) / scaling.span
    differs = (ratio > _OTHER_UNIT) | (ratio < 1 / _OTHER_UNIT) | (apart > _OTHER_UNIT / 2)
    differs &= np.isfinite(scaling.span) & np.isfinite(other.span)
    low = np.where(differs, other.low, scaling.low)
    return Scaling(low, np.where(differs, other.span, scaling.span))


def _within(side: PreparedSeries, last: float = 1.0) -> PreparedSeries:
    values = np.clip(side.values, -MARGIN, 1 + MARGIN)
    values[:, 0] = side.values[:, 0] / last
    return replace(side, values=values)
