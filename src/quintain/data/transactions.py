"""Transactions: many rows per person, each with a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Mask, Rows
from quintain.data.codec import missing_cells
from quintain.data.columns import Columns
from quintain.data.schema import Column

PERSON_ROLES = ("person", "customer")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Transactions(Columns):
    """Rows of which a person has many; rows keep their order.

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
        """The column that says whose row it is."""
        for role in PERSON_ROLES:
            column = self.schema.role(role)
            if column is not None:
                return column
        raise ValueError(f"no column has a role among {', '.join(PERSON_ROLES)}")

    @property
    def time_column(self) -> Column:
        """The column that says when."""
        column = self.schema.role("time")
        if column is None:
            raise ValueError("no column has the role 'time'")
        return column

    def persons(self) -> Rows:
        """The distinct persons, sorted."""
        return np.unique(self.columns[self.person_column.name])

    def deleted(self) -> Mask:
        """For every row whether it was deleted: it keeps its place, but nobody's name."""
        return missing_cells(self.person_column, self.columns[self.person_column.name])

    def person_of_row(self) -> Rows:
        """For every row the position of its person in :meth:`persons`."""
        _, codes = np.unique(self.columns[self.person_column.name], return_inverse=True)
        return codes.astype(np.int64)
