"""Channel: what a sanitizer makes of a count, learned from shadow runs.

Sparse cells need care: a count of zero or one is no Gaussian number, and many sanitizers cut
negative noisy counts off. So for cells with few expected records the channel has the probability
of each released count given each private count. For other cells it has a gain and a variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, ndtr

from quintain.attacks.membership.joint.cells import Cells
from quintain.data.arrays import Floats, Rows

EDGES = 2.0 ** np.arange(-5, 11)
"""Cells with expected counts between two of these share a gain and a variance."""

SPARSE = 16.0
"""Below this expected count, the channel has the probability of every count."""

MOST = 48
"""A larger count in a sparse cell is as this one."""

_PRIOR = 8.0  # how many observations the Gaussian shape is worth in a sparse cell
_TAIL = 0.03  # the probability that a count is far from the Gaussian shape
_LEAST = 0.02  # the smallest variance, since released counts are whole numbers
_TINY = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """What reaches the release of a deviation in the private data, by expected count.

    Parameters
    ----------
    gain : the share of a deviation in the private data that is in the release, per class.
    variance : what the sanitizer adds, per class.
    chances : for each class and private count, the probability of each released count.
    """

    gain: Floats
    variance: Floats
    chances: Floats

    @classmethod
    def learn(cls, observed: Sequence[Cells]) -> Channel:
        """Learn from cells with known private counts.

        A regression through the origin explains the deviation of a release by the deviation of
        its private data. Neighbouring classes share half of their observations.
        """
        expected, private, shown = (
            np.concatenate([getattr(cells, name) for cells in observed])
            for name in ("expected", "private", "shown")
        )
        place = _class_of(expected)
        inside, outside = private - expected, shown - expected
        product, square = _smooth(place, inside * outside), _smooth(place, inside**2)
        gain = np.clip(product / np.maximum(square, _TINY), 0.0, 1.0)
        rest = _smooth(place, (outside - gain[place] * inside) ** 2)
        variance = (rest + 0.1) / (_smooth(place, np.ones(len(place))) + 1)
        variance = np.maximum(variance, _LEAST)
        counts = np.zeros((len(gain), MOST + 1, MOST + 1))
        few = (expected < SPARSE) & (private <= MOST)
        np.add.at(counts, (place[few], _whole(private[few]), _whole(shown[few])), 1.0)
        counts += _PRIOR * _gaussian(gain, variance)
        return cls(gain, variance, counts / counts.sum(axis=-1, keepdims=True))

    def log_ratio(self, cells: Cells) -> Floats:
        """The log likelihood ratio of membership from each cell alone."""
        place = _class_of(cells.expected)
        gain, shift = self.gain[place], self.gain[place] * cells.added
        spread = gain**2 * cells.expected + self.variance[place]
        ratio = shift * (cells.shown - cells.expected - shift / 2) / spread
        few = np.flatnonzero(cells.expected < SPARSE)
        likely = self.chances[place[few], :, _whole(cells.shown[few])]
        others = _poisson(cells.expected[few])
        absent = (others * likely).sum(axis=1)
        added = cells.added[few].astype(np.int64)
        present = np.empty(len(few))
        for count in np.unique(added):
            which = added == count
            reach = max(0, MOST + 1 - count)
            moved = likely[which][:, MOST + 1 - reach :]
            present[which] = (others[which][:, :reach] * moved).sum(axis=1)
        ratio[few] = np.log((present + _TINY) / (absent + _TINY))
        return np.asarray(ratio)


def _class_of(expected: Floats) -> Rows:
    return np.searchsorted(EDGES, expected)


def _whole(counts: Floats) -> Rows:
    return np.minimum(np.round(counts), MOST).astype(np.int64)


def _smooth(place: Rows, values: Floats) -> Floats:
    """Sum per class, with half of the sums of the two classes beside it."""
    sums = np.bincount(place, values, len(EDGES) + 1)
    return np.convolve(np.pad(sums, 1), [0.5, 1.0, 0.5], "valid")


def _poisson(expected: Floats) -> Floats:
    """The probability of each count up to the largest, one row per expected count."""
    mean = np.maximum(expected, 1e-3)[:, None]
    counts = np.arange(MOST + 1)
    return np.asarray(np.exp(counts * np.log(mean) - mean - gammaln(counts + 1)))


def _gaussian(gain: Floats, variance: Floats) -> Floats:
    """The probability of each count if noise were Gaussian and negative counts cut off."""
    middle = np.sqrt(np.append(EDGES[0] / 2, EDGES) * np.append(EDGES, EDGES[-1] * 2))
    counts = np.arange(MOST + 1)
    mean = middle[:, None] + gain[:, None] * (counts - middle[:, None])
    borders = (counts[:-1] + 0.5 - mean[:, :, None]) / np.sqrt(variance)[:, None, None]
    shares = np.diff(ndtr(borders), axis=-1, prepend=0.0, append=1.0)
    return np.asarray((1 - _TAIL) * shares + _TAIL / (MOST + 1))
