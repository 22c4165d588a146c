"""Simulator: a year of a shop, with customers who have tastes and items that have prices.

Customers differ in how much they buy, in the kinds of items they like, in how many units they buy
at once, and in their rhythm: their trips come at fairly regular times within a part of the year,
more of them in autumn. On a trip they buy popular items, items of the kinds they like, or items
that they bought before. An item has few prices: the usual one, a lower one for many units, and
perhaps another one from some day on. Everything is drawn for all customers at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Array, Ints

FIRST_DAY = np.datetime64("2010-12-01")
DAYS = 374
CLOSED = ("2010-12-24", "2011-01-04")
"""The shop is open from 1 December 2010 to 9 December 2011, except on Saturdays and these days."""

MONTHS = (70, 58, 61, 81, 67, 90, 83, 77, 84, 123, 137, 180, 44)
"""How much is bought in each month, relative to the others."""

WEEKDAYS = (0.95, 1.05, 1.05, 1.25, 0.9, 0.0, 0.8)
"""How much is bought on each day of the week, from Monday on; closed on Saturdays."""

SPREAD = 1.09
"""The standard deviation of the logarithm of rows per customer; LARGEST times the mean is most."""
LARGEST = 6.4

TRIPS = (0.55, -1.12, 0.6)
"""Slope, intercept and spread of the logarithm of trips, given the logarithm of rows."""

POPULAR, SECOND_KIND, AGAIN = 0.45, 0.2, 0.2
"""Shares of rows: popular items, items of the customer's second kind, items bought again."""

KINDS = 20
PRICES = (
    0.29, 0.39, 0.42, 0.55, 0.65, 0.85, 1.25, 1.45, 1.65, 1.95, 2.1, 2.55, 2.95, 3.75, 4.25, 4.95,
    5.95, 7.95, 9.95, 12.75,
)  # fmt: skip
PRICE_SHARES = (2, 4, 7, 3, 3, 8, 14, 5, 11, 6, 6, 5, 8, 6, 3, 5, 3, 2, 2, 1)
PACKS = np.array([24, 12, 12, 12, 10, 10, 12, 8, 6, 6, 6, 6, 4, 4, 3, 2, 2, 1])
"""Usual units per pack, from cheap items to expensive ones."""

UNITS = (1, 2, 3)
TIMES = (1, 2, 4, 8, 16, 32)
BORDERS = (-1.08, -0.68, -0.55, 0.75, 1.28, 1.75, 2.3, 2.8)
"""A row is for so many UNITS or so many packs (TIMES); BORDERS of a normal draw decide."""

HABIT, ODD = 0.6, 0.08
"""How much that draw depends on the customer; share of rows with another number of units."""

FIRST_CUSTOMER = 12_346

Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class _Stock:
    """The items of the shop, in the order of their kinds."""

    item: Ints
    upto: npt.NDArray[np.float64]  # popularity, summed up to each item, from 0 on
    first: Ints  # of each kind, and the end
    pack: Ints
    price: npt.NDArray[np.float64]  # item by: usual, for many, later
    many: Ints  # units from which the price for many is given
    later: Ints  # day from which the later price is asked


@dataclass(frozen=True, slots=True, eq=False)
class _Trips:
    """The trips of all customers, customer by customer in the order of time."""

    customer: Ints
    day: Ints
    minute: Ints
    rows: Ints


def simulate(
    rows: int, customers: int, items: tuple[str, ...], rng: np.random.Generator
) -> dict[str, Array]:
    """Exactly ``rows`` purchases by exactly ``customers``, in the order of time, coded."""
    stock = _stock(len(items), rng)
    trips = _trips(_rows_by_customer(rows, customers, rng), rng)
    trip = np.repeat(np.arange(len(trips.rows), dtype=np.int32), trips.rows)
    customer = trips.customer[trip]
    place = _places(stock, customer, rng)[_sources(trips, trip, rng)]
    units = _units(stock, place, customer, rng)
    level = np.where(trips.day[trip] >= stock.later[place], 2, 0)
    level[units >= stock.many[place]] = 1
    order = _by_time(trips)
    name = FIRST_CUSTOMER + rng.permutation(customers)
    day = (FIRST_DAY + trips.day).astype("datetime64[s]").astype(np.int64)
    return {
        "id_user": name[customer[order]],
        "date": day[trip[order]],
        "hours": trips.minute[trip[order]],
        "id_item": stock.item[place[order]],
        "price": stock.price[place, level][order],
        "qty": units[order] - 1,
    }


