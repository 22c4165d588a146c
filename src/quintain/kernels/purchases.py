"""Purchases: transactions as arrays, with keys of rows, baskets of items and their similarity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from quintain.data.arrays import MISSING_TIME, Array, Codes, Floats, Mask, Rows, distinct
from quintain.data.codec import missing_cells
from quintain.data.column import Column, KindName
from quintain.data.transactions import Transactions
from quintain.errors import Faults, PartError, SubmissionError
from quintain.wording.languages import tell

if TYPE_CHECKING:
    from scipy.sparse import csr_array


DAY = 86_400

Days = npt.NDArray[np.int32]

ROLES: dict[str, KindName] = {"item": "category", "price": "real", "quantity": "integer"}
"""The attributes of a purchase beside person and time, and the kind of column for each."""

Attribute = Literal["item", "day", "month", "price", "quantity"]

ROOM = 8
"""Keys are renumbered when there are more than this many times as many keys as rows."""

Keys = npt.NDArray[np.int64]

PAIRS = 4_000_000
"""The number of pairs of baskets compared at once."""

WIDE = 16_384
"""The most baskets that one is compared with at once, so that the sums stay in a core's cache."""


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


def encode_values(values: Array) -> tuple[Codes, Array]:
    """Replace each value by its position among the sorted distinct values; return both.

    Hashing is faster than sorting: there are far fewer distinct values than rows. Long texts need
    the large type: with the usual one, an array of more than 16 MB of text falls into pieces, each
    with its own list of distinct values.

    >>> codes, distinct = encode_values(np.array(["b", "a", "b"]))
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
    codes, persons = encode_values(transactions.columns[transactions.person_column.name])
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
            message = tell("is missing in a row that was not deleted")
            faults.add(message, line=faults.line_of(row), column=column.name)
        faults.count(len(rows) - len(listed))
    faults.raise_if_any(SubmissionError)


@dataclass(frozen=True, slots=True, eq=False)
class RowKeys:
    """Numbers for the rows of two sets of purchases: equal numbers where attributes are equal.

    Parameters
    ----------
    codes : for each attribute a number for every row, those of the first set first.
    sizes : for each attribute how many numbers there are.
    split : how many rows the first set has.
    """

    codes: dict[Attribute, Array]
    sizes: dict[Attribute, int]
    split: int

    @classmethod
    def of(cls, one: Purchases, other: Purchases, item_prefix: int | None = None) -> RowKeys:
        """Number the attributes; ``item_prefix`` is how many characters of an item count."""
        names = [name[:item_prefix] for name in one.items]
        _, kind = np.unique(names, return_inverse=True)
        day = np.concatenate([one.day, other.day])
        codes: dict[Attribute, Array] = {
            "item": kind[np.concatenate([one.item, other.item])],
            "day": _from_zero(day),
            "month": _from_zero(months_of(day)),
            "price": _number_values(np.concatenate([one.price, other.price])),
            "quantity": _from_zero(np.concatenate([one.quantity, other.quantity])),
        }
        sizes = {name: int(values.max(initial=0)) + 1 for name, values in codes.items()}
        return cls(codes, sizes, len(one))

    def keys(self, attributes: Sequence[Attribute]) -> tuple[Keys, Keys]:
        """One number per row for several attributes: of the first set, and of the second."""
        key, size = np.zeros(len(self.codes["item"]), np.int64), 1
        for name in attributes:
            if size * self.sizes[name] >= 2**62:
                key = _number_values(key)
                size = int(key.max(initial=0)) + 1
            key, size = key * self.sizes[name] + self.codes[name], size * self.sizes[name]
        if size > ROOM * len(key):
            key = _number_values(key)
        return key[: self.split], key[self.split :]


def _number_values(values: Array) -> Array:
    """Numbers for values, equal ones for equal values, in no particular order."""
    return np.asarray(pa.array(values).dictionary_encode().indices.to_numpy()).astype(np.int64)


def _from_zero(values: Array) -> Array:
    """Integers as numbers from 0; renumbered where they are spread too far."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    if high - low < 2**20:
        return values.astype(np.int64) - low
    return _number_values(values)


def row_lengths(matrix: csr_array) -> npt.NDArray[np.float64]:
    """The length of every row of a matrix."""
    lengths: npt.NDArray[np.float64] = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    return lengths


def unit_rows(matrix: csr_array) -> csr_array:
    """Divide each row of a matrix by its length; a row of zeros stays unchanged.

    >>> from scipy.sparse import csr_array
    >>> unit_rows(csr_array([[3.0, 4.0], [0.0, 0.0]])).toarray().round(9).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    from scipy.sparse import diags_array

    length = row_lengths(matrix)
    return (diags_array(1 / np.where(length == 0, 1, length)) @ matrix).tocsr()


@dataclass(frozen=True, slots=True, eq=False)
class Baskets:
    """One basket for each person and month with purchases, ordered by month, then person.

    Parameters
    ----------
    person : whose basket it is, as a position among the persons.
    month : months since January 1970; 0 throughout if a basket is all that a person bought.
    holds : baskets by items; 1 where the item is in the basket.
    """

    person: Rows
    month: Rows
    holds: csr_array

    @classmethod
    def of(cls, purchases: Purchases, *, by: Literal["month", "whole"] = "month") -> Baskets:
        """The baskets of all rows that were not deleted: per person and month, or per person."""
        from scipy.sparse import csr_array

        rows = purchases.live_rows()
        people = max(len(rows.persons), 1)
        month = months_of(rows.day) if by == "month" else np.zeros(len(rows), np.int64)
        basket, which = np.unique(month * people + rows.person, return_inverse=True)
        shape = (len(basket), len(rows.items))
        holds = csr_array((np.ones(len(rows)), (which, rows.item)), shape=shape)
        holds.data[:] = 1
        return cls(basket % people, basket // people, holds)

    def find(self, person: Array, month: Array) -> Rows:
        """The number of a person's basket in a month; -1 if the person has none."""
        if not len(self.person):
            return np.full(len(person), -1)
        people = int(max(self.person.max(), person.max(initial=0))) + 1
        own_keys = self.month * people + self.person
        wanted = month.astype(np.int64) * people + person
        place = np.minimum(np.searchsorted(own_keys, wanted), len(own_keys) - 1)
        return np.where(own_keys[place] == wanted, place, -1)


def compare(
    one: csr_array, month: Rows, other: csr_array, other_month: Rows
) -> Iterator[tuple[slice, int, csr_array]]:
    """Products of rows with all rows of the other matrix in the same month, block by block.

    Both must be ordered by month. Yields which rows, the first of the other rows, and the block.
    """
    for each in distinct(month).tolist():
        first, end = np.searchsorted(month, [each, each + 1]).tolist()
        low, high = np.searchsorted(other_month, [each, each + 1]).tolist()
        for left in range(low, high, WIDE):
            turned = other[left : min(left + WIDE, high)].T.tocsr()
            step = max(1, PAIRS // turned.shape[1])
            for start in range(first, end, step):
                rows = slice(start, min(start + step, end))
                yield rows, left, one[rows] @ turned
