"""Overlap: samples of which any two have the same number of rows in common.

All of them have a common core, and each has rows of its own that no other has. Nobody is told which
of its rows are in the core.
"""

from __future__ import annotations

import numpy as np

from quintain.data.arrays import Rows
from quintain.errors import PartError


def seats_for(population: int, rows: int, overlap: int) -> int | None:
    """How many such samples a population has; None if there is no limit, because all are equal.

    >>> seats_for(1000, rows=100, overlap=40), seats_for(1000, rows=100, overlap=100)
    (16, None)
    """
    return None if rows == overlap else (population - overlap) // (rows - overlap)


def draw_rows(
    population: int,
    rows: int,
    overlap: int,
    seat: int,
    *,
    shared: np.random.Generator,
    rng: np.random.Generator,
) -> Rows:
    """The rows of the sample at a seat, in an order that does not tell which of them are common.

    >>> first, other = (
    ...     draw_rows(20, 6, 2, s, shared=np.random.default_rng(1), rng=np.random.default_rng(s))
    ...     for s in (0, 1)
    ... )
    >>> len(first), len(other), len(set(first.tolist()) & set(other.tolist()))
    (6, 6, 2)

    Parameters
    ----------
    seat : the place of the sample among all of them, from 0.
    shared : the same stream for every seat.
    rng : a stream of this seat alone.
    """
    if overlap > rows:
        raise PartError(f"samples of {rows} records cannot have {overlap} in common; lower overlap")
    seats = seats_for(population, rows, overlap)
    if rows > population or (seats is not None and seat >= seats):
        needed = overlap + (seat + 1) * (rows - overlap)
        raise PartError(
            f"{seat + 1} samples of {rows} records with {overlap} in common need {needed} records; "
            f"the population has {population}, enough for {max(seats or 0, 0)} samples"
        )
    order, own = shared.permutation(population), rows - overlap
    begin = overlap + seat * own
    chosen: Rows = rng.permutation(np.concatenate([order[:overlap], order[begin : begin + own]]))
    return chosen
