"""Top and bottom coding: replace extreme values by a bound."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from quintain.data import Column, Table
from quintain.data.arrays import Array
from quintain.errors import PartError
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.masking.columns import held_as, numeric
from quintain.sanitizers.masking.mask import Masking


@register("top-bottom-coding-v1")
class TopBottomCoding(Masking):
    """Moves numbers below a limit up to it, and numbers above a limit down to it.

    A limit that is not given is a quantile of the private data.

    Parameters
    ----------
    columns : the columns it is applied to; all with numbers if not given.
    low, high : the limits; None takes the quantile.
    share : the share of records that lies beyond a quantile, at most.

    References
    ----------
    Hundepool et al., Statistical Disclosure Control, Wiley (2012).
    """

    method: ClassVar[str] = "top and bottom coding"
    need: ClassVar[str] = "a number"

    low: float | None = None
    high: float | None = None
    share: Annotated[float, Field(ge=0, lt=0.5)] = 0.05

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"low {self.low} is above high {self.high}")
        return self

    def fits(self, column: Column) -> bool:
        """Numbers have a top and a bottom."""
        return numeric(column)

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Clip every column to its limits."""
        out = {}
        for name in names:
            column, numbers = data.schema[name], data.numbers(name)
            low, high = self._limits(column, numbers)
            beyond = (numbers < low) | (numbers > high)
            coded = held_as(column, np.clip(numbers, low, high))
            out[name] = np.where(beyond, coded, data.columns[name])
        return out

    def _limits(self, column: Column, numbers: npt.NDArray[np.float64]) -> tuple[float, float]:
        known = np.sort(numbers[~np.isnan(numbers)])
        if not len(known):
            return -np.inf, np.inf
        beyond = int(self.share * len(known))
        low = known[beyond] if self.low is None else self.low
        high = known[-1 - beyond] if self.high is None else self.high
        if column.kind == "integer":
            low, high = np.ceil(low), np.floor(high)
        if low > high:
            raise PartError(f"{self.id} of {column.name!r}: the limits {low:g} and {high:g} cross")
        for limit in (self.low, self.high):
            below = limit is not None and column.low is not None and limit < column.low
            above = limit is not None and column.high is not None and limit > column.high
            if below or above:
                raise PartError(
                    f"{self.id} of {column.name!r}: the limit {limit:g} is not in its domain"
                )
        return float(low), float(high)

    def detail(self) -> str:
        """The limits."""
        quantile = f"the {self.share:g} quantile"
        low = f"below {quantile}" if self.low is None else f"below {self.low:g}"
        high = f"above {quantile} from the top" if self.high is None else f"above {self.high:g}"
        return f"numbers {low} or {high} set to that limit"
