"""People: everybody in a data set, each with all the rows that belong to them.

A person is a tree of rows: visits belong to a patient, lines to an invoice, and invoices to a
customer. Rows stay in the order of their file, and the tree is an index beside them. So the rows of
a person are a slice of that index, ragged, without padding.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from quintain.data.arrays import Array, Ints, Mask, Rows
from quintain.data.codec import missing_cells
from quintain.data.columns import Columns
from quintain.data.kinds import as_table
from quintain.data.outside import Outside
from quintain.data.own_files.spelling import without_point, without_points
from quintain.data.people_schema import PeopleSchema, TableSchema, free_name
from quintain.data.table import Table
from quintain.errors import DataError, Fault, Faults
from quintain.wording.languages import tell

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_ROWS = 100_000
"""How many rows of one table a person may have: more of them are a mistake in the reference."""

NOBODY = -1
"""The person of a row that belongs to nobody, and the parent of a row that belongs to none."""


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Lists of different lengths, one per person.

    Parameters
    ----------
    order : the rows of all people, one person after another.
    offsets : where the rows of each person begin; one more number than there are people.

    >>> ragged = Ragged.of(np.array([1, 0, 1, -1]), 3)
    >>> [ragged.rows(person).tolist() for person in range(3)]
    [[1], [0, 2], []]
    """

    order: Rows
    offsets: Rows

    @classmethod
    def of(cls, person: Rows, people: int, *keys: Array) -> Ragged:
        """The rows of each person, ordered by keys, then by their place in the file."""
        order = np.lexsort((*reversed(keys), person))
        lengths = np.bincount(person[person >= 0], minlength=people)
        return cls(order[len(order) - int(lengths.sum()) :], np.append(0, np.cumsum(lengths)))

    def rows(self, person: int) -> Rows:
        """The rows of one person."""
        return self.order[self.offsets[person] : self.offsets[person + 1]]

    def lengths(self) -> Ints:
        """How many rows each person has."""
        return np.diff(self.offsets)


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """One table of people: rows in the order of the file, without keys and references.

    Parameters
    ----------
    rows : the cells.
    parent : for each row the row of the parent table, or the person if there is no such table.
    person : for each row the person.
    people : how many people there are, those without rows as well.
    order : the columns that order the rows of a person.
    """

    rows: Columns
    parent: Rows
    person: Rows
    people: int
    order: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.person)

    def index(self) -> Ragged:
        """The rows of each person, in their order."""
        return Ragged.of(self.person, self.people, *(self.rows.columns[n] for n in self.order))

    def lengths(self) -> Ints:
        """How many rows each person has."""
        return np.bincount(self.person[self.person >= 0], minlength=self.people)

    def out_of_order(self) -> Rows:
        """The rows whose time is before that of the same person's row above, in the file.

        >>> from quintain.data import Column, Schema, Table
        >>> days = Table(Schema(columns=(Column(name="day", kind="integer"),)), {"day": [3, 9, 2]})
        >>> who = np.array([0, 1, 0])
        >>> Branch(days, who, who, 2, ("day",)).out_of_order().tolist()
        [2]
        """
        if not self.order:
            return np.zeros(0, np.int64)
        rows = replace(self, order=()).index().order
        times, person = self.rows.columns[self.order[0]][rows], self.person[rows]
        there = ~missing_cells(self.rows.schema[self.order[0]], times)
        rows, times, person = rows[there], times[there], person[there]
        earlier = (person[1:] == person[:-1]) & (times[1:] < times[:-1])
        late: Rows = np.sort(rows[1:][earlier])
        return late

    def counts(self, codes: npt.NDArray[np.integer[Any]], size: int) -> csr_array:
        """People by values: in how many rows of a person each value is; -1 is not counted."""
        from scipy.sparse import csr_array

        seen = np.flatnonzero((self.person >= 0) & (codes >= 0))
        ones = np.ones(len(seen), np.float32)
        places = (self.person[seen], codes[seen])
        return csr_array((ones, places), shape=(self.people, size))

    def take(self, rows: Rows, parent: Rows, person: Rows, people: int) -> Branch:
        """Some rows, which belong to others now."""
        return Branch(self.rows.take(rows), parent, person, people, self.order)


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Everybody in a data set.

    There is no ``len``: it would mean people to some readers and rows to others.

    Parameters
    ----------
    size : how many people there are.
    keys : the names or pseudonyms of people, which are not attributes; None if they have none.
    tables : the rows by the name of their table, each table after its parent.

    >>> from quintain.data import Column, Schema
    >>> schema = Schema(columns=(Column(name="who", kind="id"),
    ...                          Column(name="dose", kind="integer", low=0, high=9)))
    >>> table = Table.of(schema, {"who": ["eve", "bob", "eve"], "dose": [1, 2, 3]})
    >>> people = People.of_table(table, "who")
    >>> people.size, people.keys.tolist(), people.tables["rows"].person.tolist()
    (2, ['eve', 'bob'], [0, 1, 0])
    >>> people.take([0]).tables["rows"].rows.records()
    [{'dose': 1}, {'dose': 3}]
    """

    schema: PeopleSchema = field(repr=False)  # a learned domain has cells in it
    size: int
    keys: Array | None = field(repr=False)
    tables: Mapping[str, Branch] = field(repr=False)

    @classmethod
    def of_rows(
        cls, rows: Columns, person: Rows, size: int, keys: Array | None = None, name: str = "rows"
    ) -> People:
        """People with one table, whose rows are numbered by person."""
        columns = rows.schema.columns
        times = (c.name for c in columns if c.temporal or c.role == "time")
        order = tuple(times)[:1]
        reference = free_name(columns)
        table = TableSchema(name=name, columns=columns, reference=reference, order=order)
        branch = Branch(rows, person, person, size, order)
        return cls(PeopleSchema(tables=(table,)), size, keys, {name: branch})

    @classmethod
    def of_table(cls, table: Table, unit: str, name: str = "rows") -> People:
        """People with one table, in which a column says whose row it is.

        A row without a name in that column belongs to nobody.
        """
        numbers, keys = number_names(table, unit)
        return cls.of_rows(table.drop(unit), numbers, len(keys), keys, name)

    @classmethod
    def read(
        cls, schema: PeopleSchema, tables: Mapping[str, Any], *, outside: Outside = "refuse"
    ) -> People:
        """People from files, data frames or tables, by the name of each table.

        Raises with every fault of all tables: cells that do not fit the schema, keys that appear
        twice, and references to a row that is not there. With "clip" as ``outside``, only keys that
        appear twice are faults: cells that do not fit are moved, and rows that lead to nobody are
        left out.
        """
        read, notes = _read_tables(schema, tables, outside)
        if outside == "clip":
            read = _rows_of_people(schema, read)
        return link_rows(schema, read, notes, outside=outside)

    def concat(self, others: People) -> People:
        """These people, followed by others with the same tables; all rows belong to people."""
        branches = {}
        for name, own in self.select(*self.tables).tables.items():
            more = others.tables[name]
            moved = np.where(more.person >= 0, more.person + self.size, NOBODY)
            person = np.concatenate([own.person, moved])
            rows, size = own.rows.concat(more.rows), self.size + others.size
            branches[name] = Branch(rows, person, person, size, own.order)
        keys = None
        if self.keys is not None and others.keys is not None:
            keys = np.concatenate([self.keys, others.keys])
        schema = self.select(*self.tables).schema
        return People(schema, self.size + others.size, keys, branches)

    def select(self, *names: str) -> People:
        """The same people with the rows of these tables alone, each of which belongs to people."""
        kept = tuple(
            table.model_copy(update={"parent": ""})
            for table in self.schema.tables
            if table.name in names
        )
        branches = {
            table.name: replace(branch, parent=branch.person)
            for table in kept
            for branch in (self.tables[table.name],)
        }
        return People(PeopleSchema(tables=kept), self.size, self.keys, branches)

    def loose(self) -> People:
        """The same rows, each of which belongs to its person directly; no table is the root."""
        tables = {
            name: Branch(branch.rows, branch.person, branch.person, branch.people, branch.order)
            for name, branch in self.tables.items()
        }
        return People(self.schema.loose(), self.size, self.keys, tables)

    def only(self, tables: Collection[str]) -> People:
        """The same people, loose, with their rows of these tables alone."""
        people, nothing = self.loose(), np.zeros(0, np.int64)
        kept = {
            name: branch
            if name in tables
            else branch.take(nothing, nothing, nothing, branch.people)
            for name, branch in people.tables.items()
        }
        return People(people.schema, self.size, self.keys, kept)

    def keep(self, kept: Mapping[str, Mask]) -> People:
        """The same people without the rows that are not kept, and what belongs to those.

        Parameters
        ----------
        kept : for each row of a table whether it is kept; all rows of tables that are not named.
        """
        places: dict[str, Rows] = {}
        tables: dict[str, Branch] = {}
        for table in self.schema.tables:
            branch = self.tables[table.name]
            mask = kept.get(table.name, np.ones(len(branch), bool))
            parent = places[table.parent][branch.parent] if table.parent else branch.parent
            rows = np.flatnonzero(mask & (parent >= 0))
            place = np.full(len(branch) + 1, NOBODY)  # the last place is nobody's
            place[rows] = np.arange(len(rows))
            places[table.name] = place
            person = branch.person[rows]
            tables[table.name] = branch.take(rows, parent[rows], person, self.size)
        return People(self.schema, self.size, self.keys, tables)

    def without(self, table: str, column: str) -> People:
        """The same people without a column of a table; rows cannot be ordered by it."""
        schemas = tuple(
            own.model_copy(update={"columns": tuple(c for c in own.columns if c.name != column)})
            if own.name == table
            else own
            for own in self.schema.tables
        )
        branch = self.tables[table]
        kept = replace(branch, rows=branch.rows.drop(column))
        schema = PeopleSchema(tables=schemas)
        return People(schema, self.size, self.keys, {**self.tables, table: kept})

    def replace(self, table: str, columns: Mapping[str, npt.ArrayLike]) -> People:
        """The same people with other (coded) contents in some columns of a table."""
        branch = self.tables[table]
        changed = Branch(
            branch.rows.replace(columns), branch.parent, branch.person, branch.people, branch.order
        )
        return People(self.schema, self.size, self.keys, {**self.tables, table: changed})

    def take(self, persons: npt.ArrayLike) -> People:
        """These people with all their rows, in that order; nobody can be there twice."""
        chosen = np.asarray(persons, np.int64)
        number = np.full(self.size + 1, NOBODY)  # the last place is nobody's
        number[chosen] = np.arange(len(chosen))
        if int((number >= 0).sum()) < len(chosen):
            raise ValueError("somebody is chosen twice")
        kept: dict[str, Rows] = {}
        tables: dict[str, Branch] = {}
        for table in self.schema.tables:
            branch = self.tables[table.name]
            person = number[branch.person]
            rows = np.flatnonzero(person >= 0)
            if table.reference is None:
                rows = rows[np.argsort(person[rows])]  # row i of the root is person i
            parent = person
            if table.parent:
                above = np.full(len(self.tables[table.parent]) + 1, NOBODY)
                above[kept[table.parent]] = np.arange(len(kept[table.parent]))
                parent = above[branch.parent]
            kept[table.name] = rows
            tables[table.name] = branch.take(rows, parent[rows], person[rows], len(chosen))
        keys = None if self.keys is None else self.keys[chosen]
        return People(self.schema, len(chosen), keys, tables)


def number_names(table: Columns, column: str) -> tuple[Rows, Array]:
    """Number the names of a column by their first row; -1 where there is none. Also the names.

    Names are texts: a number in one file equals its digits in another.
    """
    cells = table.columns[column]
    absent = missing_cells(table.schema[column], cells)
    names, first, number = np.unique(cells.astype(np.str_), return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    numbers = place[number]
    if not absent.any():
        return numbers, names[order]
    missing = int(numbers[absent][0])  # all missing cells have the same text
    shifted = numbers - (numbers > missing)
    return np.where(absent, NOBODY, shifted), np.delete(names[order], missing)


def _rows_of_people(schema: PeopleSchema, read: Mapping[str, Table]) -> dict[str, Table]:
    """The tables without rows that lead to nobody, and without those that have no key."""
    root = schema.root
    names: dict[str, Array] = {}
    kept: dict[str, Table] = {}
    for table in sorted(schema.tables, key=lambda own: own.reference is not None):
        data = read[table.name]
        stays = np.ones(len(data), bool)
        if table.reference is not None:
            above = names.get(table.parent or (root.name if root else ""))
            owners = data.columns[table.reference].astype(np.str_)
            stays &= owners != "" if above is None else np.isin(owners, above)
        if table.key is not None:
            keys = data.columns[table.key].astype(np.str_)
            stays &= keys != ""
            names[table.name] = keys[stays]
        kept[table.name] = data.take(np.flatnonzero(stays))
    return kept


def _with_plain_links(table: Table, links: tuple[str, ...], outside: Outside) -> Table:
    """The table with links that another table writes in the same way: 17 rather than 17.0."""
    plain_names = without_points if outside == "refuse" else without_point
    plain = {
        name: plain_names(pa.array(table.columns[name].astype(np.str_))).to_numpy(
            zero_copy_only=False
        )
        for name in links
    }
    texts = {name: names.astype(np.str_) for name, names in plain.items()}
    return Table(table.schema, {**table.columns, **texts})


def _read_tables(
    schema: PeopleSchema, tables: Mapping[str, Any], outside: Outside = "refuse"
) -> tuple[dict[str, Table], dict[str, Faults]]:
    """The tables, and a list for the faults of each; raises with every cell that does not fit."""
    from quintain.data.learning.input_table import InputTable  # few commands read own tables

    read: dict[str, Table] = {}
    notes: dict[str, Faults] = {}
    faults: list[Fault] = []
    for table in schema.tables:
        try:
            if table.name not in tables:
                raise DataError([Fault(tell("there is no such table"), table.name)])
            given = replace(InputTable.of(tables[table.name], table.name), outside=outside)
            notes[table.name] = given.faults()
            own = as_table(given.read(table.file_schema))
            read[table.name] = _with_plain_links(own, table.links, outside)
        except DataError as error:
            faults += error.faults
    if faults:
        raise DataError(faults)
    return read, notes


@dataclass(frozen=True, slots=True, eq=False)
class RowOwners:
    """Whose row each one is, before anybody reads what is in the rows.

    Parameters
    ----------
    keys : the names or pseudonyms of people.
    parents : for each table the row of the table above, or the person, of each row.
    persons : for each table the person of each row.
    """

    keys: Array = field(repr=False)
    parents: Mapping[str, Rows] = field(repr=False)
    persons: Mapping[str, Rows] = field(repr=False)

    def branch(self, name: str, rows: Columns, order: tuple[str, ...] = ()) -> Branch:
        """A table with its rows."""
        return Branch(rows, self.parents[name], self.persons[name], len(self.keys), order)


def read_owners(schema: PeopleSchema, tables: Mapping[str, Any]) -> RowOwners:
    """Read keys and references alone; raises with every one that leads nowhere.

    >>> visits = TableSchema(name="visits", columns=(), reference="who")
    >>> given = {"visits": pa.table({"who": ["eve", "bob", "eve"]})}
    >>> read_owners(PeopleSchema(tables=(visits,)), given).persons["visits"].tolist()
    [0, 1, 0]
    """
    bare = tuple(t.model_copy(update={"columns": (), "order": ()}) for t in schema.tables)
    links = schema.model_copy(update={"tables": bare})
    return _follow_links(links, *_read_tables(links, tables))


def link_rows(
    schema: PeopleSchema,
    read: Mapping[str, Columns],
    notes_of: Mapping[str, Faults],
    keys: Array | None = None,
    *,
    outside: Outside = "refuse",
) -> People:
    """Follow keys and references; raises with every one that leads nowhere.

    Parameters
    ----------
    read : the rows of each table, with its key and its reference.
    notes_of : where the faults of each table are noted.
    keys : the names of all people, in their order; by default, those that the tables name.
    outside : with "clip", there may be nobody, or somebody with very many rows.
    """
    owners = _follow_links(schema, read, notes_of, keys, outside)
    branches = {
        table.name: owners.branch(table.name, read[table.name].drop(*table.links), table.order)
        for table in schema.tables
    }
    return People(schema, len(owners.keys), owners.keys, branches)


def _follow_links(
    schema: PeopleSchema,
    read: Mapping[str, Columns],
    notes_of: Mapping[str, Faults],
    keys: Array | None = None,
    outside: Outside = "refuse",
) -> RowOwners:
    faults = Faults()
    if keys is None:
        keys = _people_keys(schema, read, faults, outside)
    names: dict[str, Array] = {"": keys}
    parents: dict[str, Rows] = {}
    persons: dict[str, Rows] = {}
    for table in schema.tables:
        data = read[table.name]
        notes = notes_of[table.name]
        if table.key is not None:
            names[table.name] = _unique_names(data, table.key, notes)
        if table.reference is None:
            parent = np.arange(len(data))
        else:
            above = table.parent or (schema.root.name if schema.root else "")
            parent = _find_rows(data, table.reference, names[table.parent], above, notes)
        person = parent
        if table.parent:
            person = np.where(parent >= 0, persons[table.parent][parent], NOBODY)
        if table.reference is not None and outside == "refuse":
            _note_too_many(data, table.reference, person, notes)
        parents[table.name], persons[table.name] = parent, person
        faults.extend(notes)
    faults.raise_if_any(DataError)
    return RowOwners(keys, parents, persons)


def _note_too_many(data: Columns, reference: str, person: Rows, faults: Faults) -> None:
    """Note people with more rows in a table than anybody may have."""
    counts = np.bincount(person[person >= 0])
    for crowded in np.flatnonzero(counts > MOST_ROWS):
        row = int(np.flatnonzero(person == crowded)[MOST_ROWS])
        faults.add(
            tell(
                "expected at most %(most)s rows of one person; these are %(n)s",
                most=MOST_ROWS,
                n=counts[crowded],
            ),
            line=faults.line_of(row),
            column=reference,
            got=str(data.columns[reference][row]),
        )


def _people_keys(
    schema: PeopleSchema, read: Mapping[str, Columns], faults: Faults, outside: Outside
) -> Array:
    """The names of all people: those of the root, or all that the tables mention."""
    root = schema.root
    if root is not None and root.key is not None:
        return read[root.name].columns[root.key].astype(np.str_)
    mentioned = [
        number_names(read[table.name], table.reference)[1]
        for table in schema.tables
        if not table.parent and table.reference is not None
    ]
    together = np.concatenate(mentioned) if mentioned else np.zeros(0, np.str_)
    _, first = np.unique(together, return_index=True)
    if not len(first) and (outside == "refuse" or not mentioned):
        faults.add(tell("no table says whose row it has"))
    return np.asarray(together[np.sort(first)])


def _unique_names(data: Columns, key: str, faults: Faults) -> Array:
    """The keys of a table as texts; notes those that are empty or appear twice."""
    cells = data.columns[key]
    absent = missing_cells(data.schema[key], cells)
    names = cells.astype(np.str_)
    _, first, number = np.unique(names, return_index=True, return_inverse=True)
    before = first[number]
    again = np.flatnonzero((before != np.arange(len(names))) & ~absent)

    def first_place(row: int) -> str:
        return f"{faults.file}:{faults.line_of(int(before[row]))}"

    note_cells(faults, np.flatnonzero(absent), key, "expected a key, the cell is empty")
    note_cells(
        faults,
        again,
        key,
        lambda row: f"expected each key once; {first_place(row)} has it, too",
        names,
    )
    return names


def _find_rows(data: Columns, reference: str, names: Array, above: str, faults: Faults) -> Rows:
    """The place of each reference among names; -1 where it is empty, notes what is not there."""
    cells = data.columns[reference]
    absent = missing_cells(data.schema[reference], cells)
    order = np.argsort(names, kind="stable")
    wanted = cells.astype(np.str_)
    place = np.minimum(np.searchsorted(names, wanted, sorter=order), max(len(names) - 1, 0))
    rows = order[place] if len(names) else np.full(len(wanted), NOBODY)
    known = names[rows] == wanted if len(names) else np.zeros(len(wanted), bool)
    lost = np.flatnonzero(~known & ~absent)
    alike = {_bare(name): str(name) for name in names} if len(lost) else {}

    def message(row: int) -> str:
        other = alike.get(_bare(wanted[row]))
        if other is None:
            return tell("expected a key of %(table)s; no row there has this one", table=above)
        return tell(
            "expected a key of %(table)s; no row there has this one, but one has %(other)s: write "
            "both alike",
            table=above,
            other=repr(other),
        )

    note_cells(faults, lost, reference, message, wanted)
    return np.where(absent | ~known, NOBODY, rows)


def _bare(name: str) -> str:
    """A name without what programs add to it or leave out: zeros before it, spaces, capitals.

    >>> _bare(" 0012"), _bare("a-12.0")
    ('12', 'a-12')
    """
    return name.strip().casefold().removesuffix(".0").lstrip("0") or "0"


def note_cells(
    faults: Faults,
    rows: Rows,
    column: str,
    message: str | Callable[[int], str],
    names: Array | None = None,
) -> None:
    """Note a fault for each of the rows; those beyond the room are counted."""
    room = faults.room()
    for row in rows[:room]:
        got = "" if names is None else str(names[row])
        words = message if isinstance(message, str) else message(int(row))
        faults.add(words, line=faults.line_of(int(row)), column=column, got=got)
    faults.count(len(rows[room:]))
