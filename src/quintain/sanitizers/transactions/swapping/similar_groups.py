"""Similar groups: group each row of a matrix with the rows most similar to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Rows
from quintain.kernels.purchases import Purchases
from quintain.kernels.unit_rows import row_lengths, unit_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def buyers_of_items(bought: Purchases) -> csr_array:
    """A matrix of items by persons with a 1 where the person bought the item."""
    from scipy.sparse import csr_array

    rows = bought.live_rows()
    shape = (len(rows.items), len(rows.persons))
    matrix = csr_array((np.ones(len(rows)), (rows.item, rows.person)), shape=shape)
    matrix.data[:] = 1
    return matrix


def similar_groups(vectors: csr_array, size: int) -> Rows:
    """The group of every row, by cosine similarity; a group has ``size`` rows or a few more.

    The longest vector without a group chooses the vectors most similar to it, in their order if
    equally similar. This repeats until all rows have a group. Rows left over at the end join the
    last group.
    """
    length, unit = row_lengths(vectors), unit_rows(vectors)
    group = np.full(len(length), -1)
    count = 0
    for leader in np.argsort(-length, kind="stable"):
        if group[leader] >= 0:
            continue
        group[leader] = count
        free = np.flatnonzero(group < 0)
        near = _similarity(unit, int(leader))[free]
        group[free[np.argsort(-near, kind="stable")[: size - 1]]] = count
        count += len(free) >= 2 * size - 1  # too few rows for another full group
    return group


def _similarity(unit: csr_array, row: int) -> npt.NDArray[np.float64]:
    """The cosine similarity of one row with all rows."""
    similar: npt.NDArray[np.float64] = unit @ unit[[row]].toarray().ravel()
    return similar
