"""Coding: a table of any columns as a table of discrete columns, and back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from quintain.data.arrays import Array, Codes
from quintain.data.coding.bins import Bins
from quintain.data.coding.groups import Groups
from quintain.data.schema import Column, Schema
from quintain.data.table import Table
from quintain.errors import DataError, Faults


class ColumnCoding(Protocol):
    """How the contents of one column become codes 0, 1, 2 ...; -1 is a missing value."""

    @property
    def count(self) -> int:
        """The number of codes, without that of missing values."""
        ...

    def encode(self, contents: Array) -> Codes:
        """Column contents as codes."""
        ...

    def decode(self, codes: Codes, rng: np.random.Generator) -> Array:
        """Codes as column contents."""
        ...


@dataclass(frozen=True, eq=False)
class Coding:
    """How a table becomes codes, column by column; columns that need no coding stay as they are.

    A table whose columns are all discrete and never missing is its own code: the same object.

    >>> schema = Schema(columns=(
    ...     Column(name="sex", kind="category", values=("f", "m"), nullable=True),
    ...     Column(name="bmi", kind="real", low=10, high=60, bins=5),
    ... ))
    >>> table = Table.of(schema, {"sex": ["m", None], "bmi": [22.5, 60.0]})
    >>> coding = Coding.of(schema)
    >>> codes = coding.encode(table)
    >>> codes.codes().tolist(), [column.size for column in codes.schema.columns]
    ([[1, 1], [2, 4]], [3, 5])
    >>> coding.decode(codes, np.random.default_rng(1)).records()
    [{'sex': 'm', 'bmi': 25.12}, {'sex': None, 'bmi': 59.5}]

    Parameters
    ----------
    schema : the columns of the table.
    columns : the coding of every column that is not stored as codes, or whose codes are to change.
    missing_code : whether missing values get a code of their own, after all others. Otherwise they
        stay -1, and their column stays nullable.
    """

    schema: Schema
    columns: Mapping[str, ColumnCoding]
    missing_code: bool = True

    @classmethod
    def of(cls, schema: Schema, *, missing_code: bool = True, also: Collection[str] = ()) -> Coding:
        """The coding by the bins of the schema, which costs no privacy.

        Categories keep their codes, and so do bounded integers whose schema asks for no bins. A
        column without bounds is refused, because bounds must not come from private data. ``also``
        names further columns of integers to cut.
        """
        advice = schema.unbounded()
        if advice:
            faults = Faults()
            faults.add(f"these columns cannot be cut into bins: {advice}")
            raise DataError(faults.findings)
        columns = {c.name: Bins.of(c) for c in schema.columns if needs_bins(c) or c.name in also}
        return cls(schema, columns, missing_code)

    @cached_property
    def coded(self) -> Schema:
        """The schema of the codes."""
        columns = tuple(self._coded(column) for column in self.schema.columns)
        return self.schema if columns == self.schema.columns else self._schema(columns)

    def encode(self, table: Table) -> Table:
        """The codes of a table."""
        if self.coded is self.schema:
            return table
        return Table(self.coded, {c.name: self._encode(c, table) for c in self.schema.columns})

    def decode(self, codes: Table, rng: np.random.Generator) -> Table:
        """A table with these codes; values are drawn within their bin or group."""
        if self.coded is self.schema:
            return codes
        return Table(
            self.schema, {c.name: self._decode(c, codes, rng) for c in self.schema.columns}
        )

    def _schema(self, columns: tuple[Column, ...]) -> Schema:
        return Schema(shape=self.schema.shape, title=self.schema.title, columns=columns)

    def _coded(self, column: Column) -> Column:
        extra = column.nullable and self.missing_code
        coding = self.columns.get(column.name)
        if coding is None and not extra:
            return column
        nullable = column.nullable and not extra
        facts = {"name": column.name, "role": column.role, "nullable": nullable}
        if column.kind == "category":
            names = coding.names if isinstance(coding, Groups) else column.values
            values = [*names, *(["missing"] if extra else [])]
            return Column.model_validate({**facts, "kind": "category", "values": _distinct(values)})
        size = (column.size if coding is None else coding.count) + extra
        return Column.model_validate({**facts, "kind": "integer", "low": 0, "high": size - 1})

    def _encode(self, column: Column, table: Table) -> Array:
        contents, coding = table.columns[column.name], self.columns.get(column.name)
        codes = contents if coding is None else coding.encode(contents)
        if not (column.nullable and self.missing_code):
            return codes
        return np.where(codes < 0, self.coded[column.name].size - 1, codes)

    def _decode(self, column: Column, table: Table, rng: np.random.Generator) -> Array:
        codes, coding = table.columns[column.name], self.columns.get(column.name)
        if column.nullable and self.missing_code:
            codes = np.where(codes == self.coded[column.name].size - 1, -1, codes)
        return codes if coding is None else coding.decode(codes, rng)


def needs_bins(column: Column) -> bool:
    """Whether a column is cut into bins: it has no finite domain, or its schema asks for bins."""
    fields = (column.bins, column.edges, column.step)
    return not column.discrete or any(value is not None for value in fields)


def _distinct(values: list[str]) -> list[str]:
    """The names with a mark where a name of the schema is used for a group or a missing value."""
    used: set[str] = set()
    for at in range(len(values)):
        while values[at] in used:
            values[at] += "*"
        used.add(values[at])
    return values
