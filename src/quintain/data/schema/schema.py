"""Schema: the columns of a data set, with their domains, units and roles.

The domain belongs to the schema, never to the data. A release must not reveal which categories
occur in a private sample, or what its largest age is.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from quintain.data.schema.column import Column, Kind
from quintain.data.schema.remarks import without_remarks
from quintain.display import html_table

Shape = Literal["table", "transactions", "series"]

_BOUNDS: dict[Kind, str] = {
    "real": "give low and high for {}",
    "integer": "give low and high for {}",
    "time": "give earliest and latest for {}",
    "id": "leave out the ids {}",
}


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

    @model_validator(mode="before")
    @classmethod
    def _without_remarks(cls, table: Any) -> Any:
        """A schema file may have a caution and say what it left out; neither is kept."""
        return without_remarks(table, "caution", "left_out")

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

    def unbounded(self) -> str:
        """Advice about columns that cannot be cut into bins; empty if there are none.

        >>> Schema(columns=(Column(name="bmi", kind="real", low=10),)).unbounded()
        'give low and high for bmi'
        """
        advice: dict[str, list[str]] = {}
        for kind, sentence in _BOUNDS.items():
            names = [c.name for c in self.columns if c.kind == kind and not c.bounded]
            if names:
                advice.setdefault(sentence, []).extend(names)
        return "; ".join(text.format(", ".join(names)) for text, names in advice.items())

    def _repr_html_(self) -> str:
        rows = [(c.name, c.kind, _domain(c), c.role) for c in self.columns]
        return html_table(("column", "kind", "domain", "role"), rows)


def _domain(column: Column) -> str:
    return re.sub(r"^expected (an? )?", "", column.expected)
