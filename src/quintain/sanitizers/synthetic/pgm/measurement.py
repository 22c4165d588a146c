"""Measurements: noisy counts of marginals, and the combined estimates they give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats
from quintain.sanitizers.synthetic.pgm.domain import Domain


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """The noisy counts of one marginal, with the variance of their noise.

    Parameters
    ----------
    columns : the columns that were counted together.
    counts : the noisy counts, one axis per column.
    variance : the variance of the noise in each count.
    """

    columns: tuple[str, ...]
    counts: Floats
    variance: Floats

    @classmethod
    def of(
        cls, columns: Iterable[str], counts: npt.ArrayLike, variance: npt.ArrayLike
    ) -> Measurement:
        """Make a measurement from plain numbers; one variance may stand for all counts."""
        values = np.asarray(counts, np.float64)
        spread = np.broadcast_to(np.asarray(variance, np.float64), values.shape)
        if not (np.isfinite(spread).all() and (spread > 0).all()):
            raise ValueError("the variance of a measurement must be a positive number")
        if not np.isfinite(values).all():
            raise ValueError("the counts of a measurement must be finite numbers")
        return cls(tuple(columns), values, spread)

    def in_order(self, columns: tuple[str, ...]) -> Measurement:
        """Give the same measurement with its axes in another order."""
        axes = [self.columns.index(name) for name in columns]
        turned = (np.transpose(array, axes) for array in (self.counts, self.variance))
        return Measurement(columns, *turned)


def fuse(measurements: Sequence[Measurement], domain: Domain) -> list[Measurement]:
    """Combine measurements of the same columns by means weighted by precision.

    For a squared loss no information is lost. Axes have the order of the domain.
    """
    fused: dict[tuple[str, ...], Measurement] = {}
    for given in measurements:
        if given.counts.shape != domain.shape(given.columns):
            raise ValueError(
                f"counts of {', '.join(given.columns)} have the shape {given.counts.shape}; the "
                f"domain expects {domain.shape(given.columns)}"
            )
        columns = domain.sort(given.columns)
        new, old = given.in_order(columns), fused.get(columns)
        if old is not None:
            variance = 1 / (1 / old.variance + 1 / new.variance)
            counts = variance * (old.counts / old.variance + new.counts / new.variance)
            new = Measurement(columns, counts, variance)
        fused[columns] = new
    return list(fused.values())


def estimate_total(measurements: Iterable[Measurement]) -> float:
    """Estimate the number of records from the sums of all measurements; at least one."""
    pairs = [(float(m.counts.sum()), float(m.variance.sum())) for m in measurements]
    if not pairs:
        raise ValueError("no marginal was measured, so the number of records is unknown")
    precision = sum(1 / variance for _, variance in pairs)
    return max(1.0, sum(total / variance for total, variance in pairs) / precision)


def nearest_counts(counts: Floats, variance: Floats, total: float) -> Floats:
    """Find the non-negative counts with this total that are nearest to noisy counts.

    $$ min sum_i (x_i - counts_i)^2 / (2 variance_i), x >= 0, sum x = total $$

    The solution is max(0, counts - nu variance) for one number nu. Sorting the points where cells
    reach zero finds it.

    >>> nearest_counts(np.array([6.0, 3.0, -5.0]), np.ones(3), 7.0).tolist()
    [5.0, 2.0, 0.0]
    """
    order = np.argsort(-(counts / variance))
    sums, spreads = np.cumsum(counts[order]), np.cumsum(variance[order])
    shifts = (sums - total) / spreads
    # The cells above zero are the longest prefix whose last one stays above zero.
    kept = np.flatnonzero((counts / variance)[order] > shifts)
    shift = shifts[kept[-1]] if len(kept) else shifts[-1]
    return np.asarray(np.maximum(0.0, counts - shift * variance))
