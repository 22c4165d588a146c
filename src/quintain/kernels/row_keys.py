"""Row keys: numbers for purchases, equal where their attributes are equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from quintain.data.arrays import Array
from quintain.kernels.purchases import Purchases, months_of

Attribute = Literal["item", "day", "month", "price", "quantity"]

ROOM = 8
"""Keys are renumbered when there are more than this many times as many keys as rows."""

Keys = npt.NDArray[np.int64]


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
            "price": _numbered(np.concatenate([one.price, other.price])),
            "quantity": _from_zero(np.concatenate([one.quantity, other.quantity])),
        }
        sizes = {name: int(values.max(initial=0)) + 1 for name, values in codes.items()}
        return cls(codes, sizes, len(one))

    def keys(self, attributes: Sequence[Attribute]) -> tuple[Keys, Keys]:
        """One number per row for several attributes: of the first set, and of the second."""
        key, size = np.zeros(len(self.codes["item"]), np.int64), 1
        for name in attributes:
            if size * self.sizes[name] >= 2**62:
                key = _numbered(key)
                size = int(key.max(initial=0)) + 1
            key, size = key * self.sizes[name] + self.codes[name], size * self.sizes[name]
        if size > ROOM * len(key):
            key = _numbered(key)
        return key[: self.split], key[self.split :]


def _numbered(values: Array) -> Array:
    """Numbers for values, equal ones for equal values, in no particular order."""
    return np.asarray(pa.array(values).dictionary_encode().indices.to_numpy()).astype(np.int64)


def _from_zero(values: Array) -> Array:
    """Integers as numbers from 0; renumbered where they are spread too far."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    if high - low < 2**20:
        return values.astype(np.int64) - low
    return _numbered(values)
