"""Learning people: which tables of a data set belong together, and by which columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow.compute as pc

from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.data.people_schema import PeopleSchema, TableSchema
from quintain.errors import DataError, Fault


def learn_people(tables: Mapping[str, Any], person: str) -> PeopleSchema:
    """Learn the schema of several tables about the same people.

    A table in which nobody is named twice is the root. A column that names each row of one table
    once, and that another table has as well, is a key there and a reference here. Tables without
    such a reference belong to people by the column ``person``. The first time of a table orders
    its rows.

    Parameters
    ----------
    tables : files, data frames or tables, by name.
    person : the column that names people.

    >>> import pyarrow as pa
    >>> invoices = pa.table({"who": ["a", "a", "b"], "no": ["i", "j", "k"], "sum": [5, 7, 7]})
    >>> lines = pa.table({"no": ["i", "i", "k"], "item": ["tea", "jam", "tea"]})
    >>> schema = learn_people({"lines": lines, "invoices": invoices}, "who")
    >>> [(table.name, table.parent, table.key, table.reference) for table in schema.tables]
    [('invoices', '', 'no', 'who'), ('lines', 'invoices', None, 'no')]
    """
    given = {name: InputTable.of(table, name) for name, table in tables.items()}
    names = {name: table.names() for name, table in given.items()}
    keys = {
        column: name
        for name, columns in names.items()
        for column in columns
        if column != person
        and any(column in others for other, others in names.items() if other != name)
        and _names_rows(given[name], column)
    }
    roots = [name for name in given if person in names[name] and _names_rows(given[name], person)]
    links: dict[str, tuple[str, str | None]] = {}
    for name, columns in names.items():
        reference = next((c for c in columns if keys.get(c, name) != name), None)
        if name in roots[:1]:
            links[name] = ("", None)
        elif reference is not None:
            links[name] = (keys[reference], reference)
        elif person in columns:
            links[name] = ("", person)
    faults = [
        Fault(f"has no column {person!r}, and no column that names rows of another table", name)
        for name in given
        if name not in links
    ]
    if faults:
        raise DataError(faults)
    own_keys = {name: column for column, name in keys.items()}
    made = {
        name: _table_schema(given[name], link, person if link[1] is None else own_keys.get(name))
        for name, link in links.items()
    }
    order = _parents_first({name: parent for name, (parent, _) in links.items()})
    return PeopleSchema(tables=tuple(made[name] for name in order))


def _names_rows(table: InputTable, column: str) -> bool:
    """Whether each row has another text in a column, and none is empty."""
    cells = table.cells(column)
    return bool(cells.null_count == 0 and pc.count_distinct(cells).as_py() == len(cells))


def _table_schema(table: InputTable, link: tuple[str, str | None], key: str | None) -> TableSchema:
    """The schema of one table, whose ids are its key and its reference alone."""
    parent, reference = link
    columns = tuple(
        column
        for column in learn(table).schema.columns
        if column.name not in (key, reference) and column.kind != "id"
    )
    times = tuple(column.name for column in columns if column.kind == "time")
    return TableSchema(
        name=table.role,
        columns=columns,
        parent=parent,
        key=key,
        reference=reference,
        order=times[:1],
    )


def _parents_first(parents: Mapping[str, str]) -> list[str]:
    """The tables, each after the one to which it belongs."""
    order: list[str] = []
    while len(order) < len(parents):
        ready = [n for n, above in parents.items() if n not in order and above in ("", *order)]
        if not ready:
            raise DataError([Fault("these tables belong to each other", ", ".join(parents))])
        order += ready
    return order
