"""Series attacks: a score for each time series, by how much of it is in a release."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Series
from quintain.data.schema import Shape
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.kernels.series_preparation import Prepared, as_series, longest, prepare
from quintain.releases import Release

Scores = npt.NDArray[np.float64]


class SeriesAttack(Attack):
    """Scores each target series; the upper half is guessed to be members.

    Parameters
    ----------
    steps : a longer series is cut to its first rows, this many; if not given, none is cut.
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)
    shapes: ClassVar[tuple[Shape, ...]] = ("series",)

    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Score the targets; an empty release tells nothing."""
        question = knowledge.asked(MembershipQuestion)
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
        """How likely each target is to be in the release, on any scale; higher is likelier.

        No series has more than ``steps`` rows.
        """


class PreparedSeriesAttack(SeriesAttack):
    """Compares completed and scaled series, as the attacks of Hide-and-Seek 2020 did.

    Parameters
    ----------
    scaled_by : "own" scales targets and release each by its own extremes, as in 2020, and takes
        a release in any unit; "targets" scales both by the targets', which is sharper where the
        release has the units of the data.
    """

    scaled_by: Literal["own", "targets"] = "own"

    def prepared(self, targets: Series, released: Series, steps: int) -> tuple[Prepared, Prepared]:
        """Both sides, prepared."""
        target_side = prepare(targets, steps)
        scaling = None if self.scaled_by == "own" else target_side.scaling
        return target_side, prepare(released, steps, scaling=scaling)
