"""The student of PATE-GAN: it learns about the real records from noisy votes alone.

It sees only generated records and noisy votes on them. It is a discriminant of the same form as the
teachers', and the mean m of the real records is its unknown. If each teacher has n / k records, the
share of teachers that vote for x is about

$$ \\Phi\\Bigl( z_0(x) + \\langle m - g,\\; \\phi(x) - g \\rangle \\big/ \\sigma(x) \\Bigr), $$

where z_0(x) describes the votes of teachers that see no difference, and sigma(x) the spread between
teachers. Both follow from generated records alone. The student estimates m by probit ridge
regression over all labels so far: labels for an earlier generator g stay useful, because g is
known. Each pair of columns has its own ridge, set by empirical Bayes. With few labels or much noise
the student therefore stays where it began, at independent columns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr, ndtri

from quintain.data.arrays import Floats, Ints, Singles
from quintain.sanitizers.synthetic.pategan.view import View
from quintain.sanitizers.synthetic.pgm import nearest_counts

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
        seen = view.centred(queries)
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
