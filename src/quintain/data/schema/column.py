"""Column: one column of a data set, with its domain and its bins."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from quintain.data.schema.remarks import without_remarks
from quintain.data.schema.times import parse_time

Kind = Literal["category", "integer", "real", "time", "id"]

LARGEST_DOMAIN = 10_000_000
"""An integer with more possible values than this has no list of values."""

MOST_BINS = 100_000
"""The limit on the number of bins of a column."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def optional_field() -> Any:
    """A field that files leave out while it is not set, so that older files do not change."""
    return Field(default=None, exclude_if=lambda value: value is None)


class Column(BaseModel):
    """One column, and the values that it may have.

    Parameters
    ----------
    name : the header of the column.
    kind : category (one of ``values``), integer, real, time (text in ``time_format``) or id.
    values : the categories; the first has code 0, the second code 1, and so on.
    ordered : whether the order of the categories has a meaning.
    low, high : the smallest and the largest number allowed, both included.
    unit : what a number counts, for readers: "years", "hours".
    role : what the column is for: "person", "household", "customer", "time", "item", "secret".
    nullable : whether a value may be missing.
    missing : how files write a missing value; by default, as an empty cell.
    earliest, latest : the first and the last time allowed, written in ``time_format``.
    bins : the number of bins into which parts that need a finite domain cut the column.
    edges : the numbers at which bins begin instead, between ``low`` and ``high``, in order.
    step : the distance between neighbouring values after such a part, counted from ``low`` or
        ``earliest``: 0.5 rounds to halves. For times, a number of days, or of the smallest unit
        of ``time_format``.
    aliases : other names of the column that the header of a file may have.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    ordered: bool = False
    low: float | None = None
    high: float | None = None
    unit: str = ""
    role: str = ""
    nullable: bool = False
    missing: str = ""
    time_format: str = "%Y-%m-%d"
    earliest: str | None = optional_field()
    latest: str | None = optional_field()
    bins: int | None = optional_field()
    edges: tuple[float, ...] | None = optional_field()
    step: float | None = optional_field()
    aliases: tuple[str, ...] | None = optional_field()

    @model_validator(mode="before")
    @classmethod
    def _without_note(cls, table: Any) -> Any:
        """A schema file may explain a column in ``note``; it is for people and not kept."""
        return without_remarks(table, "note", "learned")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.kind == "category" and not self.values:
            raise ValueError(f"category {self.name!r} needs its list of values")
        if self.kind != "category" and self.values:
            raise ValueError(f"{self.name!r} is not a category, so it cannot have a list of values")
        if len(set(self.values)) != len(self.values):
            raise ValueError(f"category {self.name!r} lists a value twice")
        if any(_CONTROL.search(value) for value in self.values):
            raise ValueError(f"a value of category {self.name!r} contains a control character")
        if self.missing and not self.nullable:
            raise ValueError(
                f"{self.name!r} is not nullable, so missing = {self.missing!r} has no effect; "
                "leave it out"
            )
        if _CONTROL.search(self.missing):
            raise ValueError(f"{self.name!r}: missing contains a control character")
        if self.nullable and self.missing in self.values:
            text = repr(self.missing) if self.missing else "the empty text"
            raise ValueError(f"{self.name!r} is nullable: {text} means missing, so drop this value")
        return self

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        for bound in (self.low, self.high):
            if bound is not None and not math.isfinite(bound):
                raise ValueError(f"{self.name!r}: {bound} is not a bound; leave it out")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"{self.name!r}: low {self.low} is above high {self.high}")
        if self.kind == "integer" and self.nullable and not self.discrete:
            raise ValueError(
                f"{self.name!r} is a nullable integer, so it needs low and high, less than "
                f"{LARGEST_DOMAIN} apart"
            )
        if self.kind == "integer":
            for bound in (self.low, self.high):
                if bound is not None and bound != int(bound):
                    raise ValueError(f"{self.name!r} is an integer, so its bound cannot be {bound}")
        return self

    @model_validator(mode="after")
    def _times_in_order(self) -> Self:
        given = {"earliest": self.earliest, "latest": self.latest}
        for field, text in given.items():
            if text is not None and self.kind != "time":
                raise ValueError(f"{self.name!r} is not a time, so it cannot have {field}")
            if text is not None and parse_time(text, self.time_format) is None:
                raise ValueError(
                    f"{self.name!r}: {field} = {text!r} is not a time written {self.time_format}"
                )
        first, last = self.bounds if self.kind == "time" else (None, None)
        if first is not None and last is not None and first > last:
            raise ValueError(f"{self.name!r}: earliest {self.earliest} is after {self.latest}")
        return self

    @model_validator(mode="after")
    def _cut_into_bins(self) -> Self:
        fields = {"bins": self.bins, "edges": self.edges, "step": self.step}
        field = next((name for name, value in fields.items() if value is not None), None)
        if field is None:
            return self
        if self.kind not in ("integer", "real", "time"):
            raise ValueError(
                f"{self.name!r} has no numbers and no times, so it cannot have {field}"
            )
        if not self.bounded:
            names = "earliest and latest" if self.kind == "time" else "low and high"
            raise ValueError(f"{self.name!r} has {field}, so it needs {names}")
        if self.bins is not None and not 1 <= self.bins <= MOST_BINS:
            raise ValueError(f"{self.name!r}: bins is {self.bins}; the limit is 1 to {MOST_BINS}")
        if self.edges is not None:
            self._edges_in_order(self.edges)
        if self.step is not None and not (math.isfinite(self.step) and self.step > 0):
            raise ValueError(f"{self.name!r}: step is {self.step}; it must be above 0")
        if self.step is not None and self.kind != "real" and self.step != int(self.step):
            raise ValueError(f"{self.name!r}: step is {self.step}; it must be a whole number")
        return self

    def _edges_in_order(self, edges: tuple[float, ...]) -> None:
        if self.bins is not None:
            raise ValueError(f"{self.name!r} has bins and edges; give one of them")
        if self.kind == "time":
            raise ValueError(f"{self.name!r} is a time, so it cannot have edges; give bins")
        row = (self.low, *edges, self.high)
        if not all(a is not None and b is not None and a < b for a, b in pairwise(row)):
            raise ValueError(
                f"{self.name!r}: edges must be numbers between {self.low} and {self.high}, each "
                "above the one before"
            )

    @property
    def discrete(self) -> bool:
        """Whether the domain has a finite list of values: a category, or a bounded integer."""
        if self.kind == "category":
            return True
        if self.kind != "integer" or self.low is None or self.high is None:
            return False
        return self.high - self.low < LARGEST_DOMAIN

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The smallest and the largest number allowed; for a time, in seconds since 1970."""
        if self.kind != "time":
            return self.low, self.high
        first, last = (
            None if text is None else parse_time(text, self.time_format)
            for text in (self.earliest, self.latest)
        )
        return first, last

    @property
    def bounded(self) -> bool:
        """Whether the column can be cut into bins, or has a finite list of values already."""
        return self.kind == "category" or (self.kind != "id" and None not in self.bounds)

    @property
    def size(self) -> int:
        """The number of values in the domain of a discrete column."""
        if self.kind == "category":
            return len(self.values)
        if self.low is None or self.high is None:
            raise ValueError(f"column {self.name!r} has no finite domain")
        return int(self.high) - int(self.low) + 1

    @property
    def offset(self) -> int:
        """The integer that code 0 stands for."""
        return int(self.low) if self.kind == "integer" and self.low is not None else 0

    @property
    def expected(self) -> str:
        """What a cell must be, in words for an error message."""
        words = {
            "category": f"one of {len(self.values)} values such as {', '.join(self.values[:3])}",
            "integer": "an integer" + self._range(),
            "real": "a number" + self._range(),
            "time": f"a time written {self.time_format}" + self._range(),
            "id": "an identifier without control characters",
        }[self.kind]
        return f"expected {words}" + (f", or {self.missing or 'empty'}" if self.nullable else "")

    def _range(self) -> str:
        def show(bound: float | str) -> str:
            return str(int(bound)) if not isinstance(bound, str) and bound % 1 == 0 else str(bound)

        first, last = (self.earliest, self.latest) if self.kind == "time" else (self.low, self.high)
        if first is not None and last is not None:
            return f" in {show(first)}..{show(last)}"
        if first is not None:
            return f" of at least {show(first)}"
        return f" of at most {show(last)}" if last is not None else ""
