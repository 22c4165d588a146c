"""Levels: the values of a column after the rare ones were merged into one.

A value whose noisy count does not stand out from the noise would add mostly noise to the tables.
Such values share one level, and are separated again only when records are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats, Ints
from quintain.sanitizers.synthetic.pgm.measurement import Measurement, nearest_counts
from quintain.sanitizers.synthetic.pgm.rounding import draw_given


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The values of a column that have their own level, and the rare ones that share the last.

    >>> levels = Levels.of(np.array([90.0, 2.0, 50.0, 4.0]), least=10.0)
    >>> levels.count, levels.merge(np.array([0, 1, 2, 3])).tolist(), levels.shares.tolist()
    (3, [0, 2, 1, 2], [2.0, 4.0])

    Parameters
    ----------
    kept : the values with their own level, in order.
    rare : the values that share a level.
    shares : the relative frequencies of the rare values, up to a factor.
    """

    kept: Ints
    rare: Ints
    shares: Floats

    @classmethod
    def of(cls, counts: npt.NDArray[np.float64], least: float) -> Levels:
        """Choose levels from noisy counts: values with counts below ``least`` are rare."""
        rare = np.flatnonzero(counts < least)
        if len(rare) < 2:
            return cls(np.arange(len(counts)), np.arange(0), np.zeros(0))
        total = max(1.0, float(counts[rare].sum()))
        shares = nearest_counts(counts[rare], np.ones(len(rare)), total)
        return cls(np.flatnonzero(counts >= least), rare, shares)

    @property
    def count(self) -> int:
        """Count the levels, with the shared one if there is one."""
        return len(self.kept) + (len(self.rare) > 0)

    def merge(self, codes: npt.NDArray[np.integer]) -> Ints:
        """Turn values into levels."""
        level = np.full(len(self.kept) + len(self.rare), len(self.kept), np.int64)
        level[self.kept] = np.arange(len(self.kept))
        return np.asarray(level[codes])

    def merge_counts(self, name: str, counts: Floats, variance: float) -> Measurement:
        """Turn noisy counts of values into those of levels; variances of merged values add up."""
        level = self.merge(np.arange(len(counts)))
        merged = np.bincount(level, counts, self.count)
        return Measurement.of((name,), merged, variance * np.bincount(level))

    def expand(self, levels: Ints, rng: np.random.Generator) -> Ints:
        """Turn levels into values; rare values are drawn by their shares."""
        if not len(self.rare):
            return levels
        shared = np.flatnonzero(levels == len(self.kept))
        out = np.append(self.kept, -1)[levels]
        drawn = draw_given(np.zeros(len(shared), np.int64), self.shares[None], rng)
        out[shared] = self.rare[drawn]
        return out
