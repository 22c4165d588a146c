"""Row links: find a person's pseudonym by looking up single rows of the original in the release.

The attack is a dictionary. Every published row enters its pseudonym under some of its attributes,
and later rows overwrite earlier ones; then the original is read in its order, and what a row finds
is guessed for that person and month, later rows overwriting again. The published order is random,
so the score here is the expectation over it: of all published rows under the last key that is
found, the share with the right pseudonym.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from quintain.data.purchases import Purchases, months_of
from quintain.data.table import Array
from quintain.releases.pseudonyms import PseudonymTable

Attribute = Literal["item", "day", "month", "price", "quantity"]

ROOM = 8
"""Keys are used as they are while there are at most so many times more than rows."""

Keys = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class RowKeys:
    """Numbers for the rows of original and release: equal numbers where attributes are equal.

    Parameters
    ----------
    codes : for each attribute a number for every row, those of the original first.
    sizes : for each attribute how many numbers there are.
    split : how many rows the original has.
    """

    codes: dict[Attribute, Array]
    sizes: dict[Attribute, int]
    split: int

    @classmethod
    def of(cls, original: Purchases, published: Purchases, item_prefix: int | None) -> RowKeys:
        """Number the attributes; ``item_prefix`` is how many characters of an item count."""
        names = [name[:item_prefix] for name in original.items]
        _, kind = np.unique(names, return_inverse=True)
        day = np.concatenate([original.day, published.day])
        codes: dict[Attribute, Array] = {
            "item": kind[np.concatenate([original.item, published.item])],
            "day": _from_zero(day),
            "month": _from_zero(months_of(day)),
            "price": _numbered(np.concatenate([original.price, published.price])),
            "quantity": _from_zero(np.concatenate([original.quantity, published.quantity])),
        }
        sizes = {name: int(values.max(initial=0)) + 1 for name, values in codes.items()}
        return cls(codes, sizes, len(original))

    def keys(self, attributes: Sequence[Attribute]) -> tuple[Keys, Keys]:
        """One number a row for several attributes: of the original, and of what is published."""
        key, size = np.zeros(len(self.codes["item"]), np.int64), 1
        for name in attributes:
            if size * self.sizes[name] >= 2**62:
                key = _numbered(key)
                size = int(key.max(initial=0)) + 1
            key, size = key * self.sizes[name] + self.codes[name], size * self.sizes[name]
        if size > ROOM * len(key):
            key = _numbered(key)
        return key[: self.split], key[self.split :]


def expected_share(
    truth: PseudonymTable, cell: Keys, keys: tuple[Keys, Keys], pseudonym: Array
) -> float:
    """The share of cells in which the dictionary attack is expected to find the pseudonym.

    Parameters
    ----------
    cell : for every row of the original the number of its cell.
    keys : for every row of the original, and every published row, what it is looked up by.
    pseudonym : for every published row its pseudonym.
    """
    known, published = keys
    right = truth.cells.ravel()
    asked = int(np.count_nonzero(right >= 0))
    if not asked:
        return 0.0
    size = int(max(known.max(initial=0), published.max(initial=0))) + 1
    count = np.bincount(published, minlength=size)
    found = np.flatnonzero((count[known] > 0) & (right[cell] >= 0))
    last = np.full(len(right), -1)
    last[cell[found]] = found
    guessed = np.flatnonzero(last >= 0)
    key = known[last[guessed]]
    hits = _count_pairs(key, right[guessed], published, pseudonym, size)
    return float((hits / count[key]).sum()) / asked


def _count_pairs(
    key: Keys, name: Array, published: Keys, pseudonym: Array, size: int
) -> npt.NDArray[np.int64]:
    """For each pair of key and name the number of published rows that have both."""
    asked = np.zeros(size, bool)
    asked[key] = True
    rows = np.flatnonzero(asked[published])
    names = int(max(name.max(initial=0), pseudonym.max(initial=0))) + 1
    wanted, which = np.unique(key * names + name, return_inverse=True)
    there = published[rows] * names + pseudonym[rows]
    place = np.minimum(np.searchsorted(wanted, there), max(len(wanted) - 1, 0))
    there_too = place[wanted[place] == there]
    return np.bincount(there_too, minlength=len(wanted))[which]


def _numbered(values: Array) -> Array:
    """Numbers for values, equal ones for equal values, in no particular order."""
    return np.asarray(pa.array(values).dictionary_encode().indices.to_numpy()).astype(np.int64)


def _from_zero(values: Array) -> Array:
    """Integers as numbers from 0; renumbered where they are spread too far."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    if high - low < 2**20:
        return values.astype(np.int64) - low
    return _numbered(values)
