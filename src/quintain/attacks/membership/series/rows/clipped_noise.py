"""Clipped noise: how likely a target's row became a released row by Gaussian noise and clipping.

The logarithm of that likelihood is, for each released row, a quadratic function of the target's
row, so all pairs of rows cost one matrix product. A released value at the bound of its column may
have been clipped: its likelihood is that of the tail beyond the bound, whose logarithm is nearly
quadratic as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Ints, Singles

_RELEASED = 128
"""Released rows per block."""

_LEAST = -80.0
"""Logarithms below this are this: the exponential of a single-precision number still exists."""

_STRENGTHS = (0.003, 0.01, 0.03, 0.06, 0.12, 0.25, 0.5, 1.0)
"""The standard deviations that the search begins with."""

_LEAST_SPREAD = 1e-3
_PROBES = 128
_ROUNDS = 6


@dataclass(frozen=True, slots=True, eq=False)
class ClippedNoise:
    """A released row is a row of a person, plus noise, clipped to bounds.

    Parameters
    ----------
    rows : of the targets, rows x columns, on one scale with the released rows.
    spread : the standard deviation of the noise in each column.
    low, high : the bounds of each column; infinite if it is not clipped.
    """

    rows: Floats
    spread: Floats
    low: Floats
    high: Floats

    def factors(self, released: Floats) -> Singles:
        """For each released row the weights of the squares, of the values and of 1."""
        precision = 1 / self.spread**2
        square = np.tile(-precision / 2, (len(released), 1))
        linear = released * precision
        constant = -released * linear / 2 - np.log(self.spread)
        for j in range(released.shape[1]):
            for bound, side in ((self.low[j], 1.0), (self.high[j], -1.0)):
                at_bound = released[:, j] == bound
                if at_bound.any():
                    tail = self._tail(j, bound, side)
                    square[at_bound, j], linear[at_bound, j], constant[at_bound, j] = tail
        return np.hstack([square, linear, constant.sum(axis=1, keepdims=True)]).astype(np.float32)

    def _tail(self, column: int, bound: float, side: float) -> Floats:
        """The quadratic nearest to the logarithm of the tail, over the range of the targets."""
        from scipy.special import log_ndtr  # slow to import

        ends = np.quantile(self.rows[:, column], [0.002, 0.998])
        grid = np.linspace(ends[0], max(ends[1], ends[0] + 1e-6), 40)
        away = (grid - grid.mean()) / np.ptp(grid)
        fit = np.polynomial.polynomial.polyfit(
            away, log_ndtr(side * (bound - grid) / self.spread[column]), 2
        )
        centre, width = grid.mean() / np.ptp(grid), np.ptp(grid)
        return np.array(
            [
                fit[2] / width**2,
                (fit[1] - 2 * fit[2] * centre) / width,
                fit[0] - fit[1] * centre + fit[2] * centre**2,
            ]
        )

    def blocks(self, released: Floats) -> Iterator[tuple[slice, Singles]]:
        """Log likelihoods, released rows x rows of the targets, block after block."""
        described = np.hstack([self.rows**2, self.rows, np.ones((len(self.rows), 1))])
        turned = np.ascontiguousarray(described.astype(np.float32).T)
        factors = self.factors(released)
        for start in range(0, len(released), _RELEASED):
            block = slice(start, min(start + _RELEASED, len(released)))
            yield block, factors[block] @ turned

    def likelihood(self, released: Floats) -> float:
        """The mean log likelihood of released rows if every target's row is as likely."""
        total = 0.0
        for _, logs in self.blocks(released):
            highest = logs.max(axis=1)
            logs -= highest[:, None]
            np.maximum(logs, _LEAST, out=logs)
            total += float((highest + np.log(np.exp(logs, out=logs).sum(axis=1))).sum())
        return total / max(1, len(released))

    def by_person(self, released: Floats, starts: Ints) -> Singles:
        """Likelihoods summed over the rows of each person: released rows x persons.

        Each released row has its own unit: its likeliest row of a target has likelihood 1.
        """
        out = np.empty((len(released), len(starts)), np.float32)
        for block, logs in self.blocks(released):
            logs -= logs.max(axis=1, keepdims=True)
            np.maximum(logs, _LEAST, out=logs)
            np.add.reduceat(np.exp(logs, out=logs), starts, axis=1, out=out[block])
        return out

    def refitted(self, released: Floats) -> ClippedNoise:
        """The noise that explains some released rows best, given which rows they may come from."""
        squares, beyond = np.zeros(released.shape[1]), self._beyond_bounds()
        for block, logs in self.blocks(released):
            logs -= logs.max(axis=1, keepdims=True)
            shares = np.exp(np.maximum(logs, _LEAST, out=logs), out=logs)
            shares /= shares.sum(axis=1, keepdims=True)
            mean, square = shares @ self.rows, shares @ self.rows**2
            away = released[block] ** 2 - 2 * released[block] * mean + square
            for (j, bound), noise in beyond.items():
                at_bound = released[block, j] == bound
                away[at_bound, j] = shares[at_bound] @ noise
            squares += away.sum(axis=0)
        spread = np.sqrt(np.maximum(squares, 0) / max(1, len(released)))
        return ClippedNoise(self.rows, np.maximum(spread, _LEAST_SPREAD), self.low, self.high)

    def _beyond_bounds(self) -> dict[tuple[int, float], Floats]:
        """By column and bound: the expected square of the noise that takes each row beyond it."""
        from scipy.special import log_ndtr

        out = {}
        for j, spread in enumerate(self.spread):
            for bound, side in ((self.low[j], 1.0), (self.high[j], -1.0)):
                if np.isfinite(bound):
                    away = side * (self.rows[:, j] - bound) / spread
                    hazard = np.exp(-(away**2) / 2 - log_ndtr(-away)) / np.sqrt(2 * np.pi)
                    out[j, float(bound)] = spread**2 * (1 + away * hazard)
        return out


def fit_noise(rows: Floats, released: Floats, low: Floats, high: Floats) -> ClippedNoise:
    """Find the noise that makes a release most likely: one strength, then column by column.

    All columns are on a scale of about 0 to 1. ``released`` are the rows of the release.
    """
    probes = released[:: max(1, len(released) // _PROBES)]
    columns = rows.shape[1]
    candidates = [ClippedNoise(rows, np.full(columns, s), low, high) for s in _STRENGTHS]
    best = max(candidates, key=lambda candidate: candidate.likelihood(probes))
    for _ in range(_ROUNDS):
        best = best.refitted(probes)
    return best
