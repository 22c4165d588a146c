"""Price noise: multiply every price by a random factor."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array
from quintain.kernels.purchases import Purchases, column_of
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.row_by_row import RowByRow

STEPS = 1000
"""Noise is drawn in thousandths, because the noise that protects people is integer."""

CENT = 0.01


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
