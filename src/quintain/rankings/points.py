"""Points: how a share becomes the number that a board shows."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from quintain.measures import Reading

_DECIMALS = 9
"""Sums of decimal fractions miss whole numbers by rounding errors far below this."""


class Points(BaseModel):
    """A scale for scores, and how to round the digits after the decimal point.

    >>> Points(scale=1000, whole="floor").of(0.12667)
    126.0
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scale: Annotated[float, Field(gt=0)] = 1.0
    whole: Literal["no", "floor", "nearest"] = "no"

    def of(self, value: float) -> float:
        """The points that a value gives, scaled and rounded."""
        points = round(value * self.scale, _DECIMALS)
        if self.whole == "no" or not math.isfinite(points):
            return points
        return float(math.floor(points) if self.whole == "floor" else math.floor(points + 0.5))

    def of_reading(self, reading: Reading) -> Reading:
        """A reading with value and interval in points."""
        update = {key: self.of(getattr(reading, key)) for key in ("value", "low", "high")}
        return reading.model_copy(update=update)
