"""Cohort swap: people who shopped alike in a month exchange their baskets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, Floats, Rows
from quintain.kernels.purchases import DAY, Purchases, column_of
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.cohorts import LONGEST_MONTH, Bill, CohortCells, cohorts
from quintain.sanitizers.transactions.customer_swap import exchange_within
from quintain.sanitizers.transactions.pseudonyms import fresh_names
from quintain.sanitizers.transactions.row_by_row import NAMING, RowByRow, without_rows

# Cohort profile: the date and the prices that all members of a cohort publish.


ROUNDS = 2
"""How often rows and profile are fitted to each other; more rounds change little."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The date and prices that all members of a cohort publish, and the rows that publish them.

    Parameters
    ----------
    when : the date of all rows, in seconds since 1970.
    price : the prices in rising order.
    chosen : one row per member and one column per price: the member's row that gets this price.
    """

    when: int
    price: Floats
    chosen: Rows


def profile(prices: list[Floats], times: list[Rows], bill: Bill) -> Profile:
    """Make the profile of a cohort from the prices (in rising order) and times of its members.

    The profile has as many rows as the member with the fewest rows. Its prices and its date are
    medians over the chosen rows. A member with more rows chooses, in order of price, the rows that
    change least.
    """
    count = min(len(member_prices) for member_prices in prices)
    spread = [
        (2 * np.arange(count) + 1) * len(member_prices) // (2 * count) for member_prices in prices
    ]
    chosen = np.stack(spread)
    for _ in range(ROUNDS):
        price, when = _medians(prices, times, chosen)
        chosen = choose(prices, times, price, when, bill)
    price, when = _medians(prices, times, chosen)
    return Profile(when, price, chosen)


def _medians(prices: list[Floats], times: list[Rows], chosen: Rows) -> tuple[Floats, int]:
    """The median prices and the median time; of two middle values the lower one."""
    member_prices = np.stack([price[rows] for price, rows in zip(prices, chosen, strict=True)])
    when = np.concatenate([time[rows] for time, rows in zip(times, chosen, strict=True)])
    middle = (len(member_prices) - 1) // 2
    price = np.partition(member_prices, middle, axis=0)[middle]
    return price, int(np.partition(when, (len(when) - 1) // 2)[(len(when) - 1) // 2])


def choose(prices: list[Floats], times: list[Rows], price: Floats, when: int, bill: Bill) -> Rows:
    """Choose for every member the rows, in order of price, that change least.

    This is dynamic programming for all members at once: the smallest change for the first places,
    for each number of rows skipped so far.
    """
    count = len(price)
    skips = max(len(member_prices) for member_prices in prices) - count
    change = np.full((len(prices), count, skips + 1), np.inf)
    for member, (member_prices, time) in enumerate(zip(prices, times, strict=True)):
        slack = len(member_prices) - count
        rows = np.arange(count)[:, None] + np.arange(slack + 1)
        low, high = (
            np.minimum(member_prices[rows], price[:, None]),
            np.maximum(member_prices[rows], price[:, None]),
        )
        kept = np.divide(low, high, out=np.ones_like(high), where=high > 0)
        away = np.abs(time[rows] - when) / (DAY * LONGEST_MONTH)
        change[member, :, : slack + 1] = bill.price * (1 - kept) + bill.date * away
    return _backwards(change)


def _backwards(change: npt.NDArray[np.float64]) -> Rows:
    members, count, skips = change.shape
    number = np.arange(skips)
    best = np.zeros((members, skips))
    before = np.empty((count, members, skips), np.int64)
    for place in range(count):
        least = np.minimum.accumulate(best, axis=1)
        better = np.ones((members, skips), bool)
        better[:, 1:] = best[:, 1:] < least[:, :-1]
        before[place] = np.maximum.accumulate(np.where(better, number, 0), axis=1)
        best = least + change[:, place]
    skipped = best.argmin(axis=1)
    chosen = np.empty((members, count), np.int64)
    for place in range(count - 1, -1, -1):
        chosen[:, place] = place + skipped
        skipped = before[place, np.arange(members), skipped]
    return chosen


# Basket content: the purchases that stay when a person has to lose rows in a month.


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """The purchases that stay, and their new quantities.

    Parameters
    ----------
    rows : the rows that stay, cell after cell, sorted by price within a cell.
    start : for each cell the position of its first row in ``rows``.
    quantity : the new quantity of every row of the purchases.
    """

    rows: Rows
    start: Rows
    quantity: Rows


def fit_content(bought: Purchases, cells: CohortCells, room: Rows) -> Content:
    """Choose the purchases of each cell that stay if the cell has ``room`` for so many rows.

    If a person bought an item several times, one of these purchases stands for all of them, and
    the others are deleted first. Next are purchases that are the smallest part of all sales of
    their item. Quantities of deleted rows are added to a row that stays, of the same person and
    item.
    """
    of_row = np.full(len(bought), -1)
    of_row[cells.rows] = np.repeat(np.arange(len(cells)), cells.size)
    pair, weight = _pairs(bought, cells.rows)
    space = (room / cells.size)[of_row[cells.rows]]
    stands = _first_of_each(pair, np.lexsort((cells.rows, -space, pair)))
    order = np.lexsort((-weight, ~stands, of_row[cells.rows]))
    rank = np.arange(len(order)) - np.repeat(cells.start, cells.size)
    stays = np.zeros(len(order), bool)
    stays[order] = rank < np.repeat(room, cells.size)
    quantity = bought.quantity.copy()
    kept = np.lexsort((cells.rows, ~stays, pair))
    first = _first_of_each(pair, kept)
    surplus = np.bincount(pair, weights=np.where(stays, 0, bought.quantity[cells.rows]))
    receivers = np.flatnonzero(first & stays)
    quantity[cells.rows[receivers]] += surplus[pair[receivers]].astype(np.int64)
    return Content(cells.rows[stays], np.cumsum(room) - room, quantity)


def _pairs(bought: Purchases, rows: Rows) -> tuple[Rows, Floats]:
    """For each row the number of its person and item, and the weight of this pair.

    The weight is the quantity that the person bought of the item, divided by the length of the
    vector of all buyers' quantities.
    """
    people = max(len(bought.persons), 1)
    key = bought.item[rows].astype(np.int64) * people + bought.person[rows]
    known, pair = np.unique(key, return_inverse=True)
    total = np.bincount(pair, weights=bought.quantity[rows])
    length = np.sqrt(np.bincount(known // people, weights=total**2))
    return pair, (total / np.maximum(length[known // people], 1e-300))[pair]


def _first_of_each(pair: Rows, order: Rows) -> np.ndarray:
    """Mark the first row of each pair in an order that keeps pairs together."""
    first = np.zeros(len(pair), bool)
    first[order[np.diff(pair[order], prepend=-1) != 0]] = True
    return first


@register("cohort-swap-v1")
class CohortSwap(RowByRow):
    r"""Puts people who shop alike into cohorts every month, then swaps baskets within a cohort.

    All members of a cohort get the same number of rows, the same date and the same prices. Their
    baskets (items with quantities) are dealt out among them at random. A basket keeps the name
    under which it appears all year. Within a cohort, a row then reveals nothing about its person:
    no attack on names is expected to be right for more than one member of a cohort. Cohorts are
    chosen to minimise

    $$ w_r E_{rows} + w_d E_{dates} + w_p E_{prices} + fee \cdot cohorts / cells $$

    where E are the share of deleted rows, the mean shift of dates in months and the mean relative
    change of prices. With weights of sum 1 and a fee of 1 this is a bound on the sum of DARC's
    utility loss and re-identification rate. A cohort of many people with few rows is cheap.

    A name still stands for the purchases of one person. So this sanitizer hides the owner of a
    row, but not what the person behind a name bought.

    >>> import quintain as q
    >>> from quintain.testing import small_shop
    >>> shop = small_shop()  # ann and bob buy two things each
    >>> print(q.sanitize("cohort-swap", shop, seed=1).data.csv_bytes().decode())
    customer,day,item,price,quantity
    P0,2011-01-05,tea,1.0,1
    P1,2011-01-05,cup,1.0,1
    P0,2011-01-05,pot,3.0,2
    P1,2011-01-05,tea,3.0,5

    Parameters
    ----------
    rows, dates, prices : the weights of deleted rows, shifted dates and changed prices.
    fee : the cost of a cohort; a higher fee gives fewer and larger cohorts.
    smallest : the smallest number of people in a cohort, if a month has that many.
    kept : the smallest share of a person's rows that stays in a month, unless a cohort would be
        too small.
    """

    method: ClassVar[str] = "microaggregation"

    rows: Annotated[float, Field(ge=0, le=1)] = 0.34
    dates: Annotated[float, Field(ge=0, le=1)] = 0.2
    prices: Annotated[float, Field(ge=0, le=1)] = 0.46
    fee: Annotated[float, Field(ge=0, le=1000)] = 1.2
    smallest: Annotated[int, Field(ge=1)] = 2
    kept: Annotated[float, Field(ge=0, le=1)] = 0.5

    @classmethod
    def examples(cls) -> list[Self]:
        """Examples for the test battery: the defaults, and large cohorts."""
        return [cls(), cls(fee=10, smallest=5)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Form cohorts, write the profile of each, deal out the baskets."""
        cells = CohortCells.of(bought)
        bill = self._bill(cells)
        cohort = cohorts(bought, cells, bill)
        room = _fewest(cells, cohort)
        content = fit_content(bought, cells, room)
        giver = exchange_within(cohort, noise)
        columns: dict[str, Array] = {name: values.copy() for name, values in data.columns.items()}
        kept = np.zeros(len(data), bool)
        bearer = np.full(len(data), -1)
        for members in _members(cohort):
            places = self._publish(data, bought, cells, members, bill, columns)
            contents = _rows_of(content, giver[members], int(room[members[0]]))
            kept[places] = True
            bearer[places] = bought.person[contents]
            for role in ("item", "quantity"):
                column = column_of(data, role)
                values = content.quantity - column.offset if role == "quantity" else bought.item
                columns[column.name][places] = values[contents]
        columns[data.person_column.name] = fresh_names(bearer, noise)
        return without_rows(data, ~kept, columns)

    def _bill(self, cells: CohortCells) -> Bill:
        """All costs, counted in rows: a cohort costs ``fee`` times the rows of an average cell."""
        cohort = self.fee * len(cells.rows) / max(len(cells), 1)
        return Bill(self.rows, self.dates, self.prices, cohort, self.kept, self.smallest)

    def _publish(
        self,
        data: Transactions,
        bought: Purchases,
        cells: CohortCells,
        members: Rows,
        bill: Bill,
        columns: dict[str, Array],
    ) -> Rows:
        """Write the profile of a cohort into ``columns``; return the rows of each member."""
        when = data.columns[data.time_column.name]
        member_rows = [cells.rows[cells.start[m] : cells.start[m] + cells.size[m]] for m in members]
        common = profile(
            [bought.price[r] for r in member_rows], [when[r] for r in member_rows], bill
        )
        places = np.stack(
            [rows[chosen] for rows, chosen in zip(member_rows, common.chosen, strict=True)]
        )
        columns[data.time_column.name][places] = common.when
        columns[column_of(data, "price").name][places] = common.price
        known = {data.person_column.name, data.time_column.name}
        known |= {column_of(data, role).name for role in ("item", "price", "quantity")}
        for name in set(data.schema.names) - known:
            values, count = np.unique(data.columns[name][places], return_counts=True)
            columns[name][places] = values[count.argmax()]
        return places

    def methods_applied(
        self, data: Transactions, changed: tuple[str, ...]
    ) -> dict[str, tuple[str, ...]]:
        """Dates and prices are made equal, baskets are swapped, persons are renamed."""
        person_name = data.person_column.name
        dealt = tuple(column_of(data, role).name for role in ("item", "quantity"))
        alike = tuple(name for name in changed if name not in (person_name, *dealt))
        return {self.method: alike, "swapping": dealt, NAMING: (person_name,)}

    def detail(self) -> str:
        """What cohorts share, and the costs by which they are chosen, in words."""
        return (
            "in each month, cohorts with the same number of rows, date and prices exchange "
            f"baskets and names; weights {self.rows:g}, {self.dates:g}, {self.prices:g}, fee "
            f"{self.fee:g}, at least {self.smallest} people"
        )


def _members(cohort: Rows) -> list[Rows]:
    order = np.argsort(cohort, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(cohort[order])) + 1)


def _fewest(cells: CohortCells, cohort: Rows) -> Rows:
    """For every cell the number of rows of the smallest cell of its cohort."""
    fewest = np.full(int(cohort.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(fewest, cohort, cells.size)
    return fewest[cohort]


def _rows_of(content: Content, cells: Rows, count: int) -> Rows:
    rows: Rows = content.rows[content.start[cells][:, None] + np.arange(count)]
    return rows