def _stock(count: int, rng: np.random.Generator) -> _Stock:
    """Draw the items; popularity falls like a power of the rank, and faster at the end."""
    rank = rng.permutation(count)
    popularity = (rank + 20.0) ** -0.4 * np.exp(-rank / 1100)
    kind = rng.integers(KINDS, size=count)
    item = np.argsort(kind, kind="stable")
    shares = np.array(PRICE_SHARES) / sum(PRICE_SHARES)
    dear = rng.choice(len(PRICES), count, p=shares)
    usual = np.array(PRICES)[dear]
    price = np.column_stack([usual, usual * 0.85, usual * rng.choice([0.85, 1.15], count)]).round(2)
    spot = np.clip(dear + rng.normal(0, 3, count).round(), 0, len(PRICES) - 1)
    pack = PACKS[(spot * len(PACKS) // len(PRICES)).astype(np.int64)]
    changes = rng.random(count) < 0.2
    return _Stock(
        item=item,
        upto=np.concatenate([[0.0], np.cumsum(popularity[item])]),
        first=np.searchsorted(kind[item], np.arange(KINDS + 1)),
        pack=pack,
        price=price,
        many=pack * 8,
        later=np.where(changes, rng.integers(DAYS, size=count), DAYS),
    )


def _rows_by_customer(rows: int, customers: int, rng: np.random.Generator) -> Ints:
    """The number of rows of each customer: at least one, and ``rows`` in total."""
    weight = np.exp(rng.normal(0, SPREAD, customers))
    weight = np.minimum(weight, LARGEST * weight.mean())
    return 1 + _shared(rows - customers, np.cumsum(weight) / weight.sum())


def _shared(total: int, upto: npt.NDArray[np.float64]) -> Ints:
    """Divide a total by cumulative shares, and round so that the sum is exact."""
    parts = np.diff(np.floor(total * upto + 0.5), prepend=0.0).astype(np.int64)
    parts[-1] += total - parts.sum()
    return parts


def _trips(rows: Ints, rng: np.random.Generator) -> _Trips:
    """When each customer comes, and how many rows each trip has: at least one."""
    slope, intercept, spread = TRIPS
    wish = slope * np.log(rows) + intercept + rng.normal(0, spread, len(rows))
    count = np.clip(np.exp(wish).round().astype(np.int64), 1, rows)
    customer = np.repeat(np.arange(len(rows)), count)
    end = np.cumsum(count)
    number = np.arange(len(customer)) - (end - count)[customer]

    weight = rng.gamma(1.5, size=len(customer))
    upto = np.cumsum(weight)
    before = np.concatenate([[0.0], upto])[end - count]
    share = (upto - before[customer]) / (upto[end - 1] - before)[customer]
    share[end - 1] = 1.0
    filled = np.floor((rows - count)[customer] * share + 1e-9).astype(np.int64)
    filled -= np.where(number > 0, np.concatenate([[0], filled[:-1]]), 0)

    start, part = rng.random(len(rows)), 0.15 + 0.85 * rng.random(len(rows))
    step = (number + rng.random(len(customer))) / count[customer]
    when = (start[customer] + part[customer] * step) % 1.0
    order = np.lexsort((when, customer))
    minute = np.clip(rng.normal(765, 125, len(customer)), 420, 1215).astype(np.int64)
    return _Trips(customer, _days(when[order]), minute, filled + 1)


def _days(when: npt.NDArray[np.float64]) -> Ints:
    """The days of the year on which the shop has done these shares of its business."""
    days = FIRST_DAY + np.arange(DAYS)
    month = days.astype("datetime64[M]").astype(np.int64)
    weekday = (days.astype(np.int64) + 3) % 7  # 1 January 1970 was a Thursday
    busy = np.array(WEEKDAYS)[weekday]
    busy[(days >= np.datetime64(CLOSED[0])) & (days < np.datetime64(CLOSED[1]))] = 0
    _, month = np.unique(month, return_inverse=True)
    busy = busy / np.bincount(month, busy)[month] * np.array(MONTHS)[month]
    return np.searchsorted(np.cumsum(busy) / busy.sum(), when, side="right")


def _places(stock: _Stock, customer: Ints, rng: np.random.Generator) -> Indices:
    """The item of every row, as a position in the stock."""
    count, rows = int(customer[-1]) + 1, len(customer)
    kinds = rng.integers(KINDS, size=(2, count))
    motive = rng.random(rows)
    kind = np.where(motive < POPULAR + SECOND_KIND, kinds[1, customer], kinds[0, customer])
    low, high = stock.upto[stock.first[kind]], stock.upto[stock.first[kind + 1]]
    popular = motive < POPULAR
    low[popular], high[popular] = 0.0, stock.upto[-1]
    low += rng.random(rows) * (high - low)
    drawn = np.searchsorted(stock.upto, low, side="right") - 1
    places: Indices = np.minimum(drawn, len(stock.item) - 1).astype(np.int32)
    return places


def _sources(trips: _Trips, trip: Indices, rng: np.random.Generator) -> Indices:
    """For every row its own number, or that of an earlier row with an item that is bought again."""
    own = np.arange(len(trip), dtype=np.int32)
    start = (np.cumsum(trips.rows) - trips.rows).astype(np.int32)
    first = start[np.searchsorted(trips.customer, trips.customer)]
    earlier = first[trip] + (rng.random(len(own)) * (start - first)[trip]).astype(np.int32)
    again = (rng.random(len(own)) < AGAIN) & (start > first)[trip]
    source = np.where(again, earlier, own)
    while True:  # the earlier row may itself be a repeated purchase
        further = source[source]
        if np.array_equal(further, source):
            return source
        source = further


def _units(stock: _Stock, place: Indices, customer: Ints, rng: np.random.Generator) -> Ints:
    """The units of each row: some customers buy single units, others many packs."""
    habit = rng.normal(0, HABIT, int(customer[-1]) + 1)
    wish = habit[customer] + rng.normal(0, (1 - HABIT**2) ** 0.5, len(customer))
    choice = np.searchsorted(BORDERS, wish)
    few = np.broadcast_to(UNITS, (len(stock.pack), len(UNITS)))
    units: Ints = np.hstack([few, stock.pack[:, None] * np.array(TIMES)])[place, choice]
    odd = rng.random(len(units)) < ODD
    units[odd] = rng.geometric(0.1, np.count_nonzero(odd))
    return units


def _by_time(trips: _Trips) -> Ints:
    """The order of rows in which the trips of all customers follow each other in time."""
    order = np.argsort(trips.day * 1440 + trips.minute, kind="stable")
    first = np.cumsum(trips.rows) - trips.rows
    rows = trips.rows[order]
    start = np.repeat(first[order] - (np.cumsum(rows) - rows), rows)
    return start + np.arange(len(start))
