"""Rules a release must keep before it is judged at all: sizes, distinctness."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from quintain.data import Data, Series
from quintain.data.schema import Shape
from quintain.errors import Faults
from quintain.registry import Part, register


class Rule(Part, ABC):
    """Something a valid release keeps to.

    Attributes
    ----------
    shapes : the kinds of data it is about.
    essential : whether a release that breaks it cannot even be measured.
    """

    family: ClassVar[str] = "rule"
    shapes: ClassVar[tuple[Shape, ...]] = ("table", "transactions", "series")
    essential: ClassVar[bool] = False

    @abstractmethod
    def check(self, original: Data, release: Data, faults: Faults) -> None:
        """Note every way in which the release breaks this rule."""


@register("rows-v1")
class RowsRule(Rule):
    """A release has between ``least`` and ``most`` records, or as many as the original."""

    least: Annotated[int, Field(ge=0)] = 1
    most: Annotated[int, Field(ge=1)] | None = None
    same: bool = False

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.most is not None and self.least > self.most:
            raise ValueError(f"least {self.least} is above most {self.most}")
        return self

    def check(self, original: Data, release: Data, faults: Faults) -> None:
        """Compare the number of records with the bounds."""
        rows = len(release)
        if self.same and rows != len(original):
            faults.add(f"has {rows} records; expected {len(original)}, as many as the original")
        elif rows < self.least:
            faults.add(f"has {rows} records; at least {self.least} are required")
        elif self.most is not None and rows > self.most:
            faults.add(f"has {rows} records; at most {self.most} are allowed")


@register("distinct-rows-v1")
class DistinctRows(Rule):
    """No two records of a release are the same."""

    def check(self, original: Data, release: Data, faults: Faults) -> None:
        """Find repeated records."""
        if isinstance(release, Series):
            return
        _, first, keys = np.unique(release.row_keys(), return_index=True, return_inverse=True)
        again = np.flatnonzero(first[keys] != np.arange(len(release)))
        listed = again[: faults.room()]
        for row in listed.tolist():
            before = faults.line_of(int(first[keys][row]))
            faults.add(f"repeats the record on line {before}", line=faults.line_of(row))
        faults.count(len(again) - len(listed))
