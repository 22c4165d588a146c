"""People schema: the tables about people, how their rows belong together, and what orders them.

A person is a tree of rows. Keys and references say which rows belong together; they are not
attributes of people, so no column of a table has them.

The rows of all tables fit into one flat file, too. Its first columns say which table a row is of,
whose it is, its key and the key of the row above it. Every other column belongs to one table and is
empty in rows of the others.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from quintain.data.column import Column, without_remarks
from quintain.data.schema import FlatTable, Schema, TableLinks
from quintain.errors import DataError, Fault

TABLE, PERSON, ROW, OF = "table", "person", "row", "of"
"""The first columns of a flat file."""

_NOT_HERE = "(none)"
"""How a flat file writes "no value" in a column where an empty text is a value."""


class TableSchema(TableLinks):
    """One table about people: its links, and its columns without keys and references."""

    columns: tuple[Column, ...]

    @model_validator(mode="before")
    @classmethod
    def _without_remarks(cls, table: Any) -> Any:
        """A schema file may explain a table and say what it leaves out; neither is kept."""
        return without_remarks(table, "note", "left_out")

    @property
    def file_schema(self) -> Schema:
        """The columns of the file: the key and the reference as ids, and the others."""
        ids = (Column(name=name, kind="id", nullable=True) for name in self.links)
        return Schema(columns=(*ids, *self.columns))

    def flat_name(self, column: str) -> str:
        """The name of a column in a flat file."""
        return f"{self.name}.{column}"


class PeopleSchema(BaseModel):
    """The tables about people, each after the one to which its rows belong.

    >>> day = Column(name="day", kind="time")
    >>> visits = TableSchema(name="visits", columns=(day,), reference="patient", order=("day",))
    >>> PeopleSchema(tables=(visits,)).root is None
    True
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.schema/2"] = "quintain.schema/2"
    tables: tuple[TableSchema, ...]

    @model_validator(mode="before")
    @classmethod
    def _without_remarks(cls, table: Any) -> Any:
        """A schema file may have a caution and reasons; they are for people and not kept."""
        return without_remarks(table, "caution", "who", "left_out")

    @model_validator(mode="after")
    def _check_links(self) -> Self:
        faults = [] if self.tables else ["there is no table"]
        faults += _circles(self.tables)
        before: dict[str, TableSchema] = {}
        for table in self.tables:
            faults += _faults_of(table, before)
            before[table.name] = table
        roots = [table.name for table in self.tables if table.reference is None]
        if len(roots) > 1:
            faults.append(f"these tables have no reference, but only one may: {', '.join(roots)}")
        if faults:
            raise ValueError("; ".join(faults))
        return self

    @property
    def root(self) -> TableSchema | None:
        """The table with one row per person; None if there is none."""
        return next((table for table in self.tables if table.reference is None), None)

    def __getitem__(self, name: str) -> TableSchema:
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(name)

    def above(self, table: TableLinks) -> str:
        """The table to whose rows its rows belong; empty if they belong to people.

        The row of the root is the person, so what belongs to it belongs to the person.
        """
        root = self.root
        return "" if root is not None and table.parent == root.name else table.parent

    @property
    def parents(self) -> frozenset[str]:
        """The tables to whose rows those of other tables belong, beside the root."""
        return frozenset(self.above(table) for table in self.tables) - {""}

    def loose(self) -> PeopleSchema:
        """The same columns in tables whose rows belong to people directly; none is the root."""
        tables = (
            TableSchema(
                name=table.name,
                columns=table.columns,
                reference=free_name(table.columns),
                order=table.order,
            )
            for table in self.tables
        )
        return PeopleSchema(tables=tuple(tables))

    def flat(self, title: str = "") -> Schema:
        """The schema of a flat file with all these tables, which :meth:`of_flat` turns back.

        >>> day = Column(name="day", kind="time")
        >>> visits = TableSchema(name="visits", columns=(day,), reference="patient")
        >>> PeopleSchema(tables=(visits,)).flat().names
        ('table', 'person', 'row', 'of', 'visits.day')
        """
        dotted = [table.name for table in self.tables if "." in table.name]
        if dotted:
            message = "has a dot in its name, which ends the name of a table; rename it"
            raise DataError([Fault(message, name) for name in dotted])
        names = tuple(table.name for table in self.tables)
        columns = [
            Column(name=TABLE, kind="category", values=names, nullable=True),
            Column(name=PERSON, kind="id", role="person"),
            Column(name=ROW, kind="id", nullable=True),
            Column(name=OF, kind="id", nullable=True),
        ]
        tables = []
        for table in self.tables:
            columns += [_flat_column(column, table) for column in table.columns]
            links = table.model_dump(exclude={"columns"})
            required = tuple(column.name for column in table.columns if not column.nullable)
            tables.append(FlatTable(**links, required=required))
        return Schema(shape="people", title=title, columns=tuple(columns), tables=tuple(tables))

    @classmethod
    def of_flat(cls, schema: Schema) -> PeopleSchema:
        """The tables whose rows are in a flat file.

        An integer without bounds comes back as a real number, because integers without bounds
        cannot be missing.
        """
        if schema.tables is None:
            message = "has the shape people and no tables; make it from a schema of tables"
            raise DataError([Fault(message, schema.title or "the schema")])
        tables = []
        for links in schema.tables:
            first = f"{links.name}."
            columns = tuple(
                _own_column(column, first, links.required)
                for column in schema.columns
                if column.name.startswith(first)
            )
            names = {column.name for column in columns}
            facts = links.model_dump(exclude={"required"})
            facts["order"] = tuple(name for name in links.order if name in names)
            tables.append(TableSchema(**facts, columns=columns))
        return cls(tables=tuple(tables))


