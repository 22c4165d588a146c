"""Table: one row per person."""

from __future__ import annotations

from dataclasses import dataclass

from quintain.data.columns import Columns


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table(Columns):
    """Rows under a schema, one per person.

    >>> from quintain.data import Column, Schema, Table
    >>> schema = Schema(columns=(Column(name="sex", kind="category", values=("f", "m")),
    ...                          Column(name="age", kind="integer", low=17, high=90)))
    >>> table = Table.of(schema, {"sex": ["f", "m", "f"], "age": [40, 17, 90]})
    >>> table.columns["age"].tolist()
    [23, 0, 73]
    >>> table.take([2]).records()
    [{'sex': 'f', 'age': 90}]
    """
