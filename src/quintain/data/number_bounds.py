"""Bounds of a number: how an edition says which values are allowed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator


class NumberBounds(BaseModel):
    """Both ends are allowed; without them, every number is.

    >>> bounds = NumberBounds(at_least=0.5)
    >>> bounds.bounds, list(bounds.missed_by(0.2)), list(bounds.missed_by(0.5))
    ((('at least', 0.5),), [('at least', 0.5)], [])
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if any(math.isnan(bound) for _, bound in self.bounds):
            raise ValueError("at_least and at_most are numbers; every value would pass nan")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least {self.at_least} is above at_most {self.at_most}")
        return self

    @property
    def bounds(self) -> tuple[tuple[str, float], ...]:
        """Each bound in words and as a number."""
        both = (("at least", self.at_least), ("at most", self.at_most))
        return tuple((word, bound) for word, bound in both if bound is not None)

    def missed_by(self, value: float) -> Iterator[tuple[str, float]]:
        """The bounds that a number does not keep; nan keeps none."""
        for word, bound in self.bounds:
            if not (value >= bound if word == "at least" else value <= bound):
                yield word, bound
