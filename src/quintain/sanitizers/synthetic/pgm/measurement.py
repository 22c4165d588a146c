"""Measurements: noisy counts of marginals, and what they say together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats
from quintain.sanitizers.synthetic.pgm.domain import Domain


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """Noisy counts of one marginal.

    Parameters
    ----------
    columns : the columns counted.
    counts : the noisy counts, one axis a column.
    variance : the variance of the noise: one number, or one for each count.
    """

    columns: tuple[str, ...]
    counts: Floats
    variance: Floats

    @classmethod
    def of(
        cls, columns: Iterable[str], counts: npt.ArrayLike, variance: npt.ArrayLike
    ) -> Measurement:
        """A measurement from plain numbers."""
        held = np.asarray(counts, np.float64)
        spread = np.broadcast_to(np.asarray(variance, np.float64), held.shape)
        if not (np.isfinite(spread).all() and (spread > 0).all()):
            raise ValueError("the variance of a measurement is a positive number")
        if not np.isfinite(held).all():
            raise ValueError("the counts of a measurement are numbers")
        return cls(tuple(columns), held, spread)

    def in_order(self, columns: tuple[str, ...]) -> Measurement:
        """The same with the axes in another order."""
        axes = [self.columns.index(name) for name in columns]
        turned = (np.transpose(held, axes) for held in (self.counts, self.variance))
        return Measurement(columns, *turned)


def fuse(measurements: Sequence[Measurement], domain: Domain) -> list[Measurement]:
    """One measurement for each set of columns: means weighted by precision.

    For a loss of squares this loses nothing. Axes come in the order of the domain.
    """
    found: dict[tuple[str, ...], Measurement] = {}
    for given in measurements:
        if given.counts.shape != domain.shape(given.columns):
            raise ValueError(
                f"counts of {', '.join(given.columns)} have the shape {given.counts.shape}, the "
                f"domain says {domain.shape(given.columns)}"
            )
        columns = domain.sort(given.columns)
        new, old = given.in_order(columns), found.get(columns)
        if old is not None:
            variance = 1 / (1 / old.variance + 1 / new.variance)
            counts = variance * (old.counts / old.variance + new.counts / new.variance)
            new = Measurement(columns, counts, variance)
        found[columns] = new
    return list(found.values())


def estimate_total(measurements: Iterable[Measurement]) -> float:
    """How many records there are, from the sums of all measurements; at least one."""
    pairs = [(float(m.counts.sum()), float(m.variance.sum())) for m in measurements]
    if not pairs:
        raise ValueError("nothing was measured, so the number of records is unknown")
    precision = sum(1 / variance for _, variance in pairs)
    return max(1.0, sum(total / variance for total, variance in pairs) / precision)


def nearest_counts(counts: Floats, variance: Floats, total: float) -> Floats:
    """Non-negative counts with this total, as near to noisy ones as the noise allows.

    $$ min sum_i (x_i - counts_i)^2 / (2 variance_i), x >= 0, sum x = total $$

    The answer is max(0, counts - nu variance) for one nu, found by sorting where cells reach zero.

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
