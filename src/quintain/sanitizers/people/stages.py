"""Stages: the tables of people in the order in which they are drawn, ready to be counted.

The first stage has one row per person: the root, or nothing but numbers of rows. Every row also has
the number of rows that belong to it in each table below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Array, Rows
from quintain.data.people import Branch, People
from quintain.data.people_schema import PeopleSchema, TableSchema

EVERYBODY = ""
"""The name of the first stage if people have no root."""

GROWTH = 1.25
"""A bin of numbers of rows begins at least so many times later than the one before."""


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """One table.

    Parameters
    ----------
    name : the table.
    above : the stage to whose rows its rows belong; None if it is the first.
    table : the cells, under names that no other stage has, and the numbers of rows below.
    branch : the rows as people have them.
    """

    name: str
    above: str | None
    table: Table
    branch: Branch

    def under(self, table: Table) -> Stage:
        """The same rows with other cells."""
        return replace(self, table=table)


def number_name(table: str) -> str:
    """The column with the number of rows in a table."""
    return f"number of {table}"


def is_number(name: str) -> bool:
    """Whether a column has the numbers of rows in a table."""
    return name.startswith(number_name("")) and "." not in name


def own_name(table: str, column: str) -> str:
    """The name of a column that no column of another table has."""
    return f"{table}.{column}"


def above(schema: PeopleSchema, table: TableSchema) -> str | None:
    """The stage to whose rows the rows of a table belong; None if there is none."""
    if table.reference is None:
        return None
    return table.parent or (schema.root.name if schema.root else EVERYBODY)


def stages(people: People, most: int) -> dict[str, Stage]:
    """The stages of people; of rows that belong to nobody, nothing is left.

    Parameters
    ----------
    most : a row with more rows in one table below counts as one with so many.
    """
    everybody = people.take(np.arange(people.size))
    schema = everybody.schema
    out: dict[str, Stage] = {}
    if schema.root is None:
        row = np.arange(people.size)
        branch = Branch(Table(_schema(()), {}), row, row, people.size)
        out[EVERYBODY] = Stage(EVERYBODY, None, _widen(everybody, EVERYBODY, branch, most), branch)
    for table in schema.tables:
        branch = everybody.tables[table.name]
        wide = _widen(everybody, table.name, branch, most)
        out[table.name] = Stage(table.name, above(schema, table), wide, branch)
    return out


def _widen(people: People, name: str, branch: Branch, most: int) -> Table:
    """The cells of a table with the numbers of rows below."""
    columns: list[Column] = []
    cells: dict[str, Array] = {}
    for column in branch.rows.schema.columns:
        columns.append(column.model_copy(update={"name": own_name(name, column.name)}))
        cells[columns[-1].name] = branch.rows.columns[column.name]
    for table in people.schema.tables:
        if above(people.schema, table) == name:
            facts = {"name": number_name(table.name), "kind": "integer", "low": 0, "high": most}
            columns.append(Column.model_validate(facts))
            parent = people.tables[table.name].parent
            numbers = np.bincount(parent[parent >= 0], minlength=len(branch))
            cells[columns[-1].name] = np.minimum(numbers, most)
    return with_bins(Table(_schema(tuple(columns)), cells))


def with_bins(table: Table) -> Table:
    """The table with bins for its numbers of rows; no data decide on them but the bounds.

    >>> visits = Column(name=number_name("visits"), kind="integer", low=0, high=20)
    >>> with_bins(Table(Schema(columns=(visits,)), {visits.name: [3]})).schema[visits.name].edges
    (1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 9.0, 12.0, 15.0, 19.0)
    """
    return _recut(table, _edges)


def without_bins(table: Table) -> Table:
    """The table without bins for its numbers of rows, so that their bounds may change."""
    return _recut(table, lambda *_: None)


def _recut(table: Table, cut: Callable[[int, int], tuple[float, ...] | None]) -> Table:
    columns = []
    for column in table.schema.columns:
        if is_number(column.name):
            low, high = int(column.low or 0), int(column.high or 0)
            column = column.model_copy(update={"edges": cut(low, high)})
        columns.append(column)
    return Table(_schema(tuple(columns)), table.columns)


def _edges(low: int, high: int) -> tuple[float, ...] | None:
    edges = [low + 1]
    while edges[-1] < high:
        edges.append(max(edges[-1] + 1, int(np.ceil(GROWTH * edges[-1]))))
    return tuple(float(edge) for edge in edges if edge < high) or None


def _schema(columns: tuple[Column, ...]) -> Schema:
    """A schema that may have no columns."""
    return Schema.model_construct(columns=columns) if not columns else Schema(columns=columns)


def to_people(
    schema: PeopleSchema, cells: Mapping[str, Table], parents: Mapping[str, Rows], size: int
) -> People:
    """People from the cells of their stages and the rows to which these belong."""
    person: dict[str, Rows] = {EVERYBODY: np.arange(size)}
    tables: dict[str, Branch] = {}
    columns: dict[str, tuple[Column, ...]] = {}
    for table in schema.tables:
        at = above(schema, table)
        parent = np.arange(size) if at is None else parents[table.name]
        person[table.name] = parent if at is None else person[at][parent]
        drawn = cells[table.name]
        columns[table.name] = tuple(
            drawn.schema[own_name(table.name, c.name)].model_copy(update={"name": c.name})
            for c in table.columns
        )
        contents = {c.name: drawn.columns[own_name(table.name, c.name)] for c in table.columns}
        rows = Table(_schema(columns[table.name]), contents)
        tables[table.name] = Branch(rows, parent, person[table.name], size, table.order)
    own = PeopleSchema(
        tables=tuple(t.model_copy(update={"columns": columns[t.name]}) for t in schema.tables)
    )
    people = People(own, size, np.arange(1, size + 1).astype(np.str_), tables)
    if schema.root is not None:
        return people
    # Without a root, people are known by their rows alone.
    some = np.zeros(size, bool)
    for name in tables:
        some[person[name]] = True
    return people.take(np.flatnonzero(some))
