"""Known columns: measures that compare people in the columns that attackers know of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from quintain.data import Column, Data, Table, as_table
from quintain.data.arrays import Array, Ints, Rows
from quintain.data.schema import ColumnNames, Schema
from quintain.guesses.goal import known_columns
from quintain.measures.measure import About, Readings, ReleaseMeasure


class KnownColumnsMeasure(ReleaseMeasure):
    """A measure of what attackers can do who know some columns of a person.

    Statistical offices call these columns keys or quasi-identifiers. Values are compared as they
    are written; a missing value is a value like any other.
    """

    about: ClassVar[About] = "privacy"

    knows: ColumnNames | None = None

    def secret_columns(self, schema: Schema) -> tuple[str, ...]:
        """The columns that attackers want to know; by default none."""
        return ()

    def require(self, schema: Schema) -> None:
        """The known columns must exist, and be no secret ones."""
        super().require(schema)
        known_columns(self.id, schema, self.knows, hidden=self.secret_columns(schema))

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Find the known columns, then compare the people in them."""
        people, rows = as_table(original), as_table(release)
        self.require(people.schema)
        hidden = self.secret_columns(people.schema)
        names = known_columns(self.id, people.schema, self.knows, hidden=hidden)
        return self.compare(people, rows, None if test is None else as_table(test), names)

    @abstractmethod
    def compare(
        self, original: Table, release: Table, test: Table | None, names: tuple[str, ...]
    ) -> Readings:
        """Give the readings; ``names`` are the columns that attackers know."""


def class_labels(names: Sequence[str], *tables: Table) -> list[Rows]:
    """For each row the number of its class, by table; equal rows of all tables share a number."""
    keys, space = np.zeros(sum(map(len, tables)), np.int64), 1
    for name in names:
        codes, size = _codes(tables[0].schema[name], [table.columns[name] for table in tables])
        if space * size >= _MOST_KEYS:
            distinct, keys = np.unique(keys, return_inverse=True)
            space = len(distinct)
        keys, space = keys * size + codes, space * size
    labels = np.unique(keys, return_inverse=True)[1]
    return np.split(labels, np.cumsum([len(table) for table in tables[:-1]]))


_MOST_KEYS = 2**62


def _codes(column: Column, arrays: Sequence[Array]) -> tuple[Rows, int]:
    """Numbers from 0 for the values of a column, and how many there can be."""
    values = np.concatenate(arrays)
    if column.discrete:
        return values.astype(np.int64) + 1, column.size + 1
    distinct, codes = np.unique(values, return_inverse=True)
    return codes, len(distinct)


def class_sizes(table: Table) -> Ints:
    """How many rows each class of equal rows has."""
    return np.bincount(*class_labels(table.schema.names, table))
