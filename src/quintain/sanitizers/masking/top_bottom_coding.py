"""Top and bottom coding: replace extreme numbers by a limit."""

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
from quintain.sanitizers.masking.columns import as_stored, numeric
from quintain.sanitizers.masking.mask import Masking


@register("top-bottom-coding-v1")
class TopBottomCoding(Masking):
    """Raises numbers below the low limit to it, and lowers numbers above the high limit to it.

    A limit that is not given is a quantile of the private data.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> people = q.Table.of(q.Schema(columns=(age,)), {"age": [21, 34, 35, 36, 90]})
    >>> release = q.sanitize("top-bottom-coding", people, low=25, high=65)
    >>> [record["age"] for record in release.data.records()]
    [25, 34, 35, 36, 65]

    Parameters
    ----------
    columns : the columns to change; all columns with numbers if not given.
    low, high : the limits; a quantile if not given.
    share : the largest share of records that may lie beyond a quantile.

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
        """Whether the column has numbers, which can be extreme."""
        return numeric(column)

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Clip the numbers of every chosen column to its limits."""
        out = {}
        for name in names:
            column, numbers = data.schema[name], data.numbers(name)
            low, high = self._limits(column, numbers)
            beyond = (numbers < low) | (numbers > high)
            coded = as_stored(column, np.clip(numbers, low, high))
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
            raise PartError(
                f"{self.id}: column {column.name!r}: the low limit {low:g} is above the high "
                f"limit {high:g}"
            )
        for limit in (self.low, self.high):
            below = limit is not None and column.low is not None and limit < column.low
            above = limit is not None and column.high is not None and limit > column.high
            if below or above:
                raise PartError(
                    f"{self.id}: column {column.name!r}: the limit {limit:g} is not in the domain "
                    f"from {column.low} to {column.high}"
                )
        return float(low), float(high)

    def detail(self) -> str:
        """The two limits in words."""
        low = f"the {self.share:g} quantile" if self.low is None else f"{self.low:g}"
        high = f"the {1 - self.share:g} quantile" if self.high is None else f"{self.high:g}"
        return f"numbers below {low} or above {high} set to that limit"
