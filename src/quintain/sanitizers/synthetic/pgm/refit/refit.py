"""Refit: estimate a model again and again, while measurements are added one by one.

Each estimate solves one smooth convex problem without constraints. Over distributions p of total n,

$$ min_p  sum_i (M_i p - y_i)^2 / (2 variance_i) + tau KL(p || uniform) $$

has the solution p ~ exp(sum_i theta_i), where theta minimises

$$ n log Z(theta) - theta y + tau / 2 sum_i variance_i theta_i^2 $$

The second term keeps the model as close to uniform as the measurements allow. It is weak. It gives
the problem a unique solution, and cells whose noisy counts are negative get finite potentials. A
new fit starts from the potentials of the last one, so it needs few steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quintain.data.arrays import Floats
from quintain.sanitizers.synthetic.pgm.domain import Domain
from quintain.sanitizers.synthetic.pgm.factor import Factor
from quintain.sanitizers.synthetic.pgm.junction_tree import JunctionTree
from quintain.sanitizers.synthetic.pgm.measurement import Measurement, estimate_total, fuse
from quintain.sanitizers.synthetic.pgm.minimise import minimise
from quintain.sanitizers.synthetic.pgm.model import GraphicalModel
from quintain.sanitizers.synthetic.pgm.refit.calibration import Calibration
from quintain.sanitizers.synthetic.pgm.refit.nest import Nest

_PULL = 0.3
"""The curvature that the pull towards uniform adds to a typical cell, in standard deviations."""


_NEWTON_STEPS = 20


class Refit:
    """The model of all measurements so far; ``add`` more, then ``fit`` again."""

    def __init__(self, domain: Domain, measured: Sequence[Measurement]) -> None:
        self.domain = domain
        self.measured = fuse(measured, domain)
        self._theta: dict[tuple[str, ...], Floats] = {}
        self._hang()

    def add(self, measurement: Measurement, expected: Floats) -> None:
        """Add one more measurement, and change its potential so that the model agrees with it.

        Parameters
        ----------
        measurement : the noisy counts.
        expected : the counts of the same columns in the model so far.
        """
        self.measured = fuse([*self.measured, measurement], self.domain)
        fused = next(m for m in self.measured if m.columns == measurement.columns)
        pull = _PULL * fused.variance / _middle(self.measured)
        known = self._theta.get(measurement.columns, np.zeros(expected.shape))
        self._theta[measurement.columns] = known + _matching(
            expected, fused.counts - pull * known, pull
        )
        if self.calibration.tree.home(measurement.columns) < 0:
            self._hang()

    def fit(self, *, tolerance: float, steps: int) -> None:
        """Estimate the model, starting from the last one.

        Parameters
        ----------
        tolerance : stop if the remaining slope is below this, in standard deviations per cell.
        steps : the most steps.
        """
        self.total = estimate_total(self.measured)
        problem = _Problem(self.calibration, self.measured, self.total)
        start = np.concatenate(
            [self._theta.get(m.columns, np.zeros(m.counts.shape)).ravel() for m in self.measured]
        )
        enough = tolerance**2 * len(start)
        theta = minimise(
            problem,
            start,
            scale=problem.curvature(start),
            done=lambda slope: float((slope**2 / problem.variance).sum()) <= enough,
            limit=steps,
        )
        parts = problem.split(theta)
        self._theta = {m.columns: part for m, part in zip(self.measured, parts, strict=True)}
        self.logs = problem.logs(theta)
        self.tables = [self.total * t for t in self.calibration.tables(self.logs)[0]]

    def counts(self, columns: Sequence[str]) -> Floats:
        """Give the expected counts of some columns of one clique."""
        spot = self.calibration.spot(columns)
        return np.asarray(self.tables[spot.home].sum(axis=spot.axes))

    def model(self) -> GraphicalModel:
        """Give the model of the last fit."""
        tree = self.calibration.tree
        pairs = zip(tree.cliques, self.logs, strict=True)
        potentials = tuple(Factor(clique, log) for clique, log in pairs)
        return GraphicalModel(self.domain, self.total, tree, potentials)

    def _hang(self) -> None:
        tree = JunctionTree.build(self.domain, [m.columns for m in self.measured])
        self.calibration = Calibration(self.domain, tree)


def _middle(measured: Sequence[Measurement]) -> float:
    """Give the standard deviation of a typical cell."""
    variances = np.concatenate([m.variance.ravel() for m in measured])
    return float(np.sqrt(np.median(variances)))


def _matching(expected: Floats, counts: Floats, pull: Floats) -> Floats:
    """Solve expected exp(x) + pull x = counts for x, cell by cell.

    The left side is convex and rising in x. From a start that is too large, Newton's steps come
    down to the solution without passing it.
    """
    least = np.maximum(expected, 1e-30)
    x = np.maximum(np.log(np.maximum(counts, pull) / least), 0.0)
    for _ in range(_NEWTON_STEPS):
        grown = least * np.exp(x)
        x = x - (grown + pull * x - counts) / (grown + pull)
    return np.asarray(x)


class _Problem:
    """The function that a fit minimises: value and gradient for all potentials as one vector."""

    def __init__(
        self, calibration: Calibration, measured: Sequence[Measurement], total: float
    ) -> None:
        self.calibration, self.total = calibration, total
        self.counts = np.concatenate([m.counts.ravel() for m in measured])
        self.variance = np.concatenate([m.variance.ravel() for m in measured])
        self.pull = _PULL * self.variance / _middle(measured)
        self.shapes = [m.counts.shape for m in measured]
        self.ends = np.cumsum([m.counts.size for m in measured])[:-1]
        homes = [calibration.spot(m.columns).home for m in measured]
        self.nests = [
            Nest.of(
                calibration.domain,
                clique,
                {n: m.columns for n, m in enumerate(measured) if homes[n] == number},
            )
            for number, clique in enumerate(calibration.tree.cliques)
        ]

    def split(self, theta: Floats) -> list[Floats]:
        """Give the potentials of each measurement, in its shape."""
        parts = np.split(theta, self.ends)
        return [part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def logs(self, theta: Floats) -> list[Floats]:
        """Add the potentials of all measurements up by clique."""
        parts = np.split(theta, self.ends)
        return [nest.total(parts) for nest in self.nests]

    def predict(self, theta: Floats) -> tuple[Floats, float]:
        """Compute the expected counts of every measurement, and the log normaliser."""
        tables, log_total = self.calibration.tables(self.logs(theta))
        parts: list[Floats] = [theta] * len(self.shapes)
        for nest, table in zip(self.nests, tables, strict=True):
            nest.sums(table, parts)
        return self.total * np.concatenate(parts), log_total

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        expected, log_total = self.predict(theta)
        pull = self.pull * theta
        value = self.total * log_total + float(theta @ (pull / 2 - self.counts))
        return value, expected - self.counts + pull

    def curvature(self, theta: Floats) -> Floats:
        """Estimate the curvature along each potential: its expected count, plus the pull."""
        return np.asarray(self.predict(theta)[0] + self.pull)
