"""Usual places: where somebody was is where they always are, or where most others are."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Trajectories
from quintain.data.arrays import Ints, distinct
from quintain.guesses import Guess, Question, TraceQuestion
from quintain.registry import register
from quintain.releases import Release


@register("own-habits-v1")
class OwnHabits(Attack):
    """Puts everybody where they usually were at that time of the day, without the release.

    What it finds is what attackers know anyhow. Only what others find beyond it comes from the
    release.

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, _, release = exercise(q.part("trace"), "trajectories")
    >>> attack = q.part("own-habits")
    >>> guess = attack.infer(q.Knowledge(question), release, rng=np.random.default_rng(0))
    >>> right = (guess.table.codes(["x", "y"]) == truth.table.codes(["x", "y"])).all(axis=1)
    >>> f"{right.sum()} of {len(right)} points"
    '93 of 200 points'
    """

    answers: ClassVar[tuple[type[Question], ...]] = (TraceQuestion,)
    shapes: ClassVar[tuple[str, ...]] = ("trajectories",)
    blind: ClassVar[bool] = True

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Answer with the habits of each target."""
        question = knowledge.question_as(TraceQuestion)
        return question.answer(question.habits())


@register("crowd-places-v1")
class CrowdPlaces(Attack):
    """Puts everybody where most people of the release are at that time.

    It needs nobody's name. It finds much where people crowd together, and in releases of averages.

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, _, release = exercise(q.part("trace"), "trajectories")
    >>> attack = q.part("crowd-places")
    >>> guess = attack.infer(q.Knowledge(question), release, rng=np.random.default_rng(0))
    >>> right = (guess.table.codes(["x", "y"]) == truth.table.codes(["x", "y"])).all(axis=1)
    >>> f"{right.sum()} of {len(right)} points"
    '46 of 200 points'
    """

    answers: ClassVar[tuple[type[Question], ...]] = (TraceQuestion,)
    shapes: ClassVar[tuple[str, ...]] = ("trajectories",)

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Count the people of each cell, time by time."""
        question = knowledge.question_as(TraceQuestion)
        published: Trajectories = self.see(release.data)
        return question.answer(_fullest_cells(published, question.sought_points().times()))


def _fullest_cells(traces: Trajectories, times: Ints) -> Ints:
    """The cell with most points at each time; where there is none, that of all times."""
    cells, size = traces.cells(), traces.grid.size
    seen = cells >= 0
    overall = np.bincount(cells[seen], minlength=size)
    moments = distinct(traces.times())
    at = np.searchsorted(moments, traces.times())
    counts = np.bincount(at[seen] * size + cells[seen], minlength=len(moments) * size)
    counts = counts.reshape(len(moments), size)
    fullest = np.where(counts.any(axis=1), counts.argmax(axis=1), overall.argmax())
    if not len(moments):
        return np.zeros(len(times), np.int64)
    place = np.minimum(np.searchsorted(moments, times), len(moments) - 1)
    known = moments[place] == times
    return np.where(known, fullest[place], overall.argmax())
