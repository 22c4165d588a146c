"""Top and bottom coding: replace extreme numbers by a limit."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Array
from quintain.data.codec import encode_values, missing_cells
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.masking.mask import Masking, as_stored, numeric


@register("top-bottom-coding-v1")
class TopBottomCoding(Masking):
    """Raises numbers below the low limit to it, and lowers numbers above the high limit to it.

    A limit that is not given is a quantile of the private data. Times are coded, too, if their
    column is named; a limit is then a text such as "1950-01-01". A missing value stays missing.

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

    low: float | str | None = None
    high: float | str | None = None
    share: Annotated[float, Field(ge=0, lt=0.5)] = 0.05

    @model_validator(mode="after")
    def _check_sort_rows(self) -> Self:
        low, high = self.low, self.high
        if isinstance(low, float) and isinstance(high, float) and low > high:
            raise ValueError(f"low {low} is above high {high}")
        return self

    def fits(self, column: Column) -> bool:
        """Whether the column has numbers, or times and is named."""
        return numeric(column) or (column.temporal and column.name in (self.columns or ()))

    def require(self, schema: Schema) -> None:
        """A limit must be a number for numbers, and a time for times, inside the domain."""
        super().require(schema)
        for name in self.choose_columns(schema):
            self._given_limits(schema[name])

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Clip the numbers of every chosen column to its limits."""
        return {name: self._code(data, name) for name in names}

    def _code(self, data: Table, name: str) -> Array:
        column, stored = data.schema[name], data.columns[name]
        missing = missing_cells(column, stored)
        if column.temporal:
            low, high = self._limits(column, stored[~missing].astype(np.float64))
            return np.where(missing, stored, np.clip(stored, int(low), int(high)))
        numbers = data.numbers(name)
        low, high = self._limits(column, numbers[~missing])
        beyond = (numbers < low) | (numbers > high)
        return np.where(beyond, as_stored(column, np.clip(numbers, low, high)), stored)

    def _given_limits(self, column: Column) -> tuple[float | None, float | None]:
        """The limits of a column as given; refuse those that are not in its domain."""
        limits = [self._limit(column, limit) for limit in (self.low, self.high)]
        for limit, text in zip(limits, (self.low, self.high), strict=True):
            if limit is None or column.temporal:
                continue
            below = column.low is not None and limit < column.low
            if below or (column.high is not None and limit > column.high):
                raise PartError(
                    f"{self.id}: column {column.name!r}: the limit {text:g} is not in the domain "
                    f"from {column.low} to {column.high}"
                )
        return limits[0], limits[1]

    def _limit(self, column: Column, limit: float | str | None) -> float | None:
        if limit is None:
            return None
        if column.temporal != isinstance(limit, str):
            kind = "a time such as '2020-01-31'" if column.temporal else "a number"
            raise PartError(
                f"{self.id}: column {column.name!r}: the limit must be {kind}, not {limit!r}"
            )
        if isinstance(limit, float):
            return limit
        try:
            return float(encode_values(column, [limit])[0])
        except ValueError as error:
            raise PartError(f"{self.id}: the limit of column {error}") from None

    def _limits(self, column: Column, known: npt.NDArray[np.float64]) -> tuple[float, float]:
        given = self._given_limits(column)
        known = np.sort(known)
        if not len(known):
            return -1.0, 1.0  # nothing is beyond
        beyond = int(self.share * len(known))
        low = known[beyond] if given[0] is None else given[0]
        high = known[-1 - beyond] if given[1] is None else given[1]
        if column.whole:
            low, high = np.ceil(low), np.floor(high)
        if low > high:
            raise PartError(
                f"{self.id}: column {column.name!r}: the low limit {low:g} is above the high "
                f"limit {high:g}"
            )
        return float(low), float(high)

    def detail(self) -> str:
        """The two limits in words."""
        low = f"the {self.share:g} quantile" if self.low is None else _words(self.low)
        high = f"the {1 - self.share:g} quantile" if self.high is None else _words(self.high)
        return f"numbers below {low} or above {high} set to that limit"


def _words(limit: float | str) -> str:
    return limit if isinstance(limit, str) else f"{limit:g}"
