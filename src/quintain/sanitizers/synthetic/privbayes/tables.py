"""Count the tables of a Bayesian network with noise, and derive conditional distributions.

Only :func:`measure` reads private data; the rest is post-processing of what it returns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Ints
from quintain.noise import Noise
from quintain.sanitizers.synthetic.pgm import Domain, Measurement, nearest_counts
from quintain.sanitizers.synthetic.pgm.measurement import fuse
from quintain.sanitizers.synthetic.privbayes.network import Network, combined

SWEEPS = 2
"""How often a table is fitted to the margins; more sweeps change nothing measurable."""

BACKING = 0.03
"""The weight of the estimate with one parent fewer, in units of the noise in a row of counts. On
the SNAKE data all values from 0.01 to 0.1 are equally good; 0 and 1 are worse."""


@dataclass(frozen=True, slots=True, eq=False)
class Conditional:
    """The distribution of one column, given the values of its parents.

    Parameters
    ----------
    parents : the parents; the last varies fastest in the rows of ``shares``.
    shares : one row per combination of the parents' values, one number per value of the column.
    """

    parents: tuple[str, ...]
    shares: Floats


def measure(
    columns: Mapping[str, Ints],
    domain: Domain,
    network: Network,
    *,
    epsilon: float,
    noise: Noise,
) -> list[Measurement]:
    """Count every column with its parents, with discrete Laplace noise; epsilon-private.

    A record is in one cell of each table, so a table with noise of scale b costs 1 / b under
    adding or removing a record, and the costs add up. The expected error of a table is b times
    its number of cells. The sum of the errors is smallest if each table gets epsilon in proportion
    to the root of its cells. Columns with a single value are not counted.
    """
    families = [network.family(child) for child in network.order if domain.size(child) > 1]
    cells = [domain.cells(family) for family in families]
    sizes = dict(zip(domain.names, domain.sizes, strict=True))
    roots = np.sqrt(cells)
    out = []
    for family, count, root in zip(families, cells, roots, strict=True):
        scale = float(roots.sum() / (root * epsilon))
        counts = np.bincount(combined(columns, sizes, family), minlength=count)
        noisy = counts + noise.laplace(scale, count)
        out.append(Measurement.of(family, noisy.reshape(domain.shape(family)), 2 * scale**2))
    return out


def conditionals(
    measured: Sequence[Measurement], domain: Domain, total: float
) -> dict[str, Conditional]:
    """Give the distribution of every measured column, given its parents.

    Every column is in several tables. First their estimates of its one-way counts are averaged,
    weighted by precision. Then every table is made to agree with them: it is replaced by the
    nearest non-negative counts, and scaled to the margins by iterative proportional fitting.
    """
    margins = {
        m.columns[0]: nearest_counts(m.counts, m.variance, total)
        for m in fuse([margin for m in measured for margin in _margins(m)], domain)
    }
    out = {}
    for table in measured:
        flat = nearest_counts(table.counts.ravel(), table.variance.ravel(), total)
        counts = _fitted(flat.reshape(table.counts.shape), table.columns, margins)
        scale = float(np.sqrt(table.variance.flat[0] / 2))
        child = table.columns[-1]
        out[child] = _backed(counts, table.columns[:-1], margins[child], scale)
    return out


def _margins(table: Measurement) -> list[Measurement]:
    """Estimate the one-way counts of each column of a table."""
    out = []
    for axis, name in enumerate(table.columns):
        counts = _margin(table.counts, axis)
        variance = table.variance.flat[0] * (table.counts.size // len(counts))
        out.append(Measurement.of((name,), counts, variance))
    return out


def _margin(counts: Floats, *axes: int) -> Floats:
    """Sum over all axes except the given ones."""
    summed: Floats = counts.sum(axis=tuple(a for a in range(counts.ndim) if a not in axes))
    return summed


def _fitted(counts: Floats, columns: Sequence[str], margins: Mapping[str, Floats]) -> Floats:
    for _ in range(SWEEPS if len(columns) > 1 else 1):
        for axis, name in enumerate(columns):
            margin = _margin(counts, axis)
            factor = np.divide(margins[name], margin, out=np.zeros_like(margin), where=margin > 0)
            counts = counts * factor.reshape([-1 if a == axis else 1 for a in range(counts.ndim)])
    return counts


def _backed(counts: Floats, parents: Sequence[str], margin: Floats, scale: float) -> Conditional:
    """Turn counts into shares, each combination of parents supported by an estimate with fewer.

    Rare combinations of parents have few counts or none. They are mixed with the same table with
    one parent summed out, this one with the table with two summed out, and so on, down to the
    column alone. The parents that the column depends on least are summed out first. The weight of
    the support is proportional to the noise, so with little noise it only moves empty combinations.
    """
    size = len(margin)
    strength = [
        _distance_from_independence(_margin(counts, axis, counts.ndim - 1))
        for axis in range(len(parents))
    ]
    order = sorted(range(len(parents)), key=lambda axis: -strength[axis])
    counts = np.transpose(counts, [*order, len(parents)])
    shares = margin / margin.sum()
    weight = BACKING * scale * size
    for known in range(1, len(order) + 1):
        summed = counts.sum(axis=tuple(range(known, len(order))))
        backed = summed + weight * shares[..., None, :]
        shares = backed / backed.sum(axis=-1, keepdims=True)
    return Conditional(tuple(parents[axis] for axis in order), shares.reshape(-1, size))


def _distance_from_independence(pair: Floats) -> float:
    """Sum the differences between a two-way table and the one of independent columns."""
    # Under heavy noise a table and the margins may have no cell in common, and the sum is zero.
    total = pair.sum() or 1.0
    expected = np.outer(pair.sum(axis=1), pair.sum(axis=0)) / total
    return float(np.abs(pair - expected).sum())
