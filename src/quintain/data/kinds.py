"""Kinds: our kinds of data with their shapes, and how to turn rows into a kind and back."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, TypeGuard

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Rows
from quintain.data.column import Column
from quintain.data.columns import Columns
from quintain.data.schema import Schema
from quintain.data.series import Series
from quintain.data.shape import Data, Shape, find_shape, see, shape_of
from quintain.data.table import Table
from quintain.data.trajectories import Trajectories, lacking_place, note_wrong_points
from quintain.data.transactions import PERSON_ROLES, Transactions
from quintain.errors import Faults
from quintain.registry import register


def is_data(given: object) -> TypeGuard[Data]:
    """Whether something is data with a schema of ours, of any shape, and not a data frame."""
    return isinstance(given, Data) and isinstance(given.schema, Schema)


def as_table(data: Data) -> Table:
    """The data seen as a table; raises otherwise, for code that reads only tables."""
    table: Table = see(data, "table")
    return table


def as_transactions(data: Data) -> Transactions:
    """The data seen as transactions; raises otherwise, for code that reads only transactions."""
    transactions: Transactions = see(data, "transactions")
    return transactions


def as_series(data: Data) -> Series:
    """The data seen as series; raises otherwise, for code that reads only series."""
    series: Series = see(data, "series")
    return series


def as_trajectories(data: Data) -> Trajectories:
    """The data seen as trajectories; raises otherwise, for code that reads only trajectories."""
    trajectories: Trajectories = see(data, "trajectories")
    return trajectories


def to_kind(rows: Columns) -> Data:
    """Rows as the kind of data their schema describes."""
    made: Data = find_shape(rows.schema.shape).from_rows(rows)
    return made


def flat(data: Data) -> Columns:
    """Data of any kind as rows: one per person, per purchase or per point in time."""
    return shape_of(data).to_rows(data)


class RowShape(Shape):
    """Data that are stored as their rows: each record is a row."""

    def to_rows(self, data: Columns) -> Columns:
        """The data themselves."""
        return data

    def units(self, data: Columns, role: str) -> Rows | None:
        """For each row the number of its value in the column with this role."""
        column = data.schema.role(role)
        if column is None:
            return None
        _, units = np.unique(data.columns[column.name], return_inverse=True)
        return units.astype(np.int64)

    def hidden_order(self, data: Columns) -> Rows:
        """The rows, sorted by their cells."""
        return data.order()

    def record_keys(self, data: Columns) -> Rows:
        """One number per row, the same for equal rows."""
        return data.row_keys()


@register("table-v1")
class TableShape(RowShape):
    """One row per person.

    >>> from quintain.data import shape_of
    >>> from quintain.testing import example_table
    >>> people = example_table(rows=9)
    >>> shape_of(people).units(people, "household").tolist()
    [0, 1, 1, 1, 1, 2, 2, 2, 2]
    """

    turn: ClassVar[int] = 1
    row_is_person: ClassVar[bool] = True
    keeps_ids: ClassVar[bool] = False
    row_word: ClassVar[str] = "records"

    def from_rows(self, rows: Columns) -> Table:
        """The rows as a table."""
        return Table(rows.schema, rows.columns)

    def lacks(self, schema: Schema) -> str:
        """Why data with this schema are not a table."""
        words = f"expected a table with one row per person, not {schema.shape}"
        return words if super().lacks(schema) else ""

    def groups(self, data: Table) -> Rows | None:
        """For each person the number of the household, if the data name households."""
        return self.units(data, "household")

    def publish(self, data: Table, *, rng: np.random.Generator) -> tuple[Table, Rows]:
        """Sorted by content; equal records get their places at random.

        So the place of a record among its equals tells nothing about its origin.
        """
        shuffled = rng.permutation(len(data))
        rows = shuffled[data.take(shuffled).order()]
        return data.take(rows), rows

    def show(self, data: Table, records: npt.ArrayLike, hidden: str = "") -> tuple[Table, Rows]:
        """One row per person, without the hidden column."""
        names = [c.name for c in data.schema.columns if not c.identifying and c.name != hidden]
        shown = data.take(records).select(names)
        return shown, np.arange(len(shown))


@register("transactions-v1")
class TransactionsShape(RowShape):
    """Many rows per person, each with a time.

    >>> from quintain.data import shape_of
    >>> from quintain.testing import small_shop
    >>> shop = small_shop()
    >>> shape_of(shop).count_persons(shop), len(shop)
    (2, 4)
    """

    turn: ClassVar[int] = 2
    deletes_in_place: ClassVar[bool] = True
    roles: ClassVar[tuple[tuple[str, ...], ...]] = (PERSON_ROLES, ("time",))

    def from_rows(self, rows: Columns) -> Transactions:
        """The rows as transactions."""
        return Transactions(rows.schema, rows.columns)

    def fit_column(self, column: Column) -> tuple[Column | None, str]:
        """A deleted row keeps its place and has no values, so every value may be missing."""
        if column.nullable:
            return column, ""
        changes: dict[str, object] = {"nullable": True}
        if column.whole and not column.discrete:
            changes["kind"] = "real"
        reason = "nullable, because a deleted row has no values"
        return column.model_copy(update=changes), reason

    def count_persons(self, data: Transactions) -> int:
        """How many persons have a row."""
        return len(data.persons())

    def groups(self, data: Transactions) -> Rows:
        """For each row the number of its person."""
        return data.person_of_row()

    def publish(self, data: Transactions, *, rng: np.random.Generator) -> tuple[Transactions, Rows]:
        """Without the deleted rows; the others are shuffled, as they lie in the original order."""
        kept = np.flatnonzero(~data.deleted_rows())
        rows = kept[rng.permutation(len(kept))]
        return data.take(rows), rows


@register("series-v1")
class SeriesShape(Shape):
    """One irregular time series of numbers per person.

    >>> from quintain.data import shape_of
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> rows, owner = shape_of(stays).show(stays, [4, 2])
    >>> stays.lengths[[4, 2]].tolist(), owner.tolist()
    ([4, 6], [0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    """

    turn: ClassVar[int] = 3
    roles: ClassVar[tuple[tuple[str, ...], ...]] = (("person",), ("time",))
    roles_lead: ClassVar[bool] = True

    def from_rows(self, rows: Columns) -> Series:
        """The rows of each person as a series."""
        return Series.from_rows(rows)

    def to_rows(self, data: Series) -> Columns:
        """One row per person and point in time."""
        return data.to_rows()

    def lacks(self, schema: Schema) -> str:
        """Why data with this schema are not series."""
        words = f"this works on series, not on a {schema.shape}"
        return words if super().lacks(schema) else ""

    def fit_column(self, column: Column) -> tuple[Column | None, str]:
        """In a series everything but the person is a number."""
        if column.role == "person" or column.fractional:
            return column, ""
        if column.whole:
            return column.model_copy(update={"kind": "real"}), ""
        return None, f"a series has numbers only, not a {column.kind}"

    def publish(self, data: Series, *, rng: np.random.Generator) -> tuple[Series, Rows]:
        """Shuffled person by person; the persons get new numbers."""
        shown, persons = super().publish(data, rng=rng)
        return replace(shown, ids=np.arange(len(shown))), persons

    def join(self, data: Series, more: Series) -> Series:
        """The series of both; the persons get new numbers."""
        return Series(
            data.schema,
            np.arange(len(data) + len(more)),
            np.concatenate([data.offsets, data.offsets[-1] + more.offsets[1:]]),
            np.concatenate([data.values, more.values]),
        )

    def shown_columns(self, schema: Schema) -> tuple[Column, ...]:
        """All that describe people, any of which may be missing: a person may have no row."""
        return tuple(c.model_copy(update={"nullable": True}) for c in schema.attributes)

    def show(self, data: Series, records: npt.ArrayLike, hidden: str = "") -> tuple[Table, Rows]:
        """The rows of each person; a person without rows has one in which everything is missing."""
        people = data.take(records)
        owner = np.repeat(np.arange(len(people)), people.lengths)
        empty = np.flatnonzero(people.lengths == 0)
        order = np.argsort(np.concatenate([owner, empty]), kind="stable")
        missing = np.full((len(empty), people.values.shape[1]), np.nan)
        values = np.concatenate([people.values, missing])[order]
        schema = Schema(columns=self.shown_columns(people.schema))
        columns = {name: values[:, j] for j, name in enumerate(schema.names)}
        return Table(schema, columns), np.concatenate([owner, empty])[order]


@register("trajectories-v1")
class TrajectoriesShape(Shape):
    """Where each person was, point by point in the order of time, on a grid of cells.

    Records are people: a sample draws whole trajectories, and a release shuffles them. In a release
    that is not published yet, the ids say for whom a trajectory stands. Seen as transactions, each
    point is a row.

    >>> from quintain.data import shape_of
    >>> from quintain.testing import example
    >>> traces = example("trajectories")
    >>> shown, persons = shape_of(traces).publish(traces, rng=np.random.default_rng(1))
    >>> shown.ids[:3].tolist(), traces.ids[persons[:3]].tolist()
    ([0, 1, 2], [8, 11, 4])
    """

    turn: ClassVar[int] = 4
    row_word: ClassVar[str] = "points"
    roles: ClassVar[tuple[tuple[str, ...], ...]] = (("person",), ("time",))
    also: ClassVar[tuple[str, ...]] = ("transactions",)

    def from_rows(self, rows: Columns) -> Trajectories:
        """The points of each person, in the order of time."""
        return Trajectories.from_rows(rows)

    def to_rows(self, data: Trajectories) -> Columns:
        """One row per person and time."""
        return data.to_rows()

    def check_rows(self, rows: Columns, faults: Faults) -> None:
        """Note points out of order, two points of a person at one time, and half a place."""
        if not lacking_place(rows.schema):
            note_wrong_points(rows, faults)

    def view(self, data: Trajectories, shape: str) -> Transactions:
        """Each point as a row of its own."""
        rows = data.to_rows()
        return Transactions(rows.schema.model_copy(update={"shape": shape}), rows.columns)

    def fit_column(self, column: Column) -> tuple[Column | None, str]:
        """A place may be missing; a person and a time must be there."""
        place = column.role in ("x", "y") or column.role.startswith("region")
        if not place or column.nullable:
            return column, ""
        reason = "nullable, because nothing may be recorded at a time"
        return column.model_copy(update={"nullable": True}), reason

    def publish(self, data: Trajectories, *, rng: np.random.Generator) -> tuple[Trajectories, Rows]:
        """Shuffled person by person; the persons get new numbers, which are their pseudonyms."""
        shown, persons = super().publish(data, rng=rng)
        return shown.with_ids(np.arange(len(shown))), persons

    def record_keys(self, data: Trajectories) -> Rows:
        """One number per person, the same for those who were at the same places at one time."""
        parts = np.split(np.stack([data.times(), data.cells()], axis=1), data.offsets[1:-1])
        numbers: dict[bytes, int] = {}
        keys = [numbers.setdefault(part.tobytes(), len(numbers)) for part in parts]
        return np.array(keys, np.int64)
