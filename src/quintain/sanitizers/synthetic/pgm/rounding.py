"""Draw whole records from expected counts with as little randomness as possible.

Independent draws would add sampling noise to every cell, about the square root of its count. Here
each count is the expected one rounded down or up: cumulative expected counts are placed on a line,
and after one random shift every integer on the line becomes a record (systematic sampling).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats, Ints


def round_rows(
    weights: Floats, totals: npt.NDArray[np.int64], rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Give whole counts with the given row totals, in proportion to weights.

    Every count has the right expectation, and differs from it by less than one.

    >>> round_rows(np.array([[1.0, 3.0]]), np.array([8]), np.random.default_rng(0)).tolist()
    [[2, 6]]
    """
    line = np.cumsum(weights, axis=1)
    last = line[:, -1:]
    even = np.arange(1, weights.shape[1] + 1) / weights.shape[1]
    line = np.where(last > 0, line / np.where(last > 0, last, 1.0), even)
    # Shifts of different rows are spread evenly, so that rounding errors cancel in column sums.
    count = len(totals)
    shift = (rng.permutation(count) + rng.random(count)) / max(1, count)
    marks = np.floor(line * totals[:, None] + shift[:, None]).astype(np.int64)
    marks[:, -1] = totals
    return np.diff(np.minimum(marks, totals[:, None]), axis=1, prepend=0)


def draw_given(given: Ints, weights: Floats, rng: np.random.Generator) -> Ints:
    """Draw one value per record, given a value that it already has.

    Parameters
    ----------
    given : the row of ``weights`` for each record.
    weights : one row per given value: the probability of each new value, up to a factor.
    """
    totals = np.bincount(given, minlength=len(weights))
    present = np.flatnonzero(totals)
    counts = round_rows(weights[present], totals[present], rng)
    values = np.repeat(np.tile(np.arange(weights.shape[1]), len(present)), counts.ravel())
    # Records with the same given value get the new values in random order.
    mixed = rng.permutation(len(given))
    keys = given[mixed]
    if len(weights) <= np.iinfo(np.uint16).max:
        keys = keys.astype(np.uint16)  # NumPy sorts short integers by radix, which is much faster.
    out = np.empty(len(given), np.int64)
    out[mixed[np.argsort(keys, kind="stable")]] = values
    return out
