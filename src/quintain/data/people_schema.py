"""People schema: the tables about people, how their rows belong together, and what orders them.

A person is a tree of rows. Keys and references say which rows belong together; they are not
attributes of people, so no column of a table has them.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from quintain.data.schema import Column, Schema, without_remarks


class TableSchema(BaseModel):
    """One table about people.

    Parameters
    ----------
    name : what the table is called.
    columns : its columns, without keys and references.
    parent : the table to whose rows its rows belong; empty if they belong to people.
    key : the column of the file that names a row, if rows of other tables belong to it.
    reference : the column of the file that names the row of the parent, or the person. A table
        without a reference is the root: it has one row per person, and its key names people.
    order : the columns by which the rows of a person are ordered, such as a time.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    columns: tuple[Column, ...]
    parent: str = ""
    key: str | None = None
    reference: str | None = None
    order: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _without_remarks(cls, table: Any) -> Any:
        """A schema file may explain a table and say what it leaves out; neither is kept."""
        return without_remarks(table, "note", "left_out")

    @property
    def links(self) -> tuple[str, ...]:
        """The columns of the file that name rows: the key and the reference."""
        return tuple(dict.fromkeys(name for name in (self.key, self.reference) if name))

    @property
    def file_schema(self) -> Schema:
        """The columns of the file: the key and the reference as ids, and the others."""
        ids = (Column(name=name, kind="id", nullable=True) for name in self.links)
        return Schema(columns=(*ids, *self.columns))


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


def _faults_of(table: TableSchema, before: dict[str, TableSchema]) -> list[str]:
    """What is wrong with a table, if these are before it."""
    faults = []
    names = {column.name for column in table.columns}
    if table.name in before:
        faults.append(f"the table {table.name!r} appears twice")
    if table.parent and table.parent not in before:
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
