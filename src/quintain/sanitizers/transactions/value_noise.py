"""Value noise: change the dates, prices and quantities of purchases at random."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, Rows
from quintain.kernels.purchases import DAY, Days, Purchases, column_of
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.row_by_row import RowByRow

STEPS = 1000
"""Noise is drawn in thousandths, because the noise that protects people is integer."""

CENT = 0.01


@register("date-noise-v1")
class DateNoise(RowByRow):
    """Moves purchases by discrete Laplace noise in days, but never out of their month.

    A date that would leave its month is reflected at the end of the month. The time of day stays.

    >>> import quintain as q
    >>> from quintain.testing import small_shop
    >>> shop = small_shop()  # ann and bob buy two things each
    >>> print(q.sanitize("date-noise", shop, seed=1).data.csv_bytes().decode())
    customer,day,item,price,quantity
    ann,2011-01-03,tea,1.0,1
    bob,2011-01-05,cup,2.0,1
    ann,2011-01-18,pot,3.0,2
    bob,2011-01-20,tea,4.0,5

    Parameters
    ----------
    scale : the scale of the noise, in days.
    by : "row" moves each row separately; "visit" moves all purchases of a person on one day
        together.
    """

    method: ClassVar[str] = "noise addition"

    scale: Annotated[float, Field(ge=0.01, le=1000)] = 3.0
    by: Literal["row", "visit"] = "row"

    @classmethod
    def examples(cls) -> list[Self]:
        """Rows that move separately, and visits that move together."""
        return [cls(), cls(by="visit", scale=10)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Draw one shift per row or visit, and reflect the dates into their month and bounds."""
        name = data.time_column.name
        live = np.flatnonzero(bought.live)
        visit = np.arange(len(live))
        if self.by == "visit":
            day = bought.day[live].astype(np.int64) - bought.day[live].min(initial=0)
            key = day * max(len(bought.persons), 1) + bought.person[live]
            visit = np.unique(key, return_inverse=True)[1]
        shift = noise.laplace(self.scale, int(visit.max(initial=-1)) + 1)[visit]
        when = data.columns[name].copy()
        when[live] += DAY * (_reflect(bought.day[live], shift) - bought.day[live])
        for nearer, bound in zip((np.maximum, np.minimum), data.time_column.bounds, strict=True):
            if bound is not None:
                when[live] = nearer(when[live], int(bound))
        return {name: when}

    def detail(self) -> str:
        """The scale of the noise, and what moves together, in words."""
        return f"each {self.by} moved by discrete Laplace noise of scale {self.scale:g} days"


@register("price-noise-v1")
class PriceNoise(RowByRow):
    """Multiplies every price by a random factor and rounds to cents.

    The logarithm of the factor is Laplace noise, so a price is as likely to double as to halve. The
    lowest price is one cent.

    >>> import quintain as q
    >>> from quintain.testing import small_shop
    >>> shop = small_shop()  # ann and bob buy two things each
    >>> print(q.sanitize("price-noise", shop, seed=1).data.csv_bytes().decode())
    customer,day,item,price,quantity
    ann,2011-01-03,tea,0.92,1
    bob,2011-01-05,cup,2.06,1
    ann,2011-01-20,pot,2.84,2
    bob,2011-01-25,tea,3.42,5

    Parameters
    ----------
    scale : the scale of the noise; with 0.1, half of the prices change by more than 7 %.
    """

    method: ClassVar[str] = "noise addition"

    scale: Annotated[float, Field(ge=0.001, le=10)] = 0.1

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Draw one factor per row and round the new prices to cents."""
        column = column_of(data, "price")
        factor = np.exp(np.clip(noise.laplace(STEPS * self.scale, len(data)) / STEPS, -50, 50))
        price = np.maximum(np.round(bought.price * factor / CENT) * CENT, CENT).round(2)
        price = np.clip(price, column.low, column.high)
        return {column.name: np.where(bought.live, price, bought.price)}

    def detail(self) -> str:
        """The scale of the noise in words."""
        return (
            f"Laplace noise of scale {self.scale:g} on the logarithms of prices, rounded to cents"
        )


@register("quantity-noise-v1")
class QuantityNoise(RowByRow):
    """Adds discrete Laplace noise to every quantity; the result is at least 1.

    >>> import quintain as q
    >>> from quintain.testing import small_shop
    >>> shop = small_shop()  # ann and bob buy two things each
    >>> print(q.sanitize("quantity-noise", shop, seed=1).data.csv_bytes().decode())
    customer,day,item,price,quantity
    ann,2011-01-03,tea,1.0,1
    bob,2011-01-05,cup,2.0,1
    ann,2011-01-20,pot,3.0,3
    bob,2011-01-25,tea,4.0,2

    Parameters
    ----------
    scale : the scale of the noise, in pieces.
    """

    method: ClassVar[str] = "noise addition"

    scale: Annotated[float, Field(ge=0.01, le=1_000_000)] = 2.0

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Draw one difference per row and add it."""
        column = column_of(data, "quantity")
        quantity = np.maximum(bought.quantity + noise.laplace(self.scale, len(data)), 1)
        quantity = np.clip(quantity, column.low, column.high).astype(np.int64)
        code = quantity - column.offset
        return {column.name: np.where(bought.live, code, data.columns[column.name])}

    def detail(self) -> str:
        """The scale of the noise in words."""
        return f"discrete Laplace noise of scale {self.scale:g}; the result is at least 1"


def _reflect(day: Days, shift: Rows) -> Rows:
    """The shifted days, reflected at the ends of their months."""
    month = day.astype("datetime64[D]").astype("datetime64[M]")
    first = month.astype("datetime64[D]").astype(np.int64)
    length = (month + np.timedelta64(1, "M")).astype("datetime64[D]").astype(np.int64) - first
    place = (day - first + shift) % (2 * length)
    return first + np.where(place < length, place, 2 * length - 1 - place)
