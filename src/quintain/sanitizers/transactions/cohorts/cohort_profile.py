"""Cohort profile: the date and the prices that all members of a cohort publish."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats, Rows
from quintain.kernels.purchases import DAY
from quintain.sanitizers.transactions.cohorts.cohorts import LONGEST_MONTH, Bill

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
