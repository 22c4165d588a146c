"""Given readings: numbers about releases that no measure computes, such as the marks of a jury."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

from pydantic import Field, FiniteFloat, model_validator

from quintain.contests.fields import Model
from quintain.contests.gate import Gate
from quintain.measures import Direction, Reading


class Given(Model):
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
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        Gate(at_least=self.at_least, at_most=self.at_most)  # raises if at_least is above at_most
        return self

    @property
    def gate(self) -> Gate:
        """The bounds within which the reading must be."""
        return Gate(at_least=self.at_least, at_most=self.at_most)

    def failures(self, reading: Reading) -> Iterator[str]:
        """One sentence for each bound that the reading fails."""
        return self.gate.failures(self.name, reading)

    def reading(self, entry: str, owner: str | None) -> Reading:
        """The reading of an entry, or of the team that owns it."""
        for id in (entry, owner):
            if id is not None and id in self.values:
                return Reading.exact(self.values[id], 1, self.better)
        return Reading.missing(self.better, f"no {self.name} is given for {entry}")
