"""Schema: the columns of a data set, with their domains, units and roles.

The domain belongs to the schema, never to the data. A release must not reveal which categories
occur in a private sample, or what its largest age is.
"""

from __future__ import annotations

import math
import re
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from quintain.display import html_table

Kind = Literal["category", "integer", "real", "time", "id"]
Shape = Literal["table", "transactions", "series"]

LARGEST_DOMAIN = 10_000_000
"""An integer with more possible values than this has no list of values."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


_ADVICE: dict[Kind, str] = {
    "real": "cut the real numbers of {} into classes, or round them and give low and high",
    "integer": f"give low and high for {{}}, less than {LARGEST_DOMAIN} apart",
    "time": "replace the times of {} by classes such as months",
    "id": "leave out the ids {}",
}


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

    @property
    def discrete(self) -> bool:
        """Whether the domain has a finite list of values: a category, or a bounded integer."""
        if self.kind == "category":
            return True
        if self.kind != "integer" or self.low is None or self.high is None:
            return False
        return self.high - self.low < LARGEST_DOMAIN

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
            "time": f"a time written {self.time_format}",
            "id": "an identifier without control characters",
        }[self.kind]
        return f"expected {words}" + (f", or {self.missing or 'empty'}" if self.nullable else "")

    def _range(self) -> str:
        def show(bound: float) -> str:
            return str(int(bound)) if bound == int(bound) else str(bound)

        if self.low is not None and self.high is not None:
            return f" in {show(self.low)}..{show(self.high)}"
        if self.low is not None:
            return f" of at least {show(self.low)}"
        return f" of at most {show(self.high)}" if self.high is not None else ""


class Schema(BaseModel):
    """The columns of a data set, in order, and the shape of its records.

    The shape is one of ``table`` (one row per person), ``transactions`` (many rows per person, each
    with a time) and ``series`` (one irregular multivariate time series per person).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.schema/1"] = "quintain.schema/1"
    shape: Shape = "table"
    title: str = ""
    columns: tuple[Column, ...]

    @field_validator("columns")
    @classmethod
    def _distinct(cls, columns: tuple[Column, ...]) -> tuple[Column, ...]:
        names = [column.name for column in columns]
        twice = sorted({name for name in names if names.count(name) > 1})
        if not columns:
            raise ValueError("a schema needs at least one column")
        if twice:
            raise ValueError(f"these column names appear twice: {', '.join(twice)}")
        return columns

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"unknown column {name!r}; available: {', '.join(self.names)}")

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def role(self, role: str) -> Column | None:
        """The first column with this role, or None."""
        return next((column for column in self.columns if column.role == role), None)

    @property
    def attributes(self) -> tuple[Column, ...]:
        """The columns that describe people: all except ids."""
        return tuple(column for column in self.columns if column.kind != "id")

    @property
    def private(self) -> Schema:
        """The columns that sanitizers see: in a plain table, all but the ids."""
        if self.shape != "table":
            return self
        return self.select([column.name for column in self.attributes])

    def select(self, names: tuple[str, ...] | list[str]) -> Schema:
        """The schema with only these columns, in this order."""
        return self.model_copy(update={"columns": tuple(self[name] for name in names)})

    def drop(self, *names: str) -> Schema:
        """The schema without these columns."""
        return self.select([name for name in self.names if name not in names])

    def extended(self, *columns: Column) -> Schema:
        """The schema with further columns in front."""
        return Schema(shape=self.shape, title=self.title, columns=(*columns, *self.columns))

    def open_domains(self) -> str:
        """Advice about columns without a finite list of values; empty if there are none.

        >>> Schema(columns=(Column(name="bmi", kind="real", low=10, high=60),)).open_domains()
        'cut the real numbers of bmi into classes, or round them and give low and high'
        """
        advice = []
        for kind, words in _ADVICE.items():
            names = [c.name for c in self.columns if c.kind == kind and not c.discrete]
            if names:
                advice.append(words.format(", ".join(names)))
        return "; ".join(advice)

    def _repr_html_(self) -> str:
        rows = [(c.name, c.kind, _domain(c), c.role) for c in self.columns]
        return html_table(("column", "kind", "domain", "role"), rows)


def _domain(column: Column) -> str:
    return re.sub(r"^expected (an? )?", "", column.expected)