def free_name(columns: tuple[Column, ...]) -> str:
    """A name for a reference to people that no column has."""
    name = PERSON
    while name in {column.name for column in columns}:
        name += "_"
    return name


def _flat_column(column: Column, table: TableSchema) -> Column:
    """A column of a table as a flat file has it: empty in rows of other tables."""
    facts = column.model_dump() | {"name": table.flat_name(column.name), "nullable": True}
    if column.whole and not column.discrete:
        facts["kind"] = "real"
    if not column.missing and "" in column.values:
        facts["missing"] = _NOT_HERE
    return Column.model_validate(facts)


def _own_column(column: Column, first: str, required: tuple[str, ...]) -> Column:
    """A column of a flat file as its table has it."""
    name = column.name.removeprefix(first)
    facts: dict[str, Any] = {"name": name}
    if name in required:
        facts |= {"nullable": False, "missing": ""}
    return column.model_copy(update=facts)


def _faults_of(table: TableSchema, before: dict[str, TableSchema]) -> list[str]:
    """What is wrong with a table, if these are before it."""
    faults = []
    names = {column.name for column in table.columns}
    if table.name in before:
        faults.append(f"the table {table.name!r} appears twice")
    if table.parent and table.parent not in before and table.parent != table.name:
        faults.append(f"{table.name!r} belongs to {table.parent!r}, which must come before it")
    if table.parent in before and before[table.parent].key is None:
        faults.append(f"{table.name!r} belongs to {table.parent!r}, which has no key")
    if table.reference is None and (table.parent or table.key is None):
        faults.append(f"{table.name!r} has no reference, so it needs a key and has no parent")
    faults += [
        f"{table.name!r} is ordered by {name!r}, which it does not have"
        for name in table.order
        if name not in names
    ]
    faults += [
        f"{name!r} of {table.name!r} is a key or a reference, so it cannot be a column"
        for name in table.links
        if name in names
    ]
    return faults


def _circles(tables: tuple[TableSchema, ...]) -> list[str]:
    """The circles of tables each of which belongs to the next, in words."""
    above = {table.name: table.parent for table in tables}
    faults = []
    for name in above:
        way = [name]
        while way[-1] in above and above[way[-1]] not in ("", *way[1:]):
            way.append(above[way[-1]])
            if way[-1] == name:
                break
        if len(way) > 1 and way[-1] == name and name == min(way):
            faults.append(f"these tables belong to each other in a circle: {' -> '.join(way)}")
    return faults
