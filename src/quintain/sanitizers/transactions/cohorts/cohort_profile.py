"""Cohort profile: one date and one list of prices for a whole cohort, and which rows keep to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats, Rows
from quintain.kernels.purchases import DAY
from quintain.sanitizers.transactions.cohorts.cohorts import LONGEST_MONTH, Bill

ROUNDS = 2
"""Rows are chosen and the profile is taken from them so many times; more changes little."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """What all members of a cohort publish, and for each member the rows that publish it.

    Parameters
    ----------
    when : the date of all rows, in seconds since 1970.
    price : the prices, rising.
    chosen : members by places in ``price``: which of the member's rows stands there.
    """

    when: int
    price: Floats
    chosen: Rows


def profile(prices: list[Floats], times: list[Rows], bill: Bill) -> Profile:
    """The profile of a cohort, whose members have these prices, rising, at these times.

    The profile has as many rows as the member with fewest, and holds medians of what the chosen
    rows hold. A member with more rows chooses, in order of price, those that have to change least.
    """
    count = min(len(held) for held in prices)
    spread = [(2 * np.arange(count) + 1) * len(held) // (2 * count) for held in prices]
    chosen = np.stack(spread)
    for _ in range(ROUNDS):
        price, when = _medians(prices, times, chosen)
        chosen = choose(prices, times, price, when, bill)
    price, when = _medians(prices, times, chosen)
    return Profile(when, price, chosen)


def _medians(prices: list[Floats], times: list[Rows], chosen: Rows) -> tuple[Floats, int]:
    """Medians that somebody has: the lower one of two."""
    held = np.stack([price[rows] for price, rows in zip(prices, chosen, strict=True)])
    when = np.concatenate([time[rows] for time, rows in zip(times, chosen, strict=True)])
    middle = (len(held) - 1) // 2
    price = np.partition(held, middle, axis=0)[middle]
    return price, int(np.partition(when, (len(when) - 1) // 2)[(len(when) - 1) // 2])


def choose(prices: list[Floats], times: list[Rows], price: Floats, when: int, bill: Bill) -> Rows:
    """For every member the rows, in order of price, that have to change least.

    Dynamic programming, all members at once: the best for the first places, given how many rows
    were skipped so far.
    """
    count = len(price)
    skips = max(len(held) for held in prices) - count
    change = np.full((len(prices), count, skips + 1), np.inf)
    for member, (held, time) in enumerate(zip(prices, times, strict=True)):
        slack = len(held) - count
        rows = np.arange(count)[:, None] + np.arange(slack + 1)
        low, high = np.minimum(held[rows], price[:, None]), np.maximum(held[rows], price[:, None])
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
