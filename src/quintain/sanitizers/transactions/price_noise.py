"""Price noise: change prices a little, at random."""

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
"""Noise is drawn in thousandths, because privacy noise is integer."""

CENT = 0.01


@register("price-noise-v1")
class PriceNoise(RowByRow):
    """Multiplies every price by a random factor and rounds to cents.

    The logarithm of the factor is Laplace noise, so a price is as likely to be doubled as halved.
    No price is less than a cent.

    Parameters
    ----------
    scale : of the noise; with 0.1 half of the prices change by more than 7 %.
    """

    method: ClassVar[str] = "noise addition"

    scale: Annotated[float, Field(ge=0.001, le=10)] = 0.1

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Draw a factor for every row."""
        column = column_of(data, "price")
        factor = np.exp(np.clip(noise.laplace(STEPS * self.scale, len(data)) / STEPS, -50, 50))
        price = np.maximum(np.round(bought.price * factor / CENT) * CENT, CENT).round(2)
        price = np.clip(price, column.low, column.high)
        return {column.name: np.where(bought.live, price, bought.price)}

    def detail(self) -> str:
        """The scale."""
        return f"logarithms of prices plus Laplace noise of scale {self.scale:g}, in cents"
