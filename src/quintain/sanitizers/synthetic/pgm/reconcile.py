"""Reconcile noisy marginals: turn counts that contradict each other into tables that agree.

Noisy marginals disagree about the columns they share, and may have negative counts. The nearest
tables that agree and are not negative solve a quadratic program:

$$ min sum_i (x_i - y_i)^2 / (2 variance_i),  x >= 0,  overlaps equal,  every sum = total $$

Tables are tied to *hubs*: marginals that they share or that were measured separately. Each tie has
one multiplier per cell of its hub. Given the multipliers, every cell of a table is computed on its
own, as max(0, y - variance price), where its price is the sum of its multipliers. What remains is
the dual problem, a smooth concave function of the multipliers without constraints. Its gradient is
the disagreement.

The adjusted counts, y - variance price, are also useful for a later fit. For every distribution,
the loss against them differs from the loss against the measured counts by the same constant,
because the prices of a tie cancel between table and hub. So they can replace the measured counts,
and they contain no contradictions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from quintain.data.arrays import Floats
from quintain.sanitizers.synthetic.pgm.domain import Domain
from quintain.sanitizers.synthetic.pgm.measurement import Measurement
from quintain.sanitizers.synthetic.pgm.minimise import minimise

_STEPS = 2000
_ROUNDING = 1e-10
_EMPTY = 0.1
"""The weight of a cell without a positive count in the estimate of the curvature."""


@dataclass(frozen=True, slots=True, eq=False)
class Reconciled:
    """Tables that agree, and measurements without contradictions.

    Parameters
    ----------
    tables : the nearest tables that agree, one per measurement that no other one contains.
    adjusted : measurements that can replace all the given ones in a fit.
    least : no distribution has a smaller loss against ``adjusted`` than this.
    """

    tables: dict[tuple[str, ...], Floats]
    adjusted: list[Measurement]
    least: float


def reconcile(
    measured: Sequence[Measurement], domain: Domain, total: float, *, tolerance: float
) -> Reconciled:
    """Find the nearest tables that agree and have no negative counts.

    Parameters
    ----------
    measured : fused measurements.
    domain : the columns.
    total : the sum of every table, which is the number of records.
    tolerance : how far a table and a hub may disagree, in standard deviations of the noise.
    """
    sets = [set(m.columns) for m in measured]
    tables = [m for m in measured if not any(set(m.columns) < other for other in sets)]
    dual = _Dual(tables, _hubs(measured, tables, domain), total)
    enough = dual.enough(tolerance)
    multipliers = dual.centred(
        minimise(
            dual,
            np.zeros(dual.size),
            scale=dual.curvature(),
            done=lambda slope: bool((np.abs(slope) <= enough).all()),
            limit=_STEPS,
        )
    )
    prices = dual.prices(multipliers)
    free = [
        Measurement(m.columns, m.counts - m.variance * price, m.variance)
        for m, price in zip(tables, prices, strict=True)
    ]
    hubs = [
        Measurement(h.measured.columns, dual.settle(h, multipliers), h.measured.variance)
        for h in dual.hubs
        if h.measured is not None
    ]
    clipped = sum(float((np.minimum(0.0, m.counts) ** 2 / m.variance).sum()) for m in free)
    agreed = {m.columns: np.maximum(0.0, m.counts) for m in free}
    return Reconciled(agreed, [*free, *hubs], clipped / 2)


@dataclass(frozen=True, slots=True, eq=False)
class _Tie:
    """The link between a table and a hub.

    Parameters
    ----------
    table : the number of the table.
    place : the position of the multipliers of this tie.
    shape : the shape in which they are added to the table.
    axes : the axes of the table that the hub lacks.
    """

    table: int
    place: slice
    shape: tuple[int, ...]
    axes: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Hub:
    """A marginal that several tables share; the hub without columns is the total."""

    columns: tuple[str, ...]
    measured: Measurement | None = None
    ties: list[_Tie] = field(default_factory=list)

    @property
    def free(self) -> bool:
        """Whether the hub was not measured, so that the tables only have to agree on it."""
        return self.measured is None and bool(self.columns)


def _hubs(
    measured: Sequence[Measurement], tables: Sequence[Measurement], domain: Domain
) -> list[_Hub]:
    whole = {m.columns for m in tables}
    hubs = {m.columns: _Hub(m.columns, m) for m in measured if m.columns not in whole}
    sets = [set(m.columns) for m in tables]
    for shared in {domain.sort(a & b) for a, b in combinations(sets, 2)}:
        if shared:
            hubs.setdefault(shared, _Hub(shared))
    # A measured hub passes the right total on to its tables; other tables are tied to the total.
    covered = {
        number
        for hub in hubs.values()
        for number, has in enumerate(sets)
        if hub.measured is not None and has.issuperset(hub.columns)
    }
    uncovered = [number for number in range(len(tables)) if number not in covered]
    if uncovered:
        hubs[()] = _Hub(())
    place = 0
    for columns, hub in sorted(hubs.items()):
        cells = domain.cells(columns)
        for number in range(len(tables)) if columns else uncovered:
            names = tables[number].columns
            if sets[number].issuperset(columns):
                shape = tuple(domain.size(name) if name in columns else 1 for name in names)
                axes = tuple(axis for axis, name in enumerate(names) if name not in columns)
                hub.ties.append(_Tie(number, slice(place, place + cells), shape, axes))
                place += cells
    return list(hubs.values())


class _Dual:
    """The dual problem, as a function to minimise."""

    def __init__(self, tables: Sequence[Measurement], hubs: list[_Hub], total: float) -> None:
        self.tables, self.hubs, self.total = tables, hubs, total
        self.size = max(tie.place.stop for hub in hubs for tie in hub.ties)

    def prices(self, multipliers: Floats) -> list[Floats]:
        """Compute the price of every cell of every table."""
        prices = [np.zeros(table.counts.shape) for table in self.tables]
        for hub in self.hubs:
            for tie in hub.ties:
                prices[tie.table] += multipliers[tie.place].reshape(tie.shape)
        return prices

    def centred(self, vector: Floats) -> Floats:
        """Shift the multipliers of each free hub so that they sum to zero."""
        out = vector.copy()
        for hub in self.hubs:
            if hub.free:
                mean = np.mean([vector[tie.place] for tie in hub.ties], axis=0)
                for tie in hub.ties:
                    out[tie.place] -= mean
        return out

    def settle(self, hub: _Hub, multipliers: Floats) -> Floats:
        """Compute the counts of a measured hub, given its multipliers, with the right total."""
        assert hub.measured is not None
        pull = np.sum([multipliers[tie.place] for tie in hub.ties], axis=0)
        variance = hub.measured.variance
        moved = hub.measured.counts + variance * pull.reshape(variance.shape)
        return np.asarray(moved - variance * (moved.sum() - self.total) / variance.sum())

    def __call__(self, multipliers: Floats) -> tuple[float, Floats]:
        """Compute the negative dual value, and its gradient."""
        multipliers = self.centred(multipliers)
        cells, value = [], 0.0
        for table, price in zip(self.tables, self.prices(multipliers), strict=True):
            cell = np.maximum(0.0, table.counts - table.variance * price)
            away = cell - table.counts
            value += float(np.vdot(away, away / table.variance) / 2 + np.vdot(price, cell))
            cells.append(cell)
        slope = np.empty(self.size)
        for hub in self.hubs:
            target = np.array(0.0 if hub.columns else self.total)
            if hub.measured is not None:
                target = self.settle(hub, multipliers)
                away = target - hub.measured.counts
                value += float(np.vdot(away, away / hub.measured.variance) / 2)
            for tie in hub.ties:
                gap = target - cells[tie.table].sum(axis=tie.axes)
                slope[tie.place] = gap.ravel()
                value -= float(multipliers[tie.place] @ np.broadcast_to(target, gap.shape).ravel())
        return -value, self.centred(slope)

    def curvature(self) -> Floats:
        """Estimate the curvature along each multiplier at the start."""
        out = np.zeros(self.size)
        for hub in self.hubs:
            for tie in hub.ties:
                table = self.tables[tie.table]
                active = table.variance * np.where(table.counts > 0, 1.0, _EMPTY)
                out[tie.place] = active.sum(axis=tie.axes).ravel()
                if hub.measured is not None:
                    out[tie.place] += hub.measured.variance.ravel()
        return out

    def enough(self, tolerance: float) -> Floats:
        """Give the disagreement between table and hub that is allowed in each cell."""
        out = np.empty(self.size)
        for hub in self.hubs:
            for tie in hub.ties:
                source = hub.measured or self.tables[tie.table]
                out[tie.place] = np.sqrt(source.variance.min())
        return np.maximum(tolerance * out, _ROUNDING * self.total)
