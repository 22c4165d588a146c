"""Trees: people as contests store them, all their tables in one flat file.

Readers of several tables use :class:`~quintain.data.people.People`. A contest stores one file per
data set, so here the same rows lie in one file, person after person, table after table.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from os import PathLike

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Array, Mask, Rows, array_bytes
from quintain.data.codec import missing_cells, missing_value
from quintain.data.column import Column
from quintain.data.columns import SHOWN, Columns
from quintain.data.people import NOBODY, Branch, People, link_rows, note_cells, number_names
from quintain.data.people_schema import OF, PERSON, ROW, TABLE, PeopleSchema, TableSchema
from quintain.data.schema import Schema
from quintain.data.table import Table
from quintain.errors import DataError, Faults
from quintain.wording.display import html_table


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Trees:
    """One tree of rows per person; ``len`` and ``take`` count people.

    The rows of each table lie person by person, and everybody has a key. Use :meth:`of` to make
    such data from people.

    Parameters
    ----------
    schema : the columns of the flat file, and how its tables belong together.
    people : everybody, with all their rows.

    >>> import pyarrow as pa
    >>> dose = Column(name="dose", kind="integer", low=0, high=9)
    >>> visits = TableSchema(name="visits", columns=(dose,), reference="patient")
    >>> table = pa.table({"patient": ["eve", "bob", "eve"], "dose": [1, 2, 3]})
    >>> trees = Trees.of(People.read(PeopleSchema(tables=(visits,)), {"visits": table}))
    >>> trees
    <Trees of 2 persons: visits 3 rows>
    >>> print(trees.to_rows().csv_bytes().decode(), end="")
    table,person,row,of,visits.dose
    visits,eve,,,1
    visits,eve,,,3
    visits,bob,,,2
    """

    schema: Schema
    people: People

    @classmethod
    def of(cls, people: People, title: str = "") -> Trees:
        """People as trees; rows that belong to nobody are left out."""
        schema = people.schema.flat(title)
        own = PeopleSchema.of_flat(schema)
        keys = np.arange(1, people.size + 1) if people.keys is None else people.keys
        places: dict[str, Rows] = {}
        tables: dict[str, Branch] = {}
        for table in own.tables:
            branch = people.tables[table.name]
            order = np.argsort(branch.person, kind="stable")
            rows = order[branch.person[order] >= 0]
            place = np.full(len(branch) + 1, NOBODY)  # the last place is nobody's
            place[rows] = np.arange(len(rows))
            places[table.name] = place
            person = branch.person[rows]
            parent = places[table.parent][branch.parent[rows]] if table.parent else person
            cells = {
                column.name: _plain(column, branch.rows.columns[column.name][rows])
                for column in table.columns
            }
            kept = Columns(_table_schema(table.columns), cells)
            tables[table.name] = Branch(kept, parent, person, people.size, table.order)
        return cls(schema, People(own, people.size, keys.astype(np.str_), tables))

    @classmethod
    def from_rows(cls, rows: Columns) -> Trees:
        """Trees from the rows of a flat file; raises with every row that belongs nowhere."""
        faults = Faults(rows.schema.title)
        trees = grow(rows, faults)
        faults.raise_if_any(DataError)
        assert trees is not None  # no trees without a fault
        return trees

    def to_rows(self) -> Columns:
        """The flat file: person after person, table after table, rows in their order."""
        people = self.people
        branches = [people.tables[table.name] for table in people.schema.tables]
        person = np.concatenate([*(branch.person for branch in branches), self._without_rows()])
        starts = np.cumsum([0, *(len(branch) for branch in branches)])
        table = np.full(len(person), -1)
        for code, (first, end) in enumerate(pairwise(starts)):
            table[first:end] = code
        order = np.lexsort((table, person))  # rows of a person keep their order
        row, above = self._row_keys(table, order, starts)
        columns: dict[str, Array] = {
            TABLE: table,
            PERSON: self._keys[person],
            ROW: row,
            OF: above,
        }
        for code, (own, branch) in enumerate(zip(people.schema.tables, branches, strict=True)):
            for column in own.columns:
                name = own.flat_name(column.name)
                cells = branch.rows.columns[column.name]
                columns[name] = np.full(len(person), missing_value(column), cells.dtype)
                columns[name][starts[code] : starts[code + 1]] = cells
        flat = {name: columns[name][order] for name in self.schema.names}
        return Columns(self.schema, flat)

    def to_tables(self) -> dict[str, Table]:
        """Each table as its own file has it, with its key and its reference."""
        people = self.people
        numbers = {
            name: np.arange(1, len(branch) + 1).astype(np.str_)
            for name, branch in people.tables.items()
        }
        tables = {}
        for table in people.schema.tables:
            branch = people.tables[table.name]
            columns: dict[str, Array] = dict(branch.rows.columns)
            above = people.schema.above(table)
            if table.reference is not None:
                names = numbers[above] if above else self._keys
                columns[table.reference] = names[branch.parent]
            if table.key is not None:
                root = table.reference is None
                columns[table.key] = self._keys if root else numbers[table.name]
            tables[table.name] = Table(table.file_schema, columns)
        return tables

    @property
    def _keys(self) -> Array:
        assert self.people.keys is not None  # trees are made with keys
        return self.people.keys

    def __len__(self) -> int:
        return self.people.size

    def take(self, persons: npt.ArrayLike) -> Trees:
        """The people with these numbers with all their rows, in that order."""
        chosen = np.asarray(persons)
        index = np.arange(len(self))[chosen if chosen.size else chosen.astype(np.int64)]
        return Trees.of(self.people.take(index), self.schema.title)

    def with_keys(self, keys: npt.ArrayLike) -> Trees:
        """The same people under other names."""
        names = np.asarray(keys).astype(np.str_)
        people = self.people
        return Trees(self.schema, People(people.schema, people.size, names, people.tables))

    def digest(self) -> str:
        """The SHA-256 of schema and content, to tell whether two data sets are equal."""
        hasher = hashlib.sha256(self.schema.model_dump_json().encode())
        rows = self.to_rows()
        for name in self.schema.names:
            hasher.update(array_bytes(rows.columns[name]))
        return hasher.hexdigest()

    def to_csv(self, path: PathLike[str] | str, *, replace: bool = False) -> None:
        """Write the flat file as CSV; a file that is there stays, unless ``replace``."""
        self.to_rows().to_csv(path, replace=replace)

    def __repr__(self) -> str:
        return f"<Trees of {len(self)} persons: {self._sizes()}>"

    def _repr_html_(self) -> str:
        first = self.take(np.arange(min(len(self), SHOWN))).to_rows()
        shown = first.take(np.arange(min(len(first), SHOWN))).records()
        note = f"{len(self)} persons, {self._sizes()}; the first rows are shown"
        return html_table(self.schema.names, [list(row.values()) for row in shown], note)

    def _sizes(self) -> str:
        return ", ".join(f"{name} {len(own)} rows" for name, own in self.people.tables.items())

    def _without_rows(self) -> Rows:
        """The people who have no row in any table."""
        lengths = sum(branch.lengths() for branch in self.people.tables.values())
        return np.flatnonzero(np.asarray(lengths) == 0)

    def _row_keys(self, table: Rows, order: Rows, starts: Rows) -> tuple[Array, Array]:
        """For each row its key, if others may belong to it, and the key of the row above it."""
        schema = self.people.schema
        codes = {own.name: code for code, own in enumerate(schema.tables)}
        keyed = np.isin(table, [codes[name] for name in schema.parents])
        numbers = np.zeros(len(table), np.int64)
        numbers[order] = np.cumsum(keyed[order])
        row = np.where(keyed, numbers.astype(np.str_), "")
        above = np.full(len(table), "", row.dtype)
        for own in schema.tables:
            parent = schema.above(own)
            if parent:
                first, end = starts[codes[own.name]], starts[codes[own.name] + 1]
                places = starts[codes[parent]] + self.people.tables[own.name].parent
                above[first:end] = row[places]
        return row, above


def grow(rows: Columns, faults: Faults) -> Trees | None:
    """Trees from the rows of a flat file; notes every row that belongs nowhere, and why."""
    before = faults.total
    own = PeopleSchema.of_flat(rows.schema)
    links = _flat_links(own)
    places = {
        table.name: np.flatnonzero(rows.columns[TABLE] == code)
        for code, table in enumerate(own.tables)
    }
    _note_cells_of_others(rows, own, faults)
    _note_rows_of_no_table(rows, own, faults)
    notes = {
        name: Faults(faults.file, lines=partial(_line_of, faults, at))
        for name, at in places.items()
    }
    read = {
        table.name: rows.take(places[table.name]).select(table.file_schema.names)
        for table in links.tables
    }
    keys = None if own.root is not None else number_names(rows, PERSON)[1]
    try:
        people = link_rows(links, read, notes, keys)
    except DataError as error:
        faults.extend(error.faults)
        faults.count(error.total - len(error.faults))
        return None
    for table in links.tables:
        if table.reference == OF:
            names = rows.columns[PERSON][places[table.name]].astype(np.str_)
            _note_strays(people, table, names, notes[table.name])
            faults.extend(notes[table.name])
    if faults.total > before:
        return None
    tables = {
        name: Branch(
            _with_own_names(branch.rows, own[name]), branch.parent, branch.person, branch.people
        )
        for name, branch in people.tables.items()
    }
    return Trees.of(People(own, people.size, people.keys, tables), rows.schema.title)


def _line_of(faults: Faults, places: Rows, row: int) -> int:
    """The line in the flat file of a row of one table."""
    return faults.line_of(int(places[row]))


def _flat_links(own: PeopleSchema) -> PeopleSchema:
    """The same tables with the names that columns, keys and references have in a flat file."""
    tables = []
    for table in own.tables:
        above = own.above(table)
        key = PERSON if table.reference is None else ROW if table.name in own.parents else None
        reference = None if table.reference is None else OF if above else PERSON
        columns = tuple(
            column.model_copy(update={"name": table.flat_name(column.name)})
            for column in table.columns
        )
        facts = {"parent": above, "key": key, "reference": reference}
        tables.append(TableSchema(name=table.name, columns=columns, **facts))
    return PeopleSchema(tables=tuple(tables))


def _note_cells_of_others(rows: Columns, own: PeopleSchema, faults: Faults) -> None:
    """Note values in columns of other tables, and empty cells where a table has none."""
    table = rows.columns[TABLE]
    names = (*(each.name for each in own.tables), "no table")  # the last one has code -1
    for code, each in enumerate(own.tables):
        for column in each.columns:
            flat = each.flat_name(column.name)
            absent = missing_cells(rows.schema[flat], rows.columns[flat])
            note_cells(
                faults,
                np.flatnonzero(~absent & (table != code)),
                flat,
                lambda row: f"expected an empty cell, because this is a row of {names[table[row]]}",
            )
            if not column.nullable:
                empty = np.flatnonzero(absent & (table == code))
                note_cells(faults, empty, flat, column.expected)
        if not own.above(each):
            given = np.flatnonzero((table == code) & (rows.columns[OF].astype(np.str_) != ""))
            message = f"expected an empty cell, because rows of {each.name} belong to people"
            note_cells(faults, given, OF, message)
        else:
            empty = np.flatnonzero((table == code) & (rows.columns[OF].astype(np.str_) == ""))
            message = f"expected the key of a row of {own.above(each)}"
            note_cells(faults, empty, OF, message)


def _note_rows_of_no_table(rows: Columns, own: PeopleSchema, faults: Faults) -> None:
    """Note rows without a table, unless they say that somebody has no row at all."""
    nameless = np.flatnonzero(rows.columns[TABLE] < 0)
    if own.root is None:
        names = rows.columns[PERSON]
        _, first = np.unique(names[nameless], return_index=True)
        alone = np.zeros(len(nameless), bool)
        alone[first] = True
        alone &= ~np.isin(names[nameless], names[rows.columns[TABLE] >= 0])
        nameless = nameless[~alone]
        message = "expected the table of the row; only somebody without any row has none"
    else:
        message = f"expected the table of the row; everybody has a row in {own.root.name}"
    note_cells(faults, nameless, TABLE, message)


def _note_strays(people: People, table: TableSchema, names: Array, faults: Faults) -> None:
    """Note rows that belong to a row of another person than they say."""
    assert people.keys is not None  # they were read with their names
    owner = people.keys[people.tables[table.name].person]
    stray: Mask = owner != names
    note_cells(
        faults,
        np.flatnonzero(stray),
        PERSON,
        lambda row: f"expected {str(owner[row])!r}, to whom the row of {table.parent} belongs",
        names,
    )


def _with_own_names(rows: Columns, table: TableSchema) -> Columns:
    """The cells of one table under the names that its columns have in its own file."""
    cells = {column.name: rows.columns[table.flat_name(column.name)] for column in table.columns}
    return Columns(_table_schema(table.columns), cells)


def _table_schema(columns: tuple[Column, ...]) -> Schema:
    """The columns of one table; a table may have none beside its key and its reference."""
    return Schema.model_construct(columns=columns)


def _plain(column: Column, cells: Array) -> Array:
    """Cells as trees store them: ids are texts, and what became a real number is one."""
    if column.identifying:
        return cells.astype(np.str_)
    return cells.astype(np.float64) if column.fractional else cells
