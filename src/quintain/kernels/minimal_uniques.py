"""Minimal uniques: the smallest sets of values that only one row of a table has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from quintain.data.arrays import Ints, Mask, Rows, number_values

_SHORT = 1 << 18  # a list of so many cells is quickly made


def minimal_uniques(codes: Ints, most: int) -> Ints:
    """For each row how many minimal sets of 1, 2 ... ``most`` columns it is alone in.

    A row is alone in a set of columns if no other row has the same values there. The set is minimal
    if the row is alone in no part of it.

    Parameters
    ----------
    codes : one column per column of the table; equal numbers are equal values.
    most : how many columns a set has at most.

    >>> minimal_uniques(np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 1]]), 2).tolist()
    [[0, 1], [0, 1], [0, 1], [0, 1], [1, 0]]
    """
    columns = [number_values(column) for column in codes.T]
    sizes = [1 + int(column.max(initial=-1)) for column in columns]
    counts = np.zeros((len(codes), most), np.int64)
    alone: dict[tuple[int, ...], Mask] = {(): np.zeros(len(codes), bool)}
    for size in range(1, min(most, len(columns)) + 1):
        within = alone
        alone = {}
        for chosen in combinations(range(len(columns)), size):
            # Who is alone in a part is alone in the whole, and no match for anybody else.
            known = np.logical_or.reduce([within[part] for part in combinations(chosen, size - 1)])
            rows = np.flatnonzero(~known)
            new = rows[_are_alone([columns[i][rows] for i in chosen], [sizes[i] for i in chosen])]
            counts[new, size - 1] += 1
            known[new] = True
            alone[chosen] = known
    return counts


def _are_alone(columns: Sequence[Rows], sizes: Sequence[int]) -> Mask:
    """Which rows no other row equals."""
    first, *others = columns
    keys, rows, space = first, len(first), sizes[0]
    for column, size in zip(others, sizes[1:], strict=True):
        if space * size >= 2**62:
            keys = number_values(keys)
            space = int(keys.max(initial=0)) + 1
        keys, space = keys * size + column, space * size
    if space > max(_SHORT, rows):
        keys = number_values(keys)
    counts = np.bincount(keys)
    mask: Mask = counts[keys] == 1
    return mask


def count_sets(columns: int, most: int) -> int:
    """How many sets of at most ``most`` columns there are.

    >>> count_sets(12, 3)
    298
    """
    return sum(math.comb(columns, size) for size in range(1, most + 1))
