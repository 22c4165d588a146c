"""Transactions: many rows per person, each with a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Mask, Rows, distinct
from quintain.data.codec import missing_cells
from quintain.data.column import Column
from quintain.data.columns import Columns

PERSON_ROLES = ("person", "customer")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Transactions(Columns):
    """Rows under a schema, many per person; the rows keep their order.

    >>> from quintain.data import Column, Schema
    >>> schema = Schema(shape="transactions", columns=(
    ...     Column(name="who", kind="id", role="customer"),
    ...     Column(name="day", kind="time", role="time")))
    >>> t = Transactions.of(schema, {"who": [9, 4, 9], "day": ["2011-01-02"] * 3})
    >>> t.persons().tolist(), t.person_of_row().tolist()
    ([4, 9], [1, 0, 1])
    """

    @property
    def person_column(self) -> Column:
        """The column with the person to whom a row belongs."""
        for role in PERSON_ROLES:
            column = self.schema.role(role)
            if column is not None:
                return column
        raise ValueError(f"transactions need a column with the role {' or '.join(PERSON_ROLES)}")

    @property
    def time_column(self) -> Column:
        """The column with the time of a row."""
        column = self.schema.role("time")
        if column is None:
            raise ValueError("transactions need a column with the role time")
        return column

    def persons(self) -> Rows:
        """The identifiers of all persons, sorted, each once."""
        return distinct(self.columns[self.person_column.name])

    def deleted_rows(self) -> Mask:
        """For every row whether it is deleted: a deleted row keeps its place but has no person."""
        return missing_cells(self.person_column, self.columns[self.person_column.name])

    def person_of_row(self) -> Rows:
        """For every row the position of its person in :meth:`persons`."""
        _, codes = np.unique(self.columns[self.person_column.name], return_inverse=True)
        return codes.astype(np.int64)
