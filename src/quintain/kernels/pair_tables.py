"""Pair tables: the counts of all pairs of columns, made once and read for any number of records.

All 2**d sets of columns are counted as well. Each record is reduced to the set of columns in which
it agrees with a target, as the bits of a number. Counting those numbers gives how many records
agree in exactly these columns. The sum over all supersets (a zeta transform) then gives how many
agree in at least these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Array, Floats, Ints, Rows

MOST_CELLS = 2**16
"""A pair of columns must have fewer pairs of values than this."""
_WORD = 63

Pair = tuple[int, int]
"""The places of two columns."""

MOST_COLUMNS = 16
"""With more columns than this there are too many sets of them to count in memory."""


# Paired codes: two columns as one number, so that half as many passes over the records are needed.
#
# Looking a number up in a table takes the same time for a pair of columns as for one of them. What
# does not change from one release to the next stands in those tables.


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
            _tables(pairing, [codes[low : low + at_once] for codes in targets])
            for low in range(0, count, at_once)
        ]
        return cls(width, count, words)

    def counts(self, keys: Sequence[Rows]) -> Ints:
        """How many records agree with each target in exactly each set of columns.

        This is :func:`quintain.kernels.pair_tables.agreement_counts`, but faster.

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


@dataclass(frozen=True, slots=True, eq=False)
class PairLayout:
    """Where the table of each pair of columns begins in one long array.

    Parameters
    ----------
    sizes : how many values each column has.
    starts : the first cell of each pair, pair after pair; at the end the number of all cells.
    first, second : for each cell its value in the first and in the second column of its pair.
    """

    sizes: tuple[int, ...]
    pairs: tuple[Pair, ...]
    starts: Rows
    first: Rows
    second: Rows

    def cells(self, columns: Sequence[Array]) -> Rows:
        """The cell of each record in the table of each pair: pairs x records."""
        wide = [np.asarray(values, np.int64) for values in columns]
        out = np.empty((len(self.pairs), len(wide[0]) if wide else 0), np.int64)
        for place, (i, j) in enumerate(self.pairs):
            out[place] = wide[i] * self.sizes[j] + wide[j] + self.starts[place]
        return out


