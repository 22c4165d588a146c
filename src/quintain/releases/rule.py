"""Rules that a release must keep to be accepted: its size, no repeated records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from quintain.data import Data, shape_of
from quintain.data.data_part import DataPart
from quintain.errors import Faults
from quintain.registry import register
from quintain.wording.languages import tell


class Rule(DataPart, ABC):
    """A condition that every valid release meets.

    Attributes
    ----------
    essential : whether a release that breaks the rule cannot be measured.
    """

    family: ClassVar[str] = "rule"
    shapes: ClassVar[tuple[str, ...]] = ("table", "transactions", "series", "people")
    essential: ClassVar[bool] = False

    @abstractmethod
    def check(self, original: Data, release: Data, faults: Faults) -> None:
        """Note every way in which the release breaks this rule."""

    def remarks(self, original: Data, release: Data) -> list[str]:
        """What the rule allows, but the team may not have meant; nothing by default."""
        return []


@register("rows-v1")
class RowsRule(Rule):
    """Requires between ``least`` and ``most`` records; if same is yes, as many as the original has.

    >>> from quintain.errors import Faults, SubmissionError
    >>> from quintain.releases import RowsRule
    >>> from quintain.testing.examples import example_table
    >>> original, faults = example_table(rows=9), Faults("release.csv")
    >>> RowsRule(least=10).check(original, original, faults)
    >>> faults.raise_if_any(SubmissionError)
    Traceback (most recent call last):
    ...
    quintain.errors.SubmissionError: release.csv: has 9 records; at least 10 are required

    Parameters
    ----------
    least : the smallest number of records.
    most : the largest number of records; no limit if not given.
    same : whether the release must have as many records as the original.
    """

    least: Annotated[int, Field(ge=0)] = 1
    most: Annotated[int, Field(ge=1)] | None = None
    same: bool = False

    @model_validator(mode="after")
    def _check_sort_rows(self) -> Self:
        if self.most is not None and self.least > self.most:
            raise ValueError(f"least {self.least} is above most {self.most}")
        return self

    def check(self, original: Data, release: Data, faults: Faults) -> None:
        """Note a fault if the number of records is out of bounds."""
        rows = len(release)
        if self.same and rows != len(original):
            faults.add(
                tell(
                    "has %(rows)s records; expected %(expected)s, as many as the original",
                    rows=rows,
                    expected=len(original),
                )
            )
        elif rows < self.least:
            faults.add(
                tell(
                    "has %(rows)s records; at least %(least)s are required",
                    rows=rows,
                    least=self.least,
                )
            )
        elif self.most is not None and rows > self.most:
            faults.add(
                tell("has %(rows)s records; the limit is %(most)s", rows=rows, most=self.most)
            )


@register("distinct-rows-v1")
class DistinctRows(Rule):
    """Requires that all records of a release differ.

    >>> from quintain.errors import Faults, SubmissionError
    >>> from quintain.releases import DistinctRows
    >>> from quintain.testing.examples import example_table
    >>> original, faults = example_table(rows=9), Faults("release.csv")
    >>> DistinctRows().check(original, original.take([4, 7, 4]), faults)
    >>> faults.raise_if_any(SubmissionError)
    Traceback (most recent call last):
    ...
    quintain.errors.SubmissionError: release.csv:3: repeats the record on line 1
    """

    def check(self, original: Data, release: Data, faults: Faults) -> None:
        """Note every record that is equal to an earlier one."""
        equal = shape_of(release).record_keys(release)
        if equal is None:
            return
        _, first, keys = np.unique(equal, return_index=True, return_inverse=True)
        repeats = np.flatnonzero(first[keys] != np.arange(len(release)))
        listed = repeats[: faults.room()]
        for row in listed.tolist():
            before = faults.line_of(int(first[keys][row]))
            faults.add(
                tell("repeats the record on line %(line)s", line=before), line=faults.line_of(row)
            )
        faults.count(len(repeats) - len(listed))
