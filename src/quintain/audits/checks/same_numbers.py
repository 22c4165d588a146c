"""Same numbers: whether rows of two tables with one number are alike, or have it by chance."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.data import Table
from quintain.data.arrays import Array
from quintain.data.learning.matching.names import numbers_rows

_FIRST = (0, 1)
"""Where people begin to count."""


def counts_from_one(cells: pa.ChunkedArray) -> bool:
    """Whether the different cells are 1, 2, 3 ..., as anybody numbers rows or people anew.

    >>> counts_from_one(pa.chunked_array([["2", "1", "1"]]))
    True
    """
    different = pa.chunked_array([pc.unique(cells)])
    return numbers_rows(different) and pc.min(different.cast(pa.int64())).as_py() in _FIRST


def chance_of_alike_rows(one: Table, other: Table, numbers: tuple[Array, Array]) -> float:
    """How likely rows with one number would be as alike, if numbers had nothing to do with rows.

    Of each number the first row counts. The columns are tested one by one, numbers by the
    correlation of their ranks (Spearman) and words by how often they are equal; the smallest of all
    chances is multiplied by the number of tests (Bonferroni).

    Parameters
    ----------
    numbers : for each row of both tables its number, as a text.

    >>> from quintain.testing.examples import experiment
    >>> table = experiment()[0].private
    >>> each = np.arange(len(table)).astype(str)
    >>> chance_of_alike_rows(table, table, (each, each)) < 0.001
    True
    >>> chance_of_alike_rows(table, table, (each, each[::-1])) > 0.001
    True
    """
    firsts = [np.unique(own, return_index=True) for own in numbers]
    _, here, there = np.intersect1d(firsts[0][0], firsts[1][0], return_indices=True)
    rows = [first[1][place] for first, place in zip(firsts, (here, there), strict=True)]
    chances = [1.0]
    for column in one.schema.columns:
        if column.name in other.schema and not column.identifying:
            pair = [t.columns[column.name][own] for t, own in zip((one, other), rows, strict=True)]
            words = column.listed
            chances.append(_chance_of_equal(*pair) if words else _chance_of_order(*pair))
    return min(1.0, min(chances) * (len(chances) - 1))


def _chance_of_equal(one: Array, other: Array) -> float:
    """Of as many equal words, if the words of the second side were shuffled."""
    from scipy.stats import norm

    shares = [
        np.bincount(own + 1, minlength=max(one.max(), other.max()) + 2) for own in (one, other)
    ]
    share = float((shares[0] * shares[1]).sum()) / len(one) ** 2
    spread = math.sqrt(share * (1 - share) / len(one))
    return 1.0 if spread == 0 else float(norm.sf((np.mean(one == other) - share) / spread))


def _chance_of_order(one: Array, other: Array) -> float:
    """Of as similar an order, if the numbers of the second side were shuffled."""
    from scipy.stats import norm, rankdata

    ranks = [rankdata(np.nan_to_num(own.astype(np.float64), nan=-np.inf)) for own in (one, other)]
    if min(np.ptp(own) for own in ranks) == 0:
        return 1.0
    return float(norm.sf(np.corrcoef(*ranks)[0, 1] * math.sqrt(len(one) - 1)))
