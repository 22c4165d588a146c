"""Habit trace: recognise people, then correct what is published of them by their habits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.attacks.traces.matching import pair
from quintain.attacks.traces.visit_likelihood import VisitLikelihood
from quintain.data import CellGrid, Trajectories
from quintain.data.arrays import Floats, Ints, Rows
from quintain.data.trajectories import DAY
from quintain.guesses import Guess, Question, TraceQuestion
from quintain.kernels.places import blur_counts, cells_at, visit_counts
from quintain.registry import register
from quintain.releases import Release

_WIDTHS = (0.05, 0.7, 1.5, 3.0, 6.0)
_STRANGE = (0.01, 0.25, 0.5, 0.75, 0.99)
_TRIED = 2_000  # points by which the change is learned
_AT_ONCE = 2_000
_SLOTS = 12


@register("habit-trace-v1")
class HabitTrace(Attack):
    """Finds each person's published trajectory, and weighs it against where the person usually is.

    It recognises people as ``visit-likelihood`` does. Then it learns from the release how far
    places were moved, and which share of them tells nothing about the person: that width and that
    share which make the published places most likely, given the habits. For each point it takes the
    cell that is nearest to the truth in expectation. If the release tells nothing, habits remain.

    Parameters
    ----------
    reach : at which distance, in cells, a guess is worth nothing.

    References
    ----------
    Shokri, Theodorakopoulos, Le Boudec and Hubaux, Quantifying location privacy, IEEE S&P 2011
    (the estimate with the least expected error).

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, _, release = exercise(q.part("trace"), "trajectories")
    >>> attack = q.part("habit-trace")
    >>> guess = attack.infer(q.Knowledge(question), release, rng=np.random.default_rng(0))
    >>> right = (guess.table.codes(["x", "y"]) == truth.table.codes(["x", "y"])).all(axis=1)
    >>> f"{right.sum()} of {len(right)} points"
    '186 of 200 points'
    """

    answers: ClassVar[tuple[type[Question], ...]] = (TraceQuestion,)
    shapes: ClassVar[tuple[str, ...]] = ("trajectories",)

    reach: Annotated[float, Field(gt=0)] = 6.0

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Recognise people, learn how places were changed, and correct them."""
        question = knowledge.question_as(TraceQuestion)
        published: Trajectories = self.see(release.data)
        known, sought = question.known_traces(), question.sought_points()
        scores = VisitLikelihood().score(known, published)
        pseudonyms = pair(scores + 1e-9 * rng.random(scores.shape))
        person = sought.person_of_point()
        shown = cells_at(published, pseudonyms[person], sought.times())
        habits = _Habits.of(known)
        at = habits.row(person, sought.times())
        grid = known.grid
        crowd = np.bincount(shown[shown >= 0], minlength=grid.size) + 1.0
        tried = rng.permutation(np.flatnonzero(shown >= 0))[:_TRIED]
        change = _Change.learn(grid, habits.shares[at[tried]], shown[tried], crowd / crowd.sum())
        every = np.arange(grid.size)
        gaps = grid.distances(every[:, None], every[None, :])
        worth = np.maximum(0, 1 - gaps / self.reach)
        cells = np.empty(len(shown), np.int64)
        for points in _blocks(len(shown)):
            likely = habits.shares[at[points]] * change.probabilities(shown[points])
            cells[points] = (likely @ worth).argmax(axis=1)
        return question.answer(cells)


def _blocks(points: int) -> Iterator[slice]:
    return (slice(start, start + _AT_ONCE) for start in range(0, points, _AT_ONCE))


@dataclass(frozen=True, slots=True, eq=False)
class _Habits:
    """Each person's probability of each cell, by part of the day: (people x parts) x cells."""

    shares: Floats

    @classmethod
    def of(cls, known: Trajectories) -> _Habits:
        grid, people = known.grid, len(known)
        counts = visit_counts(known, _SLOTS)
        by_part = counts.reshape(people, _SLOTS, grid.size)
        own = by_part.sum(axis=1, keepdims=True)
        everybody = own.sum(axis=0, keepdims=True) + 1
        mixed = (
            by_part
            + 0.3 * blur_counts(counts, grid, 1.0).reshape(by_part.shape)
            + own / np.maximum(own.sum(axis=2, keepdims=True), 1)
            + 0.1 * everybody / everybody.sum()
        )
        shares = mixed / mixed.sum(axis=2, keepdims=True)
        return cls(np.asarray(shares.reshape(-1, grid.size)))

    def row(self, person: Rows, times: Ints) -> Rows:
        """The row of each point."""
        part = np.minimum(times % DAY * _SLOTS // DAY, _SLOTS - 1)
        return np.asarray(person * _SLOTS + part)


@dataclass(frozen=True, slots=True, eq=False)
class _Change:
    """How the sanitizer changes places, as far as a release shows it: true cells x shown ones."""

    table: Floats

    @classmethod
    def learn(cls, grid: CellGrid, habits: Floats, shown: Ints, crowd: Floats) -> _Change:
        """The change under which the shown places are most likely."""
        every = np.arange(grid.size)
        gaps = grid.distances(every[:, None], every[None, :])
        best, chosen = -np.inf, np.ones((grid.size, grid.size)) / grid.size
        for width in _WIDTHS:
            near = np.exp(-gaps / width)
            near /= near.sum(axis=1, keepdims=True)
            expected = np.einsum("pc,cp->p", habits, near[:, shown])
            for strange in _STRANGE:
                value = np.log((1 - strange) * expected + strange * crowd[shown]).sum()
                if value > best:
                    best, chosen = value, (1 - strange) * near + strange * crowd
        return cls(np.asarray(chosen))

    def probabilities(self, shown: Ints) -> Floats:
        """For each shown cell, or -1 for none, how likely it is for each true one."""
        out = self.table[:, np.maximum(shown, 0)].T
        return np.where((shown >= 0)[:, None], out, 1.0)
