"""Known columns: measures that compare people in the columns that attackers know of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from quintain.data import Data, Table, as_table
from quintain.data.arrays import Ints, Rows, number_rows
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
    ends = np.cumsum([len(table) for table in tables])
    columns = [np.concatenate([table.columns[name] for table in tables]) for name in names]
    return np.split(number_rows(columns, int(ends[-1])), ends[:-1])


def class_sizes(table: Table) -> Ints:
    """How many rows each class of equal rows has."""
    return np.bincount(*class_labels(table.schema.names, table))
