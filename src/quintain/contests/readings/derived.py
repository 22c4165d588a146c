"""Derived readings: computed from other readings of a release, by a formula or a plain mean."""

from __future__ import annotations

from math import fsum
from typing import Literal, Self

from pydantic import Field, model_validator

from quintain.contests.fields import Model
from quintain.measures import Direction, Reading, Readings
from quintain.rankings.formulas import evaluate, parse, readings_in
from quintain.rankings.formulas.lookups import ReleaseLookup
from quintain.rankings.formulas.text import FormulaText
from quintain.rankings.formulas.vector import reading_of

_FIGURES = ("value", "low", "high")


def _is_none(value: str | None) -> bool:
    return value is None


class Derived(Model):
    """A reading of a release that is computed from other readings.

    Parameters
    ----------
    by : the "mean" of the readings, or their "max" or "min".
    of : the names of readings of the release, or of earlier derived readings.
    formula : instead of ``by`` and ``of``, a formula over such readings.
    better : with a formula, whether "higher" or "lower" is better.
    """

    name: str
    by: Literal["mean", "max", "min"] | None = None
    of: tuple[str, ...] = ()
    formula: FormulaText | None = Field(default=None, exclude_if=_is_none)
    better: Direction | None = Field(default=None, exclude_if=_is_none)

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.formula is None:
            if self.by is None or not self.of:
                raise ValueError("give a formula, or by and of: how to combine which readings")
            if self.better is not None:
                raise ValueError("better belongs to a formula; by and of follow the first reading")
        elif self.by is not None or self.of:
            raise ValueError("give a formula, or by and of, but not both")
        elif self.better is None:
            raise ValueError('say which direction is better: better = "higher" or "lower"')
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The readings that it is computed from."""
        if self.formula is None:
            return self.of
        return tuple(dict.fromkeys(name.name for name in readings_in(parse(self.formula))))

    def reading(self, readings: Readings) -> Reading:
        """The computed reading; it is missing if one of the others is missing."""
        if self.formula is not None:
            result = evaluate(parse(self.formula), ReleaseLookup(readings))
            return reading_of(result, self.better or "higher")
        given = [readings[name] for name in self.of]
        better = given[0].better
        if not all(reading.measured for reading in given):
            return Reading.missing(better, f"needs {', '.join(self.of)}")
        value, low, high = (self._of([getattr(r, key) for r in given]) for key in _FIGURES)
        n = min(reading.n for reading in given)
        return Reading(value=value, low=low, high=high, n=n, better=better, method=self.by or "")

    def _of(self, values: list[float]) -> float:
        if self.by == "mean":
            return fsum(values) / len(values)
        return max(values) if self.by == "max" else min(values)
