"""Series attacks: score each target by how much of its time series is in the release."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.membership.series.robust_scaling import prepare_robustly
from quintain.attacks.threat import Knowledge
from quintain.data import Series
from quintain.data.schema import Shape
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.kernels.series_preparation import PreparedSeries, as_series, longest, prepare
from quintain.releases import Release

Scores = npt.NDArray[np.float64]
ScaledBy = Literal["own", "targets", "robust"]


class SeriesAttack(Attack):
    """Scores each target series, and guesses that the upper half are members.

    Parameters
    ----------
    steps : the attack uses only this many first rows of each series; by default it uses all rows.
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)
    shapes: ClassVar[tuple[Shape, ...]] = ("series",)

    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Score the targets; an empty release gives everyone the same probability."""
        question = knowledge.question_as(MembershipQuestion)
        released, targets = as_series(release.data), question.series()
        if len(released) == 0:
            return question.answer(np.full(len(targets), 0.5))
        steps = self.steps or longest(released, targets)
        short = targets.head(steps), released.head(steps)
        return question.answer_by_rank(self.scores(*short, steps, rng=rng))

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

    def prepared(
        self, targets: Series, released: Series, steps: int
    ) -> tuple[PreparedSeries, PreparedSeries]:
        """Complete and scale both sides."""
        if self.scaled_by == "robust":
            return prepare_robustly(targets, released, steps)
        target_side = prepare(targets, steps)
        scaling = None if self.scaled_by == "own" else target_side.scaling
        return target_side, prepare(released, steps, scaling=scaling)