@lru_cache(maxsize=8)
def layout(sizes: tuple[int, ...]) -> PairLayout:
    """Lay the tables of all pairs of columns with these sizes one after the other."""
    pairs = tuple(combinations(range(len(sizes)), 2))
    lengths = np.array([sizes[i] * sizes[j] for i, j in pairs], np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    grids = [np.divmod(np.arange(sizes[i] * sizes[j]), sizes[j]) for i, j in pairs]
    first, second = (
        np.concatenate([grid[side] for grid in grids] or [np.zeros(0, np.int64)]) for side in (0, 1)
    )
    return PairLayout(sizes, pairs, starts, first, second)


@dataclass(frozen=True, slots=True, eq=False)
class PairTables:
    """How often each pair of values occurs, for every pair of columns.

    Parameters
    ----------
    rows : how many records were counted.
    counts : the tables, one after the other.
    singles : how often each value of each column occurs.
    """

    layout: PairLayout
    rows: int
    counts: Ints
    singles: tuple[Ints, ...]

    @classmethod
    def of(cls, columns: Sequence[Array], sizes: Sequence[int]) -> PairTables:
        """Count all pairs of columns; the values are codes from 0.

        >>> tables = PairTables.of([np.array([0, 1, 1]), np.array([1, 0, 0])], [2, 2])
        >>> tables.counts.tolist(), [one.tolist() for one in tables.singles]
        ([0, 1, 2, 0], [[1, 2], [2, 1]])
        """
        places = layout(tuple(sizes))
        largest = max((sizes[i] * sizes[j] for i, j in places.pairs), default=0)
        kind = np.int16 if largest < 2**15 else np.int64
        narrow: list[Array] = [np.asarray(values, kind) for values in columns]
        tables = [
            np.bincount(narrow[i] * kind(sizes[j]) + narrow[j], minlength=sizes[i] * sizes[j])
            for i, j in places.pairs
        ]
        counts = np.concatenate(tables) if tables else np.zeros(0, np.int64)
        singles = tuple(
            np.bincount(values, minlength=size) for values, size in zip(narrow, sizes, strict=True)
        )
        return cls(places, len(columns[0]) if columns else 0, counts, singles)

    def information(self) -> Floats:
        """The mutual information of each pair of columns, in nats.

        >>> twins = np.array([0, 1, 0, 1])
        >>> PairTables.of([twins, twins], [2, 2]).information().round(4)
        array([0.6931])
        """
        own = np.array([_log_sum(counts) for counts in self.singles])
        if not len(self.counts) or not self.rows:
            return np.zeros(len(self.layout.pairs))
        weights = self.counts * np.log(np.maximum(self.counts, 1))
        joint = np.add.reduceat(weights, self.layout.starts[:-1])
        pairs = np.array(self.layout.pairs, np.int64)
        both = joint - own[pairs[:, 0]] - own[pairs[:, 1]]
        return np.asarray(both / self.rows + np.log(self.rows))

    def spanning_tree(self) -> list[int]:
        """The pairs of the tree in which columns depend most on each other (Chow and Liu 1968).

        Pairs are given by their place in the layout.
        """
        group = list(range(len(self.layout.sizes)))
        edges = []
        for place in np.argsort(-self.information(), kind="stable").tolist():
            one, other = (group[column] for column in self.layout.pairs[place])
            if one != other:
                edges.append(place)
                group = [one if each == other else each for each in group]
        return edges

    def products(self) -> Floats:
        """For each pair of columns the mean product of their codes."""
        if not len(self.counts):
            return np.zeros(0)
        weights = self.counts * (self.layout.first * self.layout.second)
        return np.asarray(np.add.reduceat(weights, self.layout.starts[:-1]) / max(1, self.rows))


def _log_sum(counts: Ints) -> float:
    present = counts[counts > 0]
    return float((present * np.log(present)).sum())


def agreement_counts(columns: Sequence[Array], targets: Sequence[Array]) -> Ints:
    """How many records agree with each target in exactly each set of columns.

    Parameters
    ----------
    columns : the records, one array of codes per column.
    targets : the targets, one array of codes per column, in the same order.

    Returns one row per target. The set of the columns j has the number ``sum(2**j)``.

    >>> agreement_counts([np.array([7, 7, 8]), np.array([1, 2, 2])], [np.array([7]), np.array([2])])
    array([[0, 1, 1, 1]])
    """
    count, size = len(targets[0]), 1 << len(columns)
    if len(columns) > MOST_COLUMNS:
        raise ValueError(f"{len(columns)} columns have too many sets; the limit is {MOST_COLUMNS}")
    out = np.empty((count, size), np.int64)
    for target in range(count):
        sets = np.zeros(len(columns[0]), np.int64)
        for low in range(0, len(columns), 8):
            sets += _agreement(columns[low : low + 8], targets[low : low + 8], target) << low
        out[target] = np.bincount(sets, minlength=size)
    return out


def _agreement(columns: Sequence[Array], targets: Sequence[Array], target: int) -> Ints:
    """In which of up to eight columns each record agrees with a target, as bits."""
    bits = np.zeros(len(columns[0]), np.uint8)  # one byte per record: eight times faster than words
    for place, (values, wanted) in enumerate(zip(columns, targets, strict=True)):
        same = (values == wanted[target]).view(np.uint8)
        bits |= np.left_shift(same, place, out=same)
    return bits.astype(np.int64)


def superset_sums(counts: Ints) -> Ints:
    """Sum over all supersets, for each set of bits in the last axis.

    >>> superset_sums(np.array([0, 1, 1, 1]))
    array([3, 2, 2, 1])
    """
    size = counts.shape[-1]
    low = 1 << (size.bit_length() // 2)
    # Sums of long stretches are fast. So the low bits are swapped with the high ones and back.
    high = _upper_sums(counts.reshape(-1, size // low, low).copy())
    both = _upper_sums(high.transpose(0, 2, 1).copy())
    return np.ascontiguousarray(both.transpose(0, 2, 1)).reshape(counts.shape)


def _upper_sums(table: Ints) -> Ints:
    """Sum over all supersets of the bits of the middle axis, in place."""
    blocks, size, length = table.shape
    step = 1
    while step < size:
        halves = table.reshape(blocks, size // (2 * step), 2, step, length)
        halves[:, :, 0] += halves[:, :, 1]
        step *= 2
    return table


@lru_cache(maxsize=32)
def set_sizes(columns: int) -> npt.NDArray[np.int64]:
    """How many columns each set has, by the number of the set.

    >>> set_sizes(2).tolist()
    [0, 1, 1, 2]
    """
    sizes = np.zeros(1, np.int64)
    for _ in range(columns):
        sizes = np.concatenate([sizes, sizes + 1])
    sizes.flags.writeable = False
    return sizes
