"""How the teachers, the student and the generator of PATE-GAN take turns.

This file never reads a private record. One function gives access to the teachers: it returns noisy
shares of votes and charges the budget for them. The rest is post-processing of its answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr, ndtri

from quintain.data.arrays import Floats, Ints, Singles
from quintain.jobs.progress import track
from quintain.sanitizers.synthesizer import Arrays
from quintain.sanitizers.synthetic.pategan.generator import Generator, View
from quintain.sanitizers.synthetic.pgm import nearest_counts

# The student of PATE-GAN: it learns about the real records from noisy votes alone.
#
# It sees only generated records and noisy votes on them. It is a discriminant of the same form as
# the teachers', and the mean m of the real records is its unknown. If each teacher has n / k
# records, the share of teachers that vote for x is about
#
# $$ \Phi\Bigl( z_0(x) + \langle m - g,\; \phi(x) - g \rangle \big/ \sigma(x) \Bigr), $$
#
# where z_0(x) describes the votes of teachers that see no difference, and sigma(x) the spread
# between teachers. Both follow from generated records alone. The student estimates m by probit
# ridge regression over all labels so far: labels for an earlier generator g stay useful, because
# g is known. Each pair of columns has its own ridge, set by empirical Bayes. With few labels or
# much noise the student therefore stays where it began, at independent columns.


_START = 1e-4
"""The first variance of an interaction, in units in which teachers weigh all levels equally."""
_FIRST_START = 0.05
"""The same for a single column without a histogram."""
_PASSES = 2
"""How often per round the estimate and its ridges are adjusted to each other."""
_STEPS = 30
_ENOUGH = 1e-4
"""Conjugate gradients stop when the squared residual falls to this part of the target's."""
_LEAST_RIDGE = 1e-9
_LEAST_SLOPE = 0.05
_CLEAR = 0.02
"""Shares of votes are kept this far from 0 and 1, so that their quantile stays finite."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The labels of one round, and what was known when the teachers voted.

    Parameters
    ----------
    points : the queries as the teachers see them: a constant 1, then centred and weighted levels.
    votes : the noisy share of votes for each query.
    blind : the normal quantile of the share of votes from teachers that see no difference.
    spread : how much the scores of teachers differ on each query.
    known : what the generator of that round subtracts from the score of each query.
    shares : that generator's shares of levels.
    """

    points: Singles
    votes: Floats
    blind: Floats
    spread: Floats
    known: Floats
    shares: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Regression:
    """A least squares problem that approximates the probit near the estimate; one row per label."""

    points: Singles
    response: Singles
    weight: Singles
    turn: Ints


