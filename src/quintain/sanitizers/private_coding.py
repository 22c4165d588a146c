"""Private coding: edges of bins and groups of categories, measured with differential privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Array, Floats, Ints
from quintain.data.coding import (
    DEFAULT_BINS,
    Bins,
    Coding,
    ColumnCoding,
    Edges,
    Grid,
    Groups,
    needs_edges,
)
from quintain.randomness.noise import Noise

__all__ = ["MeasuredCoding", "frequent_values", "measured_bins"]


# Edges: where bins begin, measured with differential privacy.
#
# *Counting.* The range of a column is cut into equal cells, and the records of each cell are
# counted with noise. A cell with more records than a bin should have is cut again. A record is in
# at most one cell per round, so each round is a histogram that one record changes by one count.
# With r rounds and noise of scale r / epsilon, all rounds together are epsilon-private under adding
# or removing a record. Which cells are cut again follows from noisy counts alone, and so does
# everything below, which costs no more privacy.
#
# *Jumps.* Values are drawn uniformly within their bin, so a bin should not contain a jump of the
# density. Neighbouring cells are merged as long as their densities do not differ by more than the
# noise explains. What is left are stretches of about constant density. A value that many people
# share, such as a week of 40 hours, is a stretch of its own. At most half of the bins are
# stretches.
#
# *Cuts.* The other edges divide the records into equal parts. Finally, edges move to round numbers
# nearby.
#
# References ---------- Hay, Rastogi, Miklau and Suciu (2010), Boosting the accuracy of
# differentially private histograms through consistency. Zhang, Xiao and Xie (2016), PrivTree: a
# differentially private algorithm for hierarchical decompositions. Xu, Zhang, Xiao, Yang, Yu and
# Winslett (2013), Differentially private histogram publication.


ROUNDS = 2
"""The most rounds of counting."""

PIECES = 64
"""Into how many cells a range is cut in each round."""

FAINT = 2.0
"""A count below this many scales of the noise is taken for noise."""

FEWEST = 4 * math.sqrt(2 * PIECES)
"""A number of records below this many scales of the noise is taken for noise."""

TICKS = 1 << 40
"""A continuous range is cut at multiples of its length over this number."""


class _Cells(NamedTuple):
    """Cells of a range: where they begin and the last one ends, noisy counts, estimated records."""

    starts: list[int]
    counts: Floats
    masses: Floats


def measured_bins(
    column: Column, contents: Array, count: int, *, epsilon: float, noise: Noise
) -> Bins:
    """Give a column at most ``count`` bins, narrow where records are dense; epsilon-private.

    Where the noise hides the distribution, the bins have equal widths.

    >>> column = Column(name="pay", kind="real", low=0, high=1000)
    >>> pay = np.random.default_rng(0).exponential(20, 5000).clip(0, 1000)
    >>> bins = measured_bins(column, pay, 8, epsilon=1.0, noise=Noise.for_test(0))
    >>> bins.starts.round(1).tolist()
    [0.0, 0.0, 4.5, 7.3, 10.2, 18.7, 26.0, 30.0, 80.0, 1000.0]
    """
    grid = Grid(column)
    places, total = _places(grid, contents)
    rounds = next((r for r in range(1, ROUNDS) if PIECES**r >= total), ROUNDS)
    scale = rounds / epsilon
    cells = _count(places, total, count, rounds, scale, noise)
    if cells.masses.sum() < FEWEST * scale:
        return Bins.equal(column, count)
    jumps = _jumps(cells, np.sqrt(2) * scale, max(2, count // 2))
    edges = _cut(cells, jumps, count)
    if column.temporal:
        return Bins(column, np.array(edges, np.int64))
    low, high = grid.bounds
    unit = (high - low) / TICKS if grid.continuous else float(column.step or 1)
    values = _round(edges, cells.starts, low, unit)
    if grid.continuous:
        return Bins.at(column, np.unique(np.clip([low, *values, high], low, high)))
    inner = np.clip([round((value - low) / unit) for value in values], 0, total)
    return Bins.at(column, np.unique(np.array([0, *inner, total], np.int64)))


def _places(grid: Grid, contents: Array) -> tuple[Ints, int]:
    """Give the places of values from 0, and how many places there are.

    Missing values have no place. Zeros have a bin of their own in any case.
    """
    positions = grid.positions(contents[~grid.missing(contents)])
    positions = positions if grid.zero is None else positions[positions != grid.zero]
    if not grid.continuous:
        return positions, grid.count
    low, high = grid.bounds
    share = (positions - low) / max(high - low, np.finfo(float).tiny)
    return np.minimum((share * TICKS).astype(np.int64), TICKS - 1), TICKS


def _count(places: Ints, total: int, bins: int, rounds: int, scale: float, noise: Noise) -> _Cells:
    """Count the cells with noise, round by round; nothing else reads private data."""
    starts = [0, total]
    counts = masses = np.array([np.inf])
    for _ in range(rounds):
        enough = max(masses.sum() / bins, 2 * FAINT * scale) if len(masses) > 1 else 0.0
        heavy = np.flatnonzero((masses > enough) & (np.diff(starts) > 1)).tolist()
        pieces = [_pieces(starts[at], starts[at + 1], PIECES) for at in heavy]
        noisy = _noisy_counts(places, pieces, scale, noise)
        for at, piece, fresh in zip(heavy[::-1], pieces[::-1], noisy[::-1], strict=True):
            mass = _masses(fresh, np.diff(piece), masses[at], FAINT * scale)
            starts[at : at + 1] = piece[:-1]
            counts = np.concatenate([counts[:at], fresh, counts[at + 1 :]])
            masses = np.concatenate([masses[:at], mass, masses[at + 1 :]])
    return _Cells(starts, counts, masses)


def _masses(counts: Floats, widths: Ints, total: float, faint: float) -> Floats:
    """Estimate the records of cells that have ``total`` together; the faintest share by width.

    The first cells of all have an infinite total: then the counts decide on it.
    """
    total = max(0.0, float(counts.sum())) if np.isinf(total) else total
    clear = counts > faint
    masses = np.where(clear, counts, 0.0)
    if not clear.all():
        rest = max(0.0, total - float(masses.sum()))
        masses[~clear] = rest * widths[~clear] / widths[~clear].sum()
    return masses * (total / max(float(masses.sum()), 1e-300))


def _pieces(first: int, end: int, most: int) -> list[int]:
    """Cut a range into equal parts: where they begin, and the end of the last one."""
    parts = min(most, end - first)
    return [first - (-k * (end - first) // parts) for k in range(parts + 1)]


def _noisy_counts(
    places: Ints, ranges: list[list[int]], scale: float, noise: Noise
) -> list[Floats]:
    """Count the records in the parts of disjoint ranges with discrete Laplace noise."""
    out = []
    for starts in ranges:
        inside = places[(places >= starts[0]) & (places < starts[-1])]
        at = np.searchsorted(starts, inside, side="right") - 1
        counts = np.bincount(at, minlength=len(starts) - 1)
        out.append((counts + noise.laplace(scale, len(counts))).astype(np.float64))
    return out


def _jumps(cells: _Cells, deviation: float, most: int) -> list[int]:
    """Merge neighbours whose densities may be equal; give the places where the others begin.

    If two neighbours with counts a, b and widths v, w become one, $|a w - b v| / (v + w)$ records
    are drawn in the wrong one of them.
    """
    edges, counts = np.array(cells.starts, np.float64), cells.counts
    noisy = np.ones(len(counts))  # how many noisy counts each count is the sum of
    # The largest of many noisy counts is far out, so the doubt grows with their number.
    doubt = deviation * np.log(2 * len(counts)) / np.sqrt(2)
    while len(counts) > 1:
        widths = np.diff(edges)
        both = widths[:-1] + widths[1:]
        error = np.abs(counts[:-1] * widths[1:] - counts[1:] * widths[:-1]) / both
        spread = np.sqrt(noisy[:-1] * widths[1:] ** 2 + noisy[1:] * widths[:-1] ** 2) / both
        excess = error - doubt * spread
        if excess.min() > 0 and len(counts) <= most:
            break
        # Among differences that may be noise, the smallest in proportion to the noise comes first.
        at = int(np.argmin(excess if excess.min() > 0 else error / spread))
        counts = np.concatenate([counts[:at], [counts[at : at + 2].sum()], counts[at + 2 :]])
        noisy = np.concatenate([noisy[:at], [noisy[at : at + 2].sum()], noisy[at + 2 :]])
        edges = np.delete(edges, at + 1)
    return [int(edge) for edge in edges]


def _cut(cells: _Cells, jumps: list[int], bins: int) -> list[int]:
    """Add edges to the jumps so that stretches with many records have many bins."""
    left = bins - len(jumps) + 2
    tiny = max(1, jumps[-1] // PIECES**2)
    widths = np.diff(cells.starts)
    alone = (widths <= tiny) & (cells.masses >= cells.masses.sum() / bins)
    masses = np.where(alone, 0.0, cells.masses)
    if masses.sum() <= 0:  # all records are at a few places
        masses = widths.astype(np.float64)
    ends = np.cumsum(masses)
    wanted = ends[-1] * np.arange(1, left) / left
    at = np.searchsorted(ends, wanted)
    share = (wanted - (ends - masses)[at]) / masses[at]
    places = np.array(cells.starts)[at] + np.rint(share * widths[at]).astype(np.int64)
    return sorted({*jumps, *places.tolist()})


def _round(edges: list[int], starts: list[int], low: float, unit: float) -> list[float]:
    """Give the roundest numbers near edges; people report round numbers, so jumps are there."""
    widths = np.diff(starts)
    out = []
    for edge in edges[1:-1]:
        at = int(np.searchsorted(starts, edge, side="right")) - 1
        near = max(widths[at], widths[at - 1] if starts[at] == edge else 0) / 2
        out.append(roundest(low + edge * unit, near * unit))
    return out


def roundest(value: float, near: float) -> float:
    """Give the number with the fewest digits that is at most ``near`` away.

    >>> roundest(40.03, 0.05), roundest(1187.0, 20.0), roundest(0.4, 0.01)
    (40.0, 1200.0, 0.4)
    """
    power = 10.0 ** (math.floor(math.log10(max(abs(value), near, 1e-300))) + 1)
    for _ in range(40):
        for step in (power, power / 2):
            candidate = round(value / step) * step
            if abs(candidate - value) <= near:
                return float(candidate)
        power /= 10
    return value


# Frequent values: the values of a large category that keep their own code, chosen with privacy.


def frequent_values(
    column: Column, contents: Array, most: int, *, epsilon: float, noise: Noise
) -> Groups:
    """Keep the most frequent values and let all others share one group; epsilon-private.

    One record more or less changes one count by one, so counts with discrete Laplace noise of scale
    1 / epsilon are epsilon-private under adding or removing a record. A value is kept if its noisy
    count stands out from the noise: with m values, the largest noise is about ln(m) / epsilon.

    Parameters
    ----------
    most : the largest number of codes, with that of the group.

    >>> town = Column(name="town", kind="category", values=tuple("abcdefgh"))
    >>> contents = np.repeat(np.arange(8), [900, 2, 800, 1, 0, 3, 700, 2])
    >>> frequent_values(town, contents, 3, epsilon=1.0, noise=Noise.for_test(1)).kept.tolist()
    [0, 2]
    """
    counts = np.bincount(contents[contents >= 0], minlength=column.size)
    noisy = counts + noise.laplace(1 / epsilon, column.size)
    stands_out = noisy > math.log(column.size) / epsilon
    # A stable sort, because ties must not depend on the machine.
    order = np.argsort(-noisy, kind="stable")[: most - 1]
    return Groups(column, np.sort(order[stands_out[order]]))


# Measured coding: the coding of a table whose edges and groups are measured with privacy.


@dataclass(frozen=True, slots=True)
class MeasuredCoding:
    """What is measured about a table before a model is fitted to its codes.

    Parameters
    ----------
    edges : which bins have measured edges, as :func:`quintain.data.coding.needs_edges` takes it.
    groups : the most codes of a category; None leaves all categories as they are.
    """

    edges: Edges | None
    groups: int | None

    def columns(self, schema: Schema) -> tuple[str, ...]:
        """The columns that are measured; this follows from the schema alone."""
        return tuple(
            c.name for c in schema.columns if needs_edges(c, self.edges) or self._needs_groups(c)
        )

    def measure(self, data: Table, *, epsilon: float, noise: Noise, missing_code: bool) -> Coding:
        """Measure the columns with equal parts of epsilon; epsilon-private.

        The neighbours are data with one record more or less. The parts add up by basic composition.
        """
        coding = Coding.of(data.schema, missing_code=missing_code)
        names = self.columns(data.schema)
        columns: dict[str, ColumnCoding] = dict(coding.columns)
        for name in names:
            column, contents = data.schema[name], data.columns[name]
            part = epsilon / len(names)
            if column.listed:
                most = self.groups or column.size
                columns[name] = frequent_values(column, contents, most, epsilon=part, noise=noise)
            else:
                count = column.bins or DEFAULT_BINS
                columns[name] = measured_bins(column, contents, count, epsilon=part, noise=noise)
        return Coding(data.schema, columns, missing_code)

    def _needs_groups(self, column: Column) -> bool:
        return column.listed and self.groups is not None and column.size > self.groups
