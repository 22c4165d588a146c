"""Paired codes: two columns as one number, so that half as many passes over the records are needed.

Looking a number up in a table takes the same time for a pair of columns as for one of them. What
does not change from one release to the next stands in those tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from quintain.data.arrays import Array, Ints, Rows

MOST_CELLS = 2**16
"""A pair of columns must have fewer pairs of values than this."""
_WORD = 63


@dataclass(frozen=True, slots=True)
class Pairing:
    """Neighbouring columns in pairs; the last one of an odd number is paired with nothing.

    Parameters
    ----------
    sizes : how many values each column has.
    """

    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if max((a * b for a, b in pairwise(self.sizes)), default=0) >= MOST_CELLS:
            raise ValueError(f"two columns have {MOST_CELLS} pairs of values or more")

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """How many values both columns of each pair have."""
        sizes = [*self.sizes, 1] if len(self.sizes) % 2 else [*self.sizes]
        return list(zip(sizes[::2], sizes[1::2], strict=True))

    def keys(self, columns: Sequence[Array]) -> list[Rows]:
        """One number per record and pair of columns.

        >>> Pairing((2, 3)).keys([np.array([0, 1], np.uint8), np.array([2, 1], np.uint8)])
        [array([2, 4])]
        """
        out = []
        for pair, (_, width) in enumerate(self.shapes):
            key = columns[2 * pair].astype(np.uint16)
            if 2 * pair + 1 < len(columns):
                key *= np.uint16(width)
                key += columns[2 * pair + 1]
            out.append(key.astype(np.int64))
        return out

    def value_counts(self, keys: Sequence[Rows]) -> list[Ints]:
        """How often each value of each column occurs."""
        out: list[Ints] = []
        for key, shape in zip(keys, self.shapes, strict=True):
            table = np.bincount(key, minlength=shape[0] * shape[1]).reshape(shape)
            out += [table.sum(axis=1), table.sum(axis=0)]
        return out[: len(self.sizes)]


@dataclass(frozen=True, slots=True, eq=False)
class AgreementLookup:
    """For each pair of values, with which targets it agrees, as bits of a word.

    Parameters
    ----------
    columns : how many columns there are.
    targets : how many targets there are.
    words : for some targets at a time, one table per pair of columns.
    """

    columns: int
    targets: int
    words: list[list[Rows]]

    @classmethod
    def of(cls, pairing: Pairing, targets: Sequence[Array]) -> AgreementLookup:
        """Prepare to compare records with targets, which have one array of codes per column."""
        count, width = len(targets[0]), len(targets)
        at_once = _WORD // width
        words = [
            _tables(pairing, [one[low : low + at_once] for one in targets])
            for low in range(0, count, at_once)
        ]
        return cls(width, count, words)

    def counts(self, keys: Sequence[Rows]) -> Ints:
        """How many records agree with each target in exactly each set of columns.

        This is :func:`quintain.kernels.queries.superset_sums.agreement_counts`, but faster.

        >>> pairing = Pairing((9, 3))
        >>> lookup = AgreementLookup.of(pairing, [np.array([7]), np.array([2])])
        >>> columns = [np.array([7, 7, 8], np.uint8), np.array([1, 2, 2], np.uint8)]
        >>> lookup.counts(pairing.keys(columns)).tolist()
        [[0, 1, 1, 1]]
        """
        size, at_once = 1 << self.columns, _WORD // self.columns
        out: Array = np.empty((self.targets, size), np.int32)
        for block, tables in enumerate(self.words):
            agreed = tables[0].take(keys[0])
            for table, key in zip(tables[1:], keys[1:], strict=True):
                agreed |= table.take(key)
            for target in range(at_once * block, min(self.targets, at_once * (block + 1))):
                out[target] = np.bincount(agreed & (size - 1), minlength=size)
                agreed >>= self.columns
        return out


def _tables(pairing: Pairing, targets: Sequence[Array]) -> list[Rows]:
    out, width = [], len(targets)
    for pair, shape in enumerate(pairing.shapes):
        table = np.zeros(shape, np.int64)
        for number, value in enumerate(targets[2 * pair].tolist()):
            table[value] |= 1 << (width * number + 2 * pair)
        if 2 * pair + 1 < width:
            for number, value in enumerate(targets[2 * pair + 1].tolist()):
                table[:, value] |= 1 << (width * number + 2 * pair + 1)
        out.append(table.ravel())
    return out
