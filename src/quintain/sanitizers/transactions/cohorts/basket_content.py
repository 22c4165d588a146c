"""Basket content: which purchases stay when a person's months are given fewer rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Rows
from quintain.kernels.purchases import Purchases
from quintain.sanitizers.transactions.cohorts.cells import Cells


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """The purchases that stay.

    Parameters
    ----------
    rows : the rows that stay, cell after cell, in each by rising price.
    start : where the rows of each cell begin.
    quantity : for every row of the purchases what it says now.
    """

    rows: Rows
    start: Rows
    quantity: Rows


def fitted(bought: Purchases, cells: Cells, room: Rows) -> Content:
    """What stays of each cell if it has room for so many rows.

    If somebody bought an item several times, one of these purchases stands for all of them, at
    any time, and the others go first. Then go those that are least of all that was sold of their
    item. Quantities of what goes are added to what stays of the same person and item.
    """
    of_row = np.full(len(bought), -1)
    of_row[cells.rows] = np.repeat(np.arange(len(cells)), cells.size)
    pair, weight = _pairs(bought, cells.rows)
    space = (room / cells.size)[of_row[cells.rows]]
    stands = _first_of_each(pair, np.lexsort((cells.rows, -space, pair)))
    order = np.lexsort((-weight, ~stands, of_row[cells.rows]))
    rank = np.arange(len(order)) - np.repeat(cells.start, cells.size)
    stays = np.zeros(len(order), bool)
    stays[order] = rank < np.repeat(room, cells.size)
    quantity = bought.quantity.copy()
    kept = np.lexsort((cells.rows, ~stays, pair))
    first = _first_of_each(pair, kept)
    lost = np.bincount(pair, weights=np.where(stays, 0, bought.quantity[cells.rows]))
    receivers = np.flatnonzero(first & stays)
    quantity[cells.rows[receivers]] += lost[pair[receivers]].astype(np.int64)
    return Content(cells.rows[stays], np.cumsum(room) - room, quantity)


def _pairs(bought: Purchases, rows: Rows) -> tuple[Rows, Floats]:
    """For each row the number of its person and item, and how much of the item the person bought.

    How much is a share of the length of the vector of all buyers' quantities.
    """
    people = max(len(bought.persons), 1)
    key = bought.item[rows].astype(np.int64) * people + bought.person[rows]
    known, pair = np.unique(key, return_inverse=True)
    total = np.bincount(pair, weights=bought.quantity[rows])
    length = np.sqrt(np.bincount(known // people, weights=total**2))
    return pair, (total / np.maximum(length[known // people], 1e-300))[pair]


def _first_of_each(pair: Rows, order: Rows) -> np.ndarray:
    """Where each pair comes first in an order that keeps pairs together."""
    first = np.zeros(len(pair), bool)
    first[order[np.diff(pair[order], prepend=-1) != 0]] = True
    return first
