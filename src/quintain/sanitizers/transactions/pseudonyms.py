"""Pseudonyms: give each person a random name for a month, a year or the whole time."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from quintain.data import Transactions
from quintain.data.arrays import Array
from quintain.kernels.purchases import Purchases, months_of
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.shuffling import permutation
from quintain.sanitizers.transactions.row_by_row import NAMING, RowByRow

# Fresh names: pseudonyms that reveal nothing about the persons behind them.


def fresh_names(bearer: Array, noise: Noise) -> npt.NDArray[np.str_]:
    """One name per row: equal names for equal bearers, and no name for a negative bearer.

    The numbers in the names are in random order, so that a name does not reveal its bearer.
    """
    known, which = np.unique(bearer, return_inverse=True)
    live = known >= 0
    width = len(str(int(live.sum())))
    names = np.full(len(known), "", f"<U{width + 1}")
    names[live] = [f"P{number:0{width}d}" for number in permutation(int(live.sum()), noise)]
    return names[which]


MONTHS = {"month": 1, "year": 12}
"""The length of each period in months."""


@register("pseudonyms-v1")
class Pseudonyms(RowByRow):
    """Gives every person a random name, which stays for a month, a year or the whole time.

    Nothing else changes. An attacker who knows a few purchases of a person learns the name, and
    with a name that stays, all other purchases of the person.

    >>> import quintain as q
    >>> from quintain.testing import small_shop
    >>> shop = small_shop()  # ann and bob buy two things each
    >>> print(q.sanitize("pseudonyms", shop, seed=1).data.csv_bytes().decode())
    customer,day,item,price,quantity
    P0,2011-01-03,tea,1.0,1
    P1,2011-01-05,cup,2.0,1
    P0,2011-01-20,pot,3.0,2
    P1,2011-01-25,tea,4.0,5

    Parameters
    ----------
    period : how long a name stays. Years are calendar years.
    """

    method: ClassVar[str] = NAMING

    period: Literal["month", "year", "whole"] = "month"

    @classmethod
    def examples(cls) -> list[Self]:
        """A new name every month, and one name for the whole time."""
        return [cls(), cls(period="whole")]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Number all pairs of person and period, and draw one name per number."""
        when = np.zeros(len(bought), np.int64)
        if self.period != "whole":
            when[bought.live] = months_of(bought.day[bought.live]) // MONTHS[self.period]
            when[bought.live] -= when[bought.live].min(initial=0)
        bearer = when * max(len(bought.persons), 1) + bought.person
        bearer[~bought.live] = -1
        return {data.person_column.name: fresh_names(bearer, noise)}

    def detail(self) -> str:
        """How long a name stays, in words."""
        often = "one random name" if self.period == "whole" else "a new random name"
        when = "the whole time" if self.period == "whole" else f"each {self.period}"
        return f"{often} for {when}"
