"""Gate: the bounds within which a reading must be, so that the release counts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from quintain.measures import Reading


class Gate(BaseModel):
    """Bounds on a reading of a release; a release that fails one does not count.

    >>> gate = Gate(at_most=5)
    >>> reading = Reading(value=6, low=5, high=7, n=9, better="lower")
    >>> list(gate.failures("ratio", reading))
    ['ratio is 6, must be at most 5 (off by 1)']
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if any(math.isnan(bound) for _, bound in self.bounds):
            raise ValueError("at_least and at_most are numbers; every reading would pass nan")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least {self.at_least} is above at_most {self.at_most}")
        return self

    @property
    def bounds(self) -> tuple[tuple[str, float], ...]:
        """The bounds of the gate, each in words and as a number."""
        both = (("at least", self.at_least), ("at most", self.at_most))
        return tuple((word, bound) for word, bound in both if bound is not None)

    def failures(self, name: str, reading: Reading) -> Iterator[str]:
        """One sentence for each bound that a reading fails, with the difference."""
        for word, bound in self.bounds:
            if not reading.measured:
                yield f"{name} could not be measured: {reading.note}"
            elif reading.value < bound if word == "at least" else reading.value > bound:
                gap = abs(reading.value - bound)
                yield f"{name} is {reading.value:.4g}, must be {word} {bound:g} (off by {gap:.2g})"
