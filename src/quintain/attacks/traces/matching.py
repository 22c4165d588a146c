"""Matching traces: compare known people with published ones, then pair them one to one."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Trajectories
from quintain.data.arrays import Floats, Rows
from quintain.guesses import Guess, PseudonymQuestion, Question, TraceQuestion
from quintain.guesses.known_traces import KnownTracesQuestion
from quintain.releases import Release

_TIE = 1e-9
"""How much chance decides between pairs that fit equally well."""


class TraceMatching(Attack):
    """Finds the published trajectory of each known person.

    Pairs are chosen one to one, so that their scores are as high as possible in total. Asked where
    people were, it copies the published trajectory; where that has no place, it takes the cell in
    which the person usually is at that time of the day.
    """

    answers: ClassVar[tuple[type[Question], ...]] = (PseudonymQuestion, TraceQuestion)
    shapes: ClassVar[tuple[str, ...]] = ("trajectories",)

    @abstractmethod
    def score(self, known: Trajectories, published: Trajectories) -> Floats:
        """How well each published person fits each known one: known x published."""

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Score all pairs, choose the best ones, and answer by them."""
        question = knowledge.question_as(KnownTracesQuestion)  # type: ignore[type-abstract]
        published: Trajectories = self.see(release.data)
        scores = self.score(question.known_traces(), published)
        pseudonyms = pair(scores + _TIE * rng.random(scores.shape))
        return question.answer_by_pseudonym(published, pseudonyms, rng=rng)


def pair(scores: Floats) -> Rows:
    """One column per row, none twice while there are enough, with the highest sum of scores.

    >>> pair(np.array([[5.0, 4], [4, 1]])).tolist()
    [1, 0]
    """
    from scipy.optimize import linear_sum_assignment

    out: Rows = scores.argmax(axis=1)
    rows, columns = linear_sum_assignment(scores, maximize=True)
    out[rows] = columns
    return out