@dataclass(slots=True, eq=False)
class Student:
    """A learner that estimates shares and covariances of levels from noisy votes.

    Parameters
    ----------
    view : the generator before the first vote.
    noise : the variance of a label.
    error : the standard error of the shares in the view, or None if they are only a start.
    """

    view: View
    noise: float
    error: float | None
    _labels: list[Labels] = field(default_factory=list)
    _estimate: Singles = field(init=False)
    _ridge: Singles = field(init=False)
    _pairs: Singles = field(init=False)
    _members: Singles = field(init=False)

    def __post_init__(self) -> None:
        """Start with independent columns; level 0 stands for the constant 1."""
        sizes = [1, *self.view.sizes]
        column = np.repeat(np.arange(len(sizes)), sizes)
        self._members = (np.arange(len(sizes))[:, None] == column).astype(np.float32)
        self._pairs = (column[:, None] < column).astype(np.float32)
        if not self.view.pairs:
            self._pairs[1:] = 0
        self._estimate = np.zeros_like(self._pairs)
        self._ridge = np.full((len(sizes), len(sizes)), _START, np.float32)
        self._ridge[0] = _FIRST_START

    @property
    def shares(self) -> Floats:
        """Estimate the share of each level in the real records."""
        raw = self.view.shares + self._estimate[0, 1:]
        parts = [raw[block] for block in self.view.blocks]
        return np.concatenate([nearest_counts(part, np.ones(len(part)), 1.0) for part in parts])

    @property
    def moments(self) -> Floats:
        """Estimate the covariances of levels in the real records, between columns."""
        return self._estimate[1:, 1:].astype(np.float64)

    def learn(
        self, queries: Ints, votes: Floats, blind: Floats, spread: Floats, view: View
    ) -> None:
        """Learn from one more round of labels, together with all labels before.

        Parameters
        ----------
        queries : levels of generated records.
        votes : the noisy share of teachers that vote "real" for each record.
        blind : the share of votes from mock teachers, which have generated records instead of real
            ones.
        spread : the standard deviation between the scores of teachers.
        view : how the teachers saw the generator.
        """
        seen = view.centre(queries)
        known = seen @ (view.shares - self.view.shares) + view.mean_similarity(queries)
        points = np.column_stack([np.ones(len(queries)), seen]).astype(np.float32)
        quantile = ndtri(np.clip(blind, _CLEAR, 1 - _CLEAR))
        self._labels.append(Labels(points, votes, quantile, spread, known, view.shares))
        for _ in range(_PASSES):
            regression = self._linear()
            self._solve(regression, view)
            self._adjust(regression, view)

    def _linear(self) -> _Regression:
        """Compute responses and weights that make the probit linear near the estimate."""
        parts = []
        for number, label in enumerate(self._labels):
            own = ((label.points @ self._estimate) * label.points).sum(axis=1)
            score = own - label.known
            if self.view.pairs:
                # Differences in two single columns also shift their pair; this part is known.
                gap = (self._estimate[0, 1:] + self.view.shares - label.shares).astype(np.float32)
                single = (label.points[:, 1:] * gap) @ self._members[1:, 1:].T
                score += (single.sum(axis=1) ** 2 - (single**2).sum(axis=1)) / 2
            score = label.blind + (score - score.mean()) / label.spread
            density = np.exp(-(score**2) / 2) / math.sqrt(2 * math.pi)
            slope = np.maximum(density, _LEAST_SLOPE) / label.spread
            rest = label.votes - ndtr(score)
            rest -= rest.mean()
            # Earlier labels that still do not fit get less weight.
            last = number == len(self._labels) - 1
            noise = self.noise if last else max(self.noise, float((rest**2).mean()))
            parts.append((own + rest / slope, slope**2 / noise, np.full(len(own), number)))
        response, weight, turn = (np.concatenate(part) for part in zip(*parts, strict=True))
        points = np.concatenate([label.points for label in self._labels])
        return _Regression(points, response.astype(np.float32), weight.astype(np.float32), turn)

    def _scale(self, view: View) -> Singles:
        """Give the standard deviation of each unknown before any label (the prior)."""
        root = np.sqrt(np.concatenate([[1.0], view.weights]))
        spread = np.sqrt(self._members.T @ self._ridge @ self._members)
        scale: Singles = (spread / (root[:, None] * root)).astype(np.float32)
        if self.error is not None:
            scale[0] = self.error
        return scale * self._pairs

    def _solve(self, given: _Regression, view: View) -> None:
        """Solve ridge regression with one intercept per round, by conjugate gradients."""
        points, weight, turn = given.points, given.weight, given.turn
        scale = self._scale(view)
        mass = np.bincount(turn, weight)

        def normal(values: Singles) -> Singles:
            centred = values - (np.bincount(turn, weight * values) / mass)[turn]
            weighted = (weight * centred).astype(np.float32)
            gradient: Singles = points.T @ (points * weighted[:, None])
            return scale * gradient

        def image(unknown: Singles) -> Singles:
            score: Singles = ((points @ (scale * unknown)) * points).sum(axis=1)
            return score

        solution = np.divide(self._estimate, scale, out=np.zeros_like(scale), where=scale > 0)
        target = normal(given.response)
        rest = target - solution - normal(image(solution))
        step, left, enough = rest, (rest**2).sum(), _ENOUGH * (target**2).sum()
        for _ in range(_STEPS):
            if left <= enough:
                break
            turned = step + normal(image(step))
            length = left / (step * turned).sum()
            solution, rest = solution + length * step, rest - length * turned
            after = (rest**2).sum()
            step, left = rest + after / left * step, after
        self._estimate = scale * solution

    def _adjust(self, given: _Regression, view: View) -> None:
        """Set the ridge of each pair of columns to the variance of its estimates."""
        scale = self._scale(view)
        squares = given.points**2
        precision = (squares * given.weight[:, None]).T @ squares
        left = scale**2 / (1 + scale**2 * precision)
        whole = (self._estimate**2 + left) / np.where(scale > 0, scale**2, 1) * self._pairs
        cells = self._members @ self._pairs @ self._members.T
        ratio = (self._members @ whole @ self._members.T) / np.maximum(cells, 1)
        ratio = np.where(cells > 0, ratio, 1)
        self._ridge = np.maximum(self._ridge * ratio, _LEAST_RIDGE).astype(np.float32)


# The teachers of PATE-GAN: classifiers, each with its own part of the private records.
#
# A teacher is a linear discriminant over levels and pairs of levels,
#
# $$ f_j(x) = \langle m_j - g,\; \phi(x) - g \rangle, $$
#
# where m_j is the mean of its own real records and g the mean of the generator's records. It votes
# "real" if x looks more like its own records than an average generated record does.
#
# A teacher only computes sums over its own records, element by element and in their order. So not
# even a rounding error of one teacher depends on the records of another. One record more or less
# therefore changes the votes of one teacher only.


_CHUNK = 8
"""How many queries are processed at once; few enough for the processor's cache."""


class Teachers:
    """All teachers, each with the private records that were assigned to it.

    Parameters
    ----------
    records : levels of the private records.
    part : the teacher of each record; it must be drawn without reading the records.
    count : how many teachers there are; some may have no records.
    """

    def __init__(self, records: Ints, part: Ints, count: int) -> None:
        self._records = records[np.argsort(part, kind="stable")]
        sizes = np.bincount(part, minlength=count)
        busy = np.flatnonzero(sizes)
        self._sizes = sizes[busy]
        self._starts = (np.cumsum(sizes) - sizes)[busy]
        # Teachers without records vote too; every second one of them votes "real".
        self._idle_votes = int(np.count_nonzero(np.flatnonzero(sizes == 0) % 2))

    def votes(self, queries: Ints, view: View) -> Ints:
        """Count the teachers that vote "real"; one record changes each count by one at most."""
        own = np.add.reduceat(view.mean_similarity(self._records), self._starts) / self._sizes
        least = own - view.own_similarity
        expected = view.mean_similarity(queries)
        counts = np.full(len(queries), self._idle_votes)
        for start in range(0, len(queries), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            similarity = view.kernel(queries[chunk], self._records)
            mean = np.add.reduceat(similarity, self._starts, axis=0) / self._sizes[:, None]
            counts[chunk] += (mean - expected[chunk] > least[:, None]).sum(axis=0)
        return counts


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
class PateganTraining:
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
