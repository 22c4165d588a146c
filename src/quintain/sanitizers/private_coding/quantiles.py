r"""Quantiles: bins that hold about equally many records, measured with differential privacy.

The range of a column is cut into equal cells, and the records of each cell are counted with noise.
A cell with more records than a bin should have is cut again, for a few rounds. A record is in at
most one cell per round, so each round is a histogram that one record changes by one count. With r
rounds and noise of scale r / epsilon, all rounds together are epsilon-private under adding or
removing a record. Which cells are cut again follows from noisy counts alone. The edges of the bins
also follow from the noisy counts, which costs no more privacy.

A tiny cell that has more records than a bin should have becomes a bin of its own. So a value that
many people share, such as an income of zero, is not mixed with others.

References
----------
Hay, Rastogi, Miklau and Suciu (2010), Boosting the accuracy of differentially private histograms
through consistency. Zhang, Xiao and Xie (2016), PrivTree: a differentially private algorithm for
hierarchical decompositions.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from quintain.data.arrays import Array, Floats, Ints
from quintain.data.coding import Bins, Grid
from quintain.data.schema import Column
from quintain.noise import Noise

ROUNDS = 3
"""The most rounds of counting."""

PIECES = 64
"""Into how many cells a range is cut in each round."""

DOUBT = 2.0
"""A count below this many scales of the noise is taken for noise."""

TICKS = 1 << 40
"""A continuous range is cut at multiples of its length over this number."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """A part of the range, from ``first`` to before ``end``, and how many records it may have."""

    first: int
    end: int
    mass: float

    @property
    def width(self) -> int:
        return self.end - self.first


def quantile_bins(
    column: Column, contents: Array, count: int, *, epsilon: float, noise: Noise
) -> Bins:
    """Give a column about ``count`` bins with about equally many records; epsilon-private.

    Where the noise hides the distribution, the bins have equal widths.

    >>> column = Column(name="pay", kind="real", low=0, high=1000)
    >>> pay = np.random.default_rng(0).exponential(20, 5000).clip(0, 1000)
    >>> bins = quantile_bins(column, pay, 4, epsilon=1.0, noise=Noise.for_test(0))
    >>> bins.starts.round(1).tolist()
    [0.0, 5.7, 14.0, 29.1, 1000.0]
    """
    grid = Grid(column)
    places, total = _places(grid, contents)
    cells = _count(places, total, count, epsilon, noise)
    starts = np.array(_cut(cells, total, count), np.int64)
    if not grid.continuous:
        return Bins(column, starts)
    low, high = grid.bounds
    return Bins(column, np.append(low + starts[:-1] / TICKS * (high - low), high))


def _places(grid: Grid, contents: Array) -> tuple[Ints, int]:
    """Give the places of all values that are not missing, from 0, and how many places there are."""
    positions = grid.positions(contents[~grid.missing(contents)])
    if not grid.continuous:
        return positions, grid.count
    low, high = grid.bounds
    share = (positions - low) / max(high - low, np.finfo(float).tiny)
    return np.minimum((share * TICKS).astype(np.int64), TICKS - 1), TICKS


def _count(places: Ints, total: int, bins: int, epsilon: float, noise: Noise) -> list[_Cell]:
    """Count the cells with noise, round by round; nothing else reads private data."""
    rounds = next((r for r in range(1, ROUNDS) if PIECES**r >= total), ROUNDS)
    scale = rounds / epsilon
    cells, heavy = [_Cell(0, total, np.inf)], [0]
    for _ in range(rounds):
        pieces = [_pieces(cells[at]) for at in heavy]
        noisy = _noisy_counts(places, [piece for one in pieces for piece in one], scale, noise)
        for at, one in zip(heavy[::-1], pieces[::-1], strict=True):
            counts, noisy = noisy[-len(one) :], noisy[: -len(one)]
            cells[at : at + 1] = _weighed(one, counts, cells[at].mass, DOUBT * scale)
        enough = max(sum(cell.mass for cell in cells) / bins, 2 * DOUBT * scale)
        heavy = [at for at, cell in enumerate(cells) if cell.mass > enough and cell.width > 1]
        if not heavy:
            break
    return cells


def _pieces(cell: _Cell, most: int = PIECES) -> list[_Cell]:
    """Cut a cell into equal cells, without counts."""
    parts = min(most, cell.width)
    starts = [cell.first - (-k * cell.width // parts) for k in range(parts + 1)]
    return [_Cell(a, b, 0.0) for a, b in pairwise(starts)]


def _noisy_counts(places: Ints, cells: list[_Cell], scale: float, noise: Noise) -> Floats:
    """Count the records in disjoint cells, in order, with discrete Laplace noise."""
    first = np.array([cell.first for cell in cells])
    end = np.array([cell.end for cell in cells])
    at = np.searchsorted(first, places, side="right") - 1
    inside = (at >= 0) & (places < end[at])
    counts = np.bincount(at[inside], minlength=len(cells))
    return (counts + noise.laplace(scale, len(cells))).astype(np.float64)


def _weighed(cells: list[_Cell], counts: Floats, mass: float, doubt: float) -> list[_Cell]:
    """Give the cells their counts; what is below the doubt shares the rest by width.

    The first cell of all has an infinite mass: then the counts decide on the total.
    """
    total = max(0.0, float(counts.sum())) if np.isinf(mass) else mass
    sure = counts > doubt
    widths = np.array([cell.width for cell in cells], np.float64)
    masses = np.where(sure, counts, 0.0)
    rest = max(0.0, total - float(masses.sum()))
    if not sure.all():
        masses[~sure] = rest * widths[~sure] / widths[~sure].sum()
    masses *= total / max(float(masses.sum()), 1e-300)
    return [_Cell(c.first, c.end, float(m)) for c, m in zip(cells, masses, strict=True)]


def _cut(cells: list[_Cell], total: int, bins: int) -> list[int]:
    """Give the places where bins begin, and the end of the last bin."""
    level = sum(cell.mass for cell in cells) / bins
    if level <= 0:
        return [*(cell.first for cell in _pieces(_Cell(0, total, 0.0), bins)), total]
    tiny = max(1, total // PIECES**2)
    others: list[_Cell] = []
    starts, left = {0, total}, bins
    for cell in cells:
        if cell.mass >= level and cell.width <= tiny:
            starts |= {cell.first, cell.end}
            left -= 1
        else:
            others.append(cell)
    left = max(1, left)
    level = sum(cell.mass for cell in others) / left
    passed = 0.0
    for cell in others:
        if cell.mass <= 0:
            continue
        for k in range(int(passed // level) + 1, min(left, int((passed + cell.mass) // level) + 1)):
            starts.add(cell.first + round((k * level - passed) / cell.mass * cell.width))
        passed += cell.mass
    return sorted(starts)
