"""Quantity noise: add random integers to quantities."""

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
