"""Date noise: move purchases to other days of their month."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, Rows
from quintain.kernels.purchases import DAY, Days, Purchases
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.row_by_row import RowByRow


@register("date-noise-v1")
class DateNoise(RowByRow):
    """Moves purchases by discrete Laplace noise in days, and never out of their month.

    A date that would leave its month is reflected at the end it would cross. The time of day is
    kept.

    Parameters
    ----------
    scale : of the noise, in days.
    by : each "row" moves on its own, or all that a person bought on one day, a "visit", moves
        together.
    """

    method: ClassVar[str] = "noise addition"

    scale: Annotated[float, Field(ge=0.01, le=1000)] = 3.0
    by: Literal["row", "visit"] = "row"

    @classmethod
    def examples(cls) -> list[Self]:
        """Row by row, and visits together."""
        return [cls(), cls(by="visit", scale=10)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Draw a shift a row or a visit, reflect it into the month."""
        name = data.time_column.name
        live = np.flatnonzero(bought.live)
        visit = np.arange(len(live))
        if self.by == "visit":
            day = bought.day[live].astype(np.int64) - bought.day[live].min(initial=0)
            key = day * max(len(bought.persons), 1) + bought.person[live]
            visit = np.unique(key, return_inverse=True)[1]
        shift = noise.laplace(self.scale, int(visit.max(initial=-1)) + 1)[visit]
        when = data.columns[name].copy()
        when[live] += DAY * (_reflected(bought.day[live], shift) - bought.day[live])
        return {name: when}

    def detail(self) -> str:
        """Scale, and what moves together."""
        return f"each {self.by} moved by discrete Laplace noise of {self.scale:g} days in its month"


def _reflected(day: Days, shift: Rows) -> Rows:
    """The shifted days, reflected at the ends of their months."""
    month = day.astype("datetime64[D]").astype("datetime64[M]")
    first = month.astype("datetime64[D]").astype(np.int64)
    length = (month + 1).astype("datetime64[D]").astype(np.int64) - first
    place = (day - first + shift) % (2 * length)
    return first + np.where(place < length, place, 2 * length - 1 - place)
