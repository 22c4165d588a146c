"""How the teachers, the student and the generator of PATE-GAN take turns.

This file never reads a private record. One function gives access to the teachers: it returns noisy
shares of votes and charges the budget for them. The rest is post-processing of its answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Ints
from quintain.progress import track
from quintain.sanitizers.synthesizer import Arrays
from quintain.sanitizers.synthetic.pategan.generator import Generator
from quintain.sanitizers.synthetic.pategan.student import Student
from quintain.sanitizers.synthetic.pategan.teachers import Teachers
from quintain.sanitizers.synthetic.pategan.view import View

Ask = Callable[[Ints, View], Floats]
"""A function that gives the noisy share of teachers that vote "real" for each query."""

_MOCK = 5000
"""The most records of all mock teachers together; more would hardly be more exact."""
_REFERENCE = 1000
"""How many generated records are used to estimate how much teachers differ."""
_LEARNED_ERROR = 0.003
"""The assumed standard error of a level's share that was learned from votes."""
_LAST = 3
"""How many times longer the generator trains after the last round."""


@dataclass(frozen=True, slots=True)
class Training:
    """The public facts about the teachers, and how long to train.

    Parameters
    ----------
    teachers : how many teachers there are.
    records : about how many records the teachers have together.
    vote_scale : the scale of the noise in each count of votes.
    queries : how many generated records are labelled, in all rounds together.
    rounds : how often teachers, student and generator take turns.
    steps : training steps of the generator in each round.
    error : the standard error of the shares to begin with, or None if they are only a start.
    """

    teachers: int
    records: int
    vote_scale: float
    queries: int
    rounds: int
    steps: int
    error: float | None

    def run(
        self, ask: Ask, sizes: Sequence[int], shares: Floats, *, rng: np.random.Generator
    ) -> Arrays:
        """Train the generator, and return its weights.

        Parameters
        ----------
        ask : gives the noisy votes of the teachers.
        sizes : how many levels each column has.
        shares : the shares of levels to begin with.
        rng : public randomness.
        """
        generator = Generator(sizes, shares, rng=rng)
        parts = np.array_split(np.arange(self.queries), self.rounds)
        batches = [len(part) for part in parts if len(part)]
        # Without histograms, teachers first compare single levels, then pairs of levels.
        single = 0 if self.error else (len(batches) + 1) // 2
        student = None
        for turn, batch in enumerate(track(batches, "PATE-GAN rounds", len(batches))):
            view, queries = generator.view(pairs=turn >= single), generator.draw(batch)
            if student is None or turn == single:
                error = None if turn < single else self.error or _LEARNED_ERROR
                student = Student(view, self._variance(), error)
            votes = ask(queries, view)
            blind, spread = self._blind(generator, queries, view, rng)
            student.learn(queries, votes, blind, spread, view)
            last = turn == len(batches) - 1
            steps = self.steps * (_LAST if last else 1)
            generator.train(student.shares, student.moments, steps, last=last)
        return generator.weights

    def _blind(
        self, generator: Generator, queries: Ints, view: View, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Let mock teachers vote, which have generated records only; also say how they differ."""
        rows, count = min(_MOCK, self.records), self._mocks
        mock = Teachers(generator.draw(rows), rng.integers(count, size=rows), count)
        blind: Floats = mock.votes(queries, view) / count
        apart = view.kernel(queries, generator.draw(_REFERENCE)).std(axis=0).astype(np.float64)
        spread = np.maximum(apart / math.sqrt(max(1.0, self.records / self.teachers)), 1e-3)
        return blind, spread

    @property
    def _mocks(self) -> int:
        """Count the mock teachers; each has as many records as a real teacher."""
        return max(1, round(self.teachers * min(_MOCK, self.records) / self.records))

    def _variance(self) -> float:
        """Compute the variance of a noisy share of votes: from records, mock teachers and noise."""
        draws = 0.25 / self.teachers + 0.25 / self._mocks
        return draws + 2 * (self.vote_scale / self.teachers) ** 2
