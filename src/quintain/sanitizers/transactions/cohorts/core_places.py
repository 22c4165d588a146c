"""Core places: the rows in which the core of a person's purchases is published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Mask, Rows
from quintain.kernels.purchases import Purchases
from quintain.noise import Noise
from quintain.sanitizers.transactions.cohorts.cells import Cells


@dataclass(frozen=True, slots=True, eq=False)
class Dealt:
    """Which purchase every row publishes.

    Parameters
    ----------
    source : for each row the row whose item and quantity it gets.
    quantity : the new quantity of every source.
    deleted : which rows publish nothing, because their purchase was added to another one.
    """

    source: Rows
    quantity: Rows
    deleted: Mask


def core_cells(cells: Cells, wanted: Rows) -> Mask:
    """The cells for the core: for each person about as many rows as ``wanted``, in whole months.

    A month is taken, the longest first, if more than half of its rows are still wanted.
    """
    left = wanted.copy()
    chosen = np.zeros(len(cells), bool)
    for cell in np.lexsort((-cells.size, cells.person)).tolist():
        person, size = cells.person[cell], cells.size[cell]
        if 2 * left[person] > size:
            chosen[cell] = True
            left[person] -= size
    return chosen


def deal(bought: Purchases, pair: Rows, rank: Rows, core: Mask, noise: Noise) -> Dealt:
    """Give every person's best purchases to the core rows, and all others to the other rows.

    Parameters
    ----------
    pair : for each row the number of its person and item.
    rank : for each pair its rank; the lowest ranks go to the core.
    core : which rows are for the core.

    If a person bought an item of the core several times, the quantities are added up. The rows that
    this saves are deleted.
    """
    person = bought.person.astype(np.int64)
    first = _first_of_each(pair, noise)
    content = np.lexsort((rank[pair], ~first, person))
    place = np.lexsort((noise.words(len(person)), ~core, person))
    in_core = core[place]
    is_core_pair = np.zeros(int(pair.max(initial=-1)) + 1, bool)
    is_core_pair[pair[content[in_core]]] = True
    added = is_core_pair[pair[content]] & ~in_core
    total = np.bincount(pair[content[added]], bought.quantity[content[added]], len(is_core_pair))
    quantity = bought.quantity.copy()
    receivers = content[in_core & first[content]]
    quantity[receivers] += total[pair[receivers]].astype(np.int64)
    last = np.lexsort((added, ~in_core, person[content]))
    source = np.empty(len(person), np.int64)
    source[place] = content[last]
    deleted = np.zeros(len(person), bool)
    deleted[place] = added[last]
    return Dealt(source, quantity, deleted)


def _first_of_each(pair: Rows, noise: Noise) -> Mask:
    """Mark one row of each pair at random."""
    order = np.lexsort((noise.words(len(pair)), pair))
    first = np.zeros(len(pair), bool)
    first[order[np.diff(pair[order], prepend=-1) != 0]] = True
    return first
