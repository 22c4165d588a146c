"""Shape: what the house must know of a kind of data, so that nobody has to ask for its class.

A schema names the shape of its data. A shape is a registered part, and a plugin adds one as it
adds an attack. Code that treats kinds of data differently asks the shape; code that reads one kind
alone takes the data through :func:`see`.

What does not belong here: the shapes of our own, which are in ``kinds`` and ``people_shape``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from os import PathLike
from typing import Any, Protocol, Self, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Rows
from quintain.data.column import Column
from quintain.data.columns import Columns
from quintain.data.schema import Schema
from quintain.data.shape_facts import ShapeFacts, shape_facts
from quintain.data.table import Table
from quintain.errors import Faults, PartError


@runtime_checkable
class Data(Protocol):
    """Records under a schema, of any shape: what all kinds of data have in common.

    ``len`` and ``take`` count records: rows, or whole persons where the shape stores them so. Two
    data sets are the same only if they are one object, and others may refer to it weakly.
    """

    @property
    def schema(self) -> Schema:
        """The columns, and the name of the shape."""

    def __len__(self) -> int: ...

    def take(self, records: npt.ArrayLike, /) -> Self:
        """The records with these numbers, in that order."""

    def digest(self) -> str:
        """The SHA-256 of schema and content, to tell whether two data sets are equal."""

    def to_csv(self, path: PathLike[str] | str, *, replace: bool = False) -> None:
        """Write a CSV file with a header line; a file that is there stays, unless ``replace``."""

    def _repr_html_(self) -> str: ...


class Shape(ShapeFacts, ABC):
    """A kind of data, and how the stages treat it.

    Methods get data of this shape. A shape that stores its data otherwise than ours has a class of
    its own for them, with the methods of :class:`Data`.
    """

    # --- rows and views ---

    @abstractmethod
    def from_rows(self, rows: Columns) -> Any:
        """Rows, as files have them, as data of this shape."""

    @abstractmethod
    def to_rows(self, data: Any) -> Columns:
        """The data as rows, as files have them."""

    def check_rows(self, rows: Columns, faults: Faults) -> None:
        """Note rows that cannot belong to such data, although each of their cells is allowed."""
        return

    def view(self, data: Any, shape: str) -> Any:
        """The data as one of the shapes in ``also``; :func:`see` asks once and keeps the answer."""
        raise PartError(f"{self.id} does not say how its data are seen as {shape}")

    def lacks(self, schema: Schema) -> str:
        """Why data with this schema cannot be seen in this shape; empty if they can.

        The shape of the data decides: it is this one, or names this one in ``also``. A shape
        changes no more than the words.
        """
        if self.name() in (schema.shape, *find_shape(schema.shape).also):
            return ""
        return f"expected {self.name()}, not {schema.shape}"

    def drop(self, data: Any, names: tuple[str, ...]) -> Any:
        """The data without these columns."""
        return self.from_rows(self.to_rows(data).drop(*names))

    def with_schema(self, data: Any, schema: Schema) -> Any:
        """The same data under a schema with the same columns, which only files write otherwise."""
        return replace(data, schema=schema)

    def fit_column(self, column: Column) -> tuple[Column | None, str]:
        """A column as such data have it, and why it differs; None if they cannot have it."""
        return column, ""

    def example(self, *, rows: int, rng: np.random.Generator) -> Any:
        """Small data with about so many rows, on which the generic checks run."""
        raise PartError(f"{self.id} has no example data; define its method example")

    # --- persons ---

    def count_persons(self, data: Any) -> int:
        """How many persons the data are about."""
        return len(data)

    def units(self, data: Any, role: str) -> Rows | None:
        """For each record the number of its unit, such as a household; None without such a role."""
        return None

    def groups(self, data: Any) -> Rows | None:
        """For each record the number of those with whom it stays; None if records stand alone."""
        return None

    def join(self, data: Any, more: Any) -> Any:
        """The records of two data sets under one schema, one after the other.

        A shape that tells persons by their names gives them new ones here, since two data sets may
        use the same.
        """
        both = self.from_rows(self.to_rows(data).concat(self.to_rows(more)))
        if len(both) != len(data) + len(more):
            raise PartError(
                f"{self.id}: two data sets have persons of the same name; define its method join, "
                "which gives them new names"
            )
        return both

    # --- releases ---

    def hidden_order(self, data: Any) -> Rows | None:
        """The records sorted by content, so that their order reveals nothing.

        None if their order is hidden only when they are published.
        """
        return None

    def publish(self, data: Any, *, rng: np.random.Generator) -> tuple[Any, Rows]:
        """The data as attackers get them, and for each published record its number before."""
        records = rng.permutation(len(data))
        return data.take(records), records

    def origins(self, release: Any, private: Any) -> Rows | None:
        """For each record of a release the private record that it names, or -1.

        None if such data have no ``origin_column``.
        """
        return None

    def name_origins(self, release: Any, origins: Rows, private: Any) -> Any:
        """The release whose records name their private records, where such data can."""
        return release

    def record_keys(self, data: Any) -> Rows | None:
        """One number per record, the same for equal records; None if they are not compared."""
        return None

    # --- questions ---

    def shown_columns(self, schema: Schema) -> tuple[Column, ...]:
        """The columns in which a question shows its targets: all that describe people."""
        return schema.attributes

    def show(self, data: Any, records: npt.ArrayLike, hidden: str = "") -> tuple[Table, Rows]:
        """Records as a question shows them, without ids, and for each shown row its record.

        Parameters
        ----------
        records : the numbers of the records.
        hidden : a column that the question does not show.
        """
        raise PartError(find_shape("table").lacks(data.schema))


def find_shape(name: str) -> Shape:
    """The shape that a schema names.

    >>> find_shape("transactions").deletes_in_place
    True
    >>> find_shape("tabel")
    Traceback (most recent call last):
    ...
    quintain.errors.PartError: unknown shape 'tabel'; did you mean 'table'?
    """
    shape = shape_facts(name)()
    assert isinstance(shape, Shape)
    return shape


def shape_of(data: Data) -> Shape:
    """The shape of data."""
    return find_shape(data.schema.shape)


_views: WeakKeyDictionary[Data, dict[str, Any]] = WeakKeyDictionary()
"""The views of data that are still in use. Parts keep results by the object that they read, so the
same data must always give the same view."""


def see(data: Data, *shapes: str) -> Any:
    """The data in the first of these shapes in which they can be seen; raises if there is none.

    Data that have the shape already come back as they are.
    """
    own = shape_of(data)
    for name in shapes:
        if name == own.name():
            return data
        if name in own.also:
            views = _views.setdefault(data, {})
            if name not in views:
                views[name] = own.view(data, name)
            return views[name]
    raise PartError(find_shape(shapes[0]).lacks(data.schema))
