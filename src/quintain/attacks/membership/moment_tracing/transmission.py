"""Transmission: how much of a deviation of the private data reaches the release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.attacks.membership.moment_tracing.statistics import Statistics
from quintain.data import Table
from quintain.data.arrays import Floats

_CLASSES = 6
"""Into how many classes the statistics of a kind are cut, from rare to common."""
_SMALL = 10
"""A class has about this many statistics or more."""
_PRIOR = 10.0
"""How many shadow runs the mean of a class counts for."""


@dataclass(frozen=True, slots=True, eq=False)
class Transmission:
    """A released deviation is ``offset`` + ``gain`` times the private one + noise.

    All of them are in standard errors of a sample.
    """

    offset: Floats
    gain: Floats
    variance: Floats

    @classmethod
    def learn(cls, statistics: Statistics, private: Floats, released: Floats) -> Transmission:
        """Learn from shadow runs: one row of deviations for each run.

        Few runs cannot tell much about one statistic. So gain and variance are pulled towards the
        mean over statistics of the same kind that are about equally common.
        """
        runs, offset = len(private), released.mean(axis=0)
        x, y = private - private.mean(axis=0), released - offset
        alike = _classes(statistics)
        inner, outer = (x * y).sum(axis=0), (x**2).sum(axis=0)
        usual = _mean(alike, inner) / np.maximum(_mean(alike, outer), 1e-9)
        gain = np.clip((inner + _PRIOR * usual) / (outer + _PRIOR), 0.0, 1.2)
        rest = ((y - gain * x) ** 2).sum(axis=0)
        freedom = max(runs - 2, 1)
        variance = (rest + _PRIOR * _mean(alike, rest) / freedom) / (freedom + _PRIOR)
        # The offset is a mean over few runs, too.
        return cls(offset, gain, variance * (1 + 1 / runs))

    def scores(
        self, statistics: Statistics, release: Table, records: Table, *, ridge: float
    ) -> Floats:
        """Score records by the best linear test of membership, given what a release shows."""
        covariance = statistics.correlation * np.outer(self.gain, self.gain)
        covariance[np.diag_indices_from(covariance)] += self.variance + ridge
        explained = np.linalg.solve(covariance, statistics.deviation(release) - self.offset)
        return statistics.scores(records, self.gain * explained)


def _classes(statistics: Statistics) -> npt.NDArray[np.int64]:
    """Number the classes of statistics: of one kind, and about equally common."""
    out, number = np.zeros(len(statistics.mean), np.int64), 0
    kinds = statistics.variables.kinds
    for kind in np.unique(kinds):
        places = np.flatnonzero(kinds == kind)
        order = places[np.argsort(statistics.spread[places], kind="stable")]
        for part in np.array_split(order, min(_CLASSES, max(1, len(places) // _SMALL))):
            out[part], number = number, number + 1
    return out


def _mean(alike: npt.NDArray[np.int64], values: Floats) -> Floats:
    """Give each statistic the mean over its class."""
    return np.asarray((np.bincount(alike, values) / np.bincount(alike))[alike])
