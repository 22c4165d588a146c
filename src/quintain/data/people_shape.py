"""People shape: records are people, each with a tree of rows from several tables."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Rows
from quintain.data.column import Column
from quintain.data.columns import Columns
from quintain.data.people import Branch, People
from quintain.data.people_schema import (
    OF,
    PERSON,
    ROW,
    PeopleSchema,
    TableSchema,
    free_name,
)
from quintain.data.schema import Schema
from quintain.data.shape import Data, Shape, see, shape_of
from quintain.data.table import Table
from quintain.data.trees import Trees, grow
from quintain.errors import Faults, PartError
from quintain.registry import register


def as_trees(data: Data) -> Trees:
    """The data seen as people; raises otherwise, for code that reads only people."""
    trees: Trees = see(data, "people")
    return trees


def people_of(data: Data, unit: str = "") -> People:
    """Everybody in data of any shape, as trees of rows.

    A table is people with one row each, in a table ``people``. Data with several rows per person
    are people with one table ``rows``, in which the order is that of time. Rows that belong to
    nobody, such as deleted ones, stay in their place; somebody without any row is not there.

    Parameters
    ----------
    unit : the role of the column that says whose row it is; by default the one that names people in
        this shape. With ``"household"`` a table of people becomes households with their members.

    >>> from quintain.testing import example_table, small_shop
    >>> shop = people_of(small_shop())
    >>> shop.size, shop.tables["rows"].order
    (2, ('day',))
    >>> homes = people_of(example_table(rows=9), unit="household")
    >>> homes.size, homes.tables["rows"].lengths().tolist()
    (3, [1, 4, 4])
    """
    shape = shape_of(data)
    if shape.name() == PeopleShape.name() and not unit:
        return as_trees(data).people
    rows = shape.to_rows(data)
    if shape.row_is_person and not unit:
        return _of_one_row_each(rows)
    roles = (unit,) if unit else shape.roles[0]
    column = next(filter(None, map(rows.schema.role, roles)), None)
    if column is None:
        raise PartError(f"no column has the role {' or '.join(roles)}, so nobody has these rows")
    return People.of_table(Table(rows.schema, rows.columns), column.name)


def _of_one_row_each(rows: Columns) -> People:
    """People with one row each; ids are not attributes."""
    kept = rows.select([column.name for column in rows.schema.attributes])
    each = np.arange(len(kept))
    key = free_name(kept.schema.columns)
    root = TableSchema(name="people", columns=kept.schema.columns, key=key)
    branch = Branch(kept, each, each, len(kept))
    return People(PeopleSchema(tables=(root,)), len(kept), None, {root.name: branch})


@register("people-v1")
class PeopleShape(Shape):
    """A tree of rows per person: visits of a patient, prescriptions of a visit.

    >>> from quintain.data import shape_of
    >>> from quintain.testing import example
    >>> people = example("people")
    >>> people
    <Trees of 20 persons: patients 20 rows, visits 82 rows, prescriptions 83 rows>
    >>> rows, owner = shape_of(people).show(people, [4])
    >>> rows.schema.names[:5], set(owner.tolist())
    (('table', 'row', 'of', 'patients.sex', 'patients.born'), {0})
    """

    turn: ClassVar[int] = 5
    one_table: ClassVar[bool] = False
    origin_column: ClassVar[str] = PERSON
    rows_refer: ClassVar[bool] = True
    made_ids: ClassVar[tuple[str, ...]] = (ROW, OF)
    roles: ClassVar[tuple[tuple[str, ...], ...]] = (("person",),)

    def from_rows(self, rows: Columns) -> Trees:
        """The rows of a flat file as trees."""
        return Trees.from_rows(rows)

    def to_rows(self, data: Trees) -> Columns:
        """One row per row of any table."""
        return data.to_rows()

    def check_rows(self, rows: Columns, faults: Faults) -> None:
        """Note rows that refer to nobody, keys that appear twice, and cells of other tables."""
        grow(rows, faults)

    def with_schema(self, data: Trees, schema: Schema) -> Trees:
        """The same data under a schema with the same columns, which only files write otherwise."""
        return Trees.from_rows(Columns(schema, data.to_rows().columns))

    def units(self, data: Trees, role: str) -> Rows | None:
        """For each person the number of the unit that their row of the root names."""
        root = data.people.schema.root
        if role == PERSON:
            return np.arange(len(data))
        if root is None:
            return None
        column = next((c for c in root.columns if c.role == role), None)
        if column is None:
            return None
        names = data.people.tables[root.name].rows.columns[column.name]
        return np.unique(names, return_inverse=True)[1].astype(np.int64)

    def groups(self, data: Trees) -> Rows | None:
        """For each person the number of the household, if the root names households."""
        return self.units(data, "household")

    def publish(self, data: Trees, *, rng: np.random.Generator) -> tuple[Trees, Rows]:
        """People in a new order, with new pseudonyms; the rows of everybody in a new order.

        Rows of a table that has an order are in that order, and rows at the same time at random.
        """
        persons = rng.permutation(len(data))
        shown = _shuffle_rows(data.take(persons).people, rng)
        return Trees.of(shown, data.schema.title).with_keys(np.arange(1, len(data) + 1)), persons

    def origins(self, release: Trees, private: Trees) -> Rows:
        """For each person of a release the private person with the same key, or -1."""
        assert release.people.keys is not None and private.people.keys is not None
        place = {key: number for number, key in enumerate(private.people.keys.tolist())}
        return np.array([place.get(key, -1) for key in release.people.keys.tolist()], np.int64)

    def name_origins(self, release: Trees, origins: Rows, private: Trees) -> Trees:
        """The release under the names of the private data; people who were made up get new ones."""
        assert private.people.keys is not None  # trees have keys
        made_up = np.char.add("new-", np.arange(1, len(release) + 1).astype(np.str_))
        return release.with_keys(np.where(origins >= 0, private.people.keys[origins], made_up))

    def record_keys(self, data: Trees) -> Rows:
        """One number per person; the same if their rows and those above these are the same."""
        people = data.people
        codes: dict[str, Rows] = {"": np.zeros(len(data), np.int64)}
        for table in people.schema.tables:
            branch = people.tables[table.name]
            codes[table.name] = _join(codes[table.parent][branch.parent], _row_codes(branch))
        person = np.concatenate([branch.person for branch in people.tables.values()])
        sizes = [len(branch) for branch in people.tables.values()]
        table_of = np.repeat(np.arange(len(sizes)), sizes)
        code = _join(table_of, np.concatenate([codes[t.name] for t in people.schema.tables]))
        order = np.lexsort((code, person))
        ends = np.searchsorted(person[order], np.arange(len(data) + 1))
        numbers: dict[bytes, int] = {}
        contents = (code[order[ends[i] : ends[i + 1]]].tobytes() for i in range(len(data)))
        keys = [numbers.setdefault(content, len(numbers)) for content in contents]
        return np.array(keys, np.int64)

    def shown_columns(self, schema: Schema) -> tuple[Column, ...]:
        """Everything but the names of people: rows of a target need their keys."""
        return tuple(column for column in schema.columns if column.name != PERSON)

    def show(self, data: Trees, records: npt.ArrayLike, hidden: str = "") -> tuple[Table, Rows]:
        """All rows of each person, in the order of their tables."""
        chosen = data.take(records)
        rows = chosen.with_keys(np.arange(len(chosen))).to_rows()
        owner = rows.columns[PERSON].astype(np.int64)
        kept = [column for column in self.shown_columns(data.schema) if column.name != hidden]
        cells = {column.name: rows.columns[column.name] for column in kept}
        return Table(Schema(columns=tuple(kept)), cells), owner


def _shuffle_rows(people: People, rng: np.random.Generator) -> People:
    """The same trees with the rows of each table in a new order, or in that of its times."""
    places: dict[str, Rows] = {}
    tables: dict[str, Branch] = {}
    for table in people.schema.tables:
        branch = people.tables[table.name]
        keys = [branch.rows.columns[name] for name in reversed(table.order)]
        rows = np.lexsort((rng.random(len(branch)), *keys, branch.person))
        places[table.name] = np.argsort(rows)
        person, parent = branch.person[rows], branch.parent[rows]
        if table.parent:
            parent = places[table.parent][parent]
        tables[table.name] = branch.take(rows, parent, person, people.size)
    return People(people.schema, people.size, people.keys, tables)


def _row_codes(branch: Branch) -> Rows:
    """One number per row of a table, the same for equal rows."""
    return branch.rows.row_keys() if branch.rows.columns else np.zeros(len(branch), np.int64)


def _join(one: Rows, other: Rows) -> Rows:
    """One number per pair of numbers."""
    pairs = one * (int(other.max(initial=0)) + 1) + other
    numbers: Rows = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    return numbers
