"""Quantity noise: change quantities a little, at random."""

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
    """Adds discrete Laplace noise to every quantity, which stays at least 1.

    Parameters
    ----------
    scale : of the noise, in pieces.
    """

    method: ClassVar[str] = "noise addition"

    scale: Annotated[float, Field(ge=0.01, le=1_000_000)] = 2.0

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Draw a difference for every row."""
        column = column_of(data, "quantity")
        quantity = np.maximum(bought.quantity + noise.laplace(self.scale, len(data)), 1)
        quantity = np.clip(quantity, column.low, column.high).astype(np.int64)
        code = quantity - column.offset
        return {column.name: np.where(bought.live, code, data.columns[column.name])}

    def detail(self) -> str:
        """The scale."""
        return f"discrete Laplace noise of scale {self.scale:g}, at least 1"
