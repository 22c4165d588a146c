"""Readings of releases: measured, given from outside, or derived from others."""

from __future__ import annotations

from math import fsum
from typing import Literal, Self

from pydantic import Field, FiniteFloat, model_validator

from quintain.contests.fields import GatedTable
from quintain.measures import Direction, Reading, Readings
from quintain.rankings.formulas import evaluate, parse, readings_in
from quintain.rankings.formulas.lookups import ReleaseLookup
from quintain.rankings.formulas.text import FormulaText
from quintain.rankings.formulas.vector import reading_of

_FIGURES = ("value", "low", "high")


def _is_none(value: str | float | None) -> bool:
    return value is None


class Given(GatedTable):
    """A reading of releases that comes from outside.

    ``quintain rank --utility`` reads it from a file. In a contest, ``values`` has it; a release
    without a value was not measured.

    Parameters
    ----------
    values : the reading of each release, by the id of its entry or of its team.
    at_least, at_most : the gate of the reading.
    """

    name: str
    better: Direction
    values: dict[str, FiniteFloat] = Field(default_factory=dict)

    def reading(self, entry: str, owner: str | None) -> Reading:
        """The reading of an entry, or of the team that owns it."""
        for id in (entry, owner):
            if id is not None and id in self.values:
                return Reading.exact(self.values[id], 1, self.better)
        return Reading.missing(self.better, f"no {self.name} is given for {entry}")


class Derived(GatedTable):
    """A reading of a release that is computed from other readings.

    Parameters
    ----------
    by : the "mean" of the readings, or their "max" or "min".
    of : the names of readings of the release, or of earlier derived readings.
    formula : instead of ``by`` and ``of``, a formula over such readings.
    better : with a formula, whether "higher" or "lower" is better.
    at_least, at_most : the gate of the reading.
    """

    name: str
    by: Literal["mean", "max", "min"] | None = None
    of: tuple[str, ...] = ()
    formula: FormulaText | None = Field(default=None, exclude_if=_is_none)
    better: Direction | None = Field(default=None, exclude_if=_is_none)
    at_least: float | None = Field(default=None, exclude_if=_is_none)
    at_most: float | None = Field(default=None, exclude_if=_is_none)

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
