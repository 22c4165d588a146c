"""Cohorts: groups of people whose month of shopping can be made equal at little cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Array, Floats, Rows, distinct
from quintain.kernels.purchases import Purchases, months_of

# Cells: the purchases of one person in one month, sorted by price.


@dataclass(frozen=True, slots=True, eq=False)
class CohortCells:
    """All cells of the purchases, sorted by month, then person; deleted rows belong to no cell.

    Parameters
    ----------
    person : for each cell the position of its person among the persons.
    month : for each cell the months since January 1970.
    rows : the rows of all cells, cell after cell, sorted by price within a cell.
    start, size : for each cell the position of its first row in ``rows``, and its number of rows.
    """

    person: Rows
    month: Rows
    rows: Rows
    start: Rows
    size: Rows

    @classmethod
    def of(cls, bought: Purchases) -> CohortCells:
        """Group all rows that are not deleted into cells."""
        live = np.flatnonzero(bought.live)
        people = max(len(bought.persons), 1)
        key = months_of(bought.day[live]) * people + bought.person[live]
        order = np.lexsort((bought.price[live], key))
        cell, start, size = np.unique(key[order], return_index=True, return_counts=True)
        return cls(cell % people, cell // people, live[order], start, size)

    def __len__(self) -> int:
        return len(self.person)

    def spread(self, cells: Rows, count: Array) -> Rows:
        """For each of these cells ``count`` of its rows, evenly spread over its prices.

        The result lists the rows cell after cell. Each cell must have at least ``count`` rows.
        """
        which = np.repeat(np.arange(len(cells)), count)
        rank = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        size, wanted = self.size[cells][which], np.asarray(count)[which]
        place = self.start[cells][which] + (2 * rank + 1) * size // (2 * wanted)
        rows: Rows = self.rows[place]
        return rows


LONGEST_MONTH = 31
POINTS = 12
"""The number of points at which the prices of two cells are compared."""


@dataclass(frozen=True, slots=True)
class Bill:
    """The costs of all changes, in one unit, and the limits that no cohort may break.

    Parameters
    ----------
    row, date, price : the cost of a deleted row, of a date shifted by a month, of a price lost
        completely.
    cohort : the cost of a cohort.
    kept : the smallest share of a cell's rows that stays, unless ``smallest`` needs more deletions.
    smallest : the smallest number of cells in a cohort, if a month has that many.
    """

    row: float
    date: float
    price: float
    cohort: float
    kept: float
    smallest: int


def cohorts(bought: Purchases, cells: CohortCells, bill: Bill) -> Rows:
    """For every cell the number of its cohort; all cells of a cohort are of one month.

    All members of a cohort will have as many rows as the member with the fewest, on the same date
    and with the same prices. Every cohort has a cost, so the cheapest choice balances the number
    of cohorts against the changes. This is a facility location problem. At first every cell leads
    a cohort. As long as it lowers the total cost, the leader whose followers can move to others
    most cheaply gives up.
    """
    day, price = _profiles(bought, cells)
    leader = np.empty(len(cells), np.int64)
    for month in distinct(cells.month).tolist():
        in_month = np.flatnonzero(cells.month == month)
        size = cells.size[in_month]
        following = _costs(size, day[in_month], price[in_month], bill)
        few = size < bill.kept * size[:, None]
        leaders = _close(np.where(few, np.inf, following), bill)
        leader[in_month] = in_month[_join(leaders, following, bill.smallest)]
    return np.unique(leader, return_inverse=True)[1].astype(np.int64)


def _profiles(bought: Purchases, cells: CohortCells) -> tuple[Floats, Floats]:
    """The median day of each cell, and the logarithms of its prices at ``POINTS`` ranks."""
    points = (2 * np.arange(POINTS) + 1) * cells.size[:, None] // (2 * POINTS)
    at = cells.rows[cells.start[:, None] + points]
    middle = cells.start + cells.size // 2
    by_day = cells.rows[np.lexsort((bought.day[cells.rows], _cell_of_row(cells)))]
    tiny = np.finfo(float).tiny
    return bought.day[by_day[middle]].astype(float), np.log(np.maximum(bought.price[at], tiny))


def _cell_of_row(cells: CohortCells) -> Rows:
    return np.repeat(np.arange(len(cells)), cells.size)


def _costs(size: Rows, day: Floats, price: Floats, bill: Bill) -> Floats:
    """A matrix of costs: the cell of a row follows the cell of a column.

    A follower deletes its surplus rows and moves the others to the leader's date and prices. The
    cost is infinite if the follower has fewer rows than the leader.
    """
    change = np.zeros((len(size), len(size)))
    for point in price.T:
        change += 1 - np.exp(-np.abs(point[:, None] - point))
    change *= bill.price / price.shape[1]
    change += bill.date * np.abs(day[:, None] - day) / LONGEST_MONTH
    change = size * change + bill.row * (size[:, None] - size)
    change[size[:, None] < size] = np.inf
    return change


def _close(following: Floats, bill: Bill) -> Rows:
    """For every cell its leader, after all leaders that cost more than they save have given up.

    Leaders of too few cells also give up, if their followers can move.
    """
    following = following.copy()
    count = len(following)
    everyone = np.arange(count)
    nearest, second = _two_nearest(following)
    leads = np.ones(count, bool)
    while leads.sum() > 1:
        extra = following[everyone, second] - following[everyone, nearest]
        moving = np.bincount(nearest, weights=extra, minlength=count)
        moving[~leads] = np.inf
        closed = int(moving.argmin())
        if not moving[closed] < bill.cohort:
            moving[np.bincount(nearest, minlength=count) >= bill.smallest] = np.inf
            closed = int(moving.argmin())
            if moving[closed] == np.inf:
                break
        leads[closed] = False
        following[:, closed] = np.inf
        moved = np.flatnonzero((nearest == closed) | (second == closed))
        nearest[moved], second[moved] = _two_nearest(following[moved])
    return nearest


def _join(leader: Rows, following: Floats, smallest: int) -> Rows:
    """For every cell its leader, after cohorts that are still too small have joined others.

    All cells of two joined cohorts follow the cheapest cell that can lead all of them.
    """
    leader = leader.copy()
    while True:
        leads, sizes = np.unique(leader, return_counts=True)
        if len(leads) < 2 or sizes.min() >= smallest:
            return leader
        small = np.flatnonzero(leader == leads[sizes.argmin()])
        best: tuple[float, Rows, int] = (np.inf, small, int(leader[small[0]]))
        for other in leads[leads != leader[small[0]]]:
            rest = np.flatnonzero(leader == other)
            both = np.concatenate([small, rest])
            cost = following[np.ix_(both, both)].sum(axis=0)
            extra = cost.min() - following[rest, other].sum()
            if extra < best[0]:
                best = (extra, both, int(both[cost.argmin()]))
        leader[best[1]] = best[2]


def _two_nearest(costs: Floats) -> tuple[Rows, Rows]:
    """For every row the cheapest leader and the second; the same one twice if there is only one."""
    if costs.shape[1] == 1:
        return np.zeros(len(costs), np.int64), np.zeros(len(costs), np.int64)
    two = np.argpartition(costs, 1, axis=1)[:, :2]
    two = np.take_along_axis(
        two, np.take_along_axis(costs, two, 1).argsort(axis=1, kind="stable"), 1
    )
    return two[:, 0], two[:, 1]
