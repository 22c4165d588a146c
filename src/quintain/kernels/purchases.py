"""Purchases: shopping transactions as plain arrays, one entry per row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from quintain.data.arrays import MISSING_TIME, Array, Codes, Floats, Mask
from quintain.data.codec import missing_cells
from quintain.data.schema import Column, Kind
from quintain.data.transactions import Transactions
from quintain.errors import Faults, PartError, SubmissionError

DAY = 86_400

Days = npt.NDArray[np.int32]

ROLES: dict[str, Kind] = {"item": "category", "price": "real", "quantity": "integer"}
"""The attributes of a purchase beside person and time, and the kind of column for each."""


@dataclass(frozen=True, slots=True, eq=False)
class Purchases:
    """Who bought what, when, for how much and how many, row by row.

    Parameters
    ----------
    person : the position in ``persons`` of each row's person; -1 if the row was deleted.
    persons : the distinct persons or pseudonyms, sorted.
    day : days since 1970.
    item : the position in ``items`` of each row's item.
    items : everything that the shop sells, also items that nobody bought.
    price, quantity : as in the table.
    """

    person: Codes
    persons: Array
    day: Days
    item: Codes
    items: tuple[str, ...]
    price: Floats
    quantity: npt.NDArray[np.int64]

    @classmethod
    def of(cls, transactions: Transactions) -> Purchases:
        """Read the purchases of a table; columns have roles, or are the only one of their kind.

        Cells of deleted rows may be missing. In all other rows a missing cell is a fault.
        """
        person, persons = _persons(transactions)
        columns = {role: column_of(transactions, role) for role in ROLES}
        values = {role: transactions.columns[column.name] for role, column in columns.items()}
        when = transactions.columns[transactions.time_column.name]
        _refuse_missing(transactions, [transactions.time_column, *columns.values()], person >= 0)
        quantity = values["quantity"].astype(np.int64) + columns["quantity"].offset
        day = np.where(when == MISSING_TIME, 0, when) // DAY
        return cls(
            person=person,
            persons=persons,
            day=day.astype(np.int32),
            item=values["item"],
            items=columns["item"].values,
            price=values["price"],
            quantity=quantity,
        )

    def __len__(self) -> int:
        return len(self.person)

    @property
    def live(self) -> Mask:
        """Which rows were not deleted."""
        return self.person >= 0

    def take(self, rows: npt.NDArray[np.int64] | Mask) -> Purchases:
        """Select rows; persons and items keep their positions."""
        return Purchases(
            self.person[rows],
            self.persons,
            self.day[rows],
            self.item[rows],
            self.items,
            self.price[rows],
            self.quantity[rows],
        )

    def live_rows(self) -> Purchases:
        """Select the rows that were not deleted."""
        return self if self.live.all() else self.take(self.live)


def column_of(transactions: Transactions, role: str) -> Column:
    """Find the column for an attribute of purchases: by its role, or the only one of its kind."""
    column = transactions.schema.role(role)
    if column is None:
        same_kind = [c for c in transactions.schema.columns if c.kind == ROLES[role] and not c.role]
        if len(same_kind) != 1:
            raise PartError(
                f"no column has the role {role!r}: give it to one of kind {ROLES[role]}"
            )
        column = same_kind[0]
    if column.kind != ROLES[role]:
        raise PartError(
            f"column {column.name!r} has the role {role!r}, so its kind must be {ROLES[role]}, "
            f"not {column.kind}"
        )
    return column


def months_of(day: Days) -> npt.NDArray[np.int64]:
    """Convert days since 1970 to months since January 1970.

    >>> months_of(np.array([0, 30, 31, -1, 14_944], np.int32)).tolist()
    [0, 0, 1, -1, 491]
    """
    first, last = int(day.min(initial=0)), int(day.max(initial=0))
    if last - first > len(day):
        return _months(day)
    return _months(np.arange(first, last + 1))[day - first]


def _months(day: Array) -> npt.NDArray[np.int64]:
    return day.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)


def coded(values: Array) -> tuple[Codes, Array]:
    """Replace each value by its position among the sorted distinct values; return both.

    Hashing is faster than sorting: there are far fewer distinct values than rows. Long texts need
    the large type: with the usual one, an array of more than 16 MB of text falls into pieces, each
    with its own list of distinct values.

    >>> codes, distinct = coded(np.array(["b", "a", "b"]))
    >>> codes.tolist(), distinct.tolist()
    ([1, 0, 1], ['a', 'b'])
    """
    texts = pa.large_string() if values.dtype.kind == "U" else None
    encoded = pa.array(values, texts).dictionary_encode()
    distinct = encoded.dictionary.to_numpy(zero_copy_only=False).astype(values.dtype)
    order = np.argsort(distinct, kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[encoded.indices.to_numpy()], distinct[order]


def _persons(transactions: Transactions) -> tuple[Codes, Array]:
    codes, persons = coded(transactions.columns[transactions.person_column.name])
    if not len(persons) or persons[0] != "":  # a missing person sorts first
        return codes, persons
    return codes - 1, persons[1:]


def _refuse_missing(transactions: Transactions, columns: list[Column], live: Mask) -> None:
    faults = Faults("transactions")
    for column in columns:
        missing = missing_cells(column, transactions.columns[column.name])
        rows = np.flatnonzero(missing & live)
        listed = rows[: faults.room()]
        for row in listed.tolist():
            message = "is missing in a row that was not deleted"
            faults.add(message, line=faults.line_of(row), column=column.name)
        faults.count(len(rows) - len(listed))
    faults.raise_if_any(SubmissionError)
