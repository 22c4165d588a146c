"""Basket content: the purchases that stay when a person has to lose rows in a month."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Rows
from quintain.kernels.purchases import Purchases
from quintain.sanitizers.transactions.cohorts.cells import Cells


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """The purchases that stay, and their new quantities.

    Parameters
    ----------
    rows : the rows that stay, cell after cell, sorted by price within a cell.
    start : for each cell the position of its first row in ``rows``.
    quantity : the new quantity of every row of the purchases.
    """

    rows: Rows
    start: Rows
    quantity: Rows


def fit_content(bought: Purchases, cells: Cells, room: Rows) -> Content:
    """Choose the purchases of each cell that stay if the cell has ``room`` for so many rows.

    If a person bought an item several times, one of these purchases stands for all of them, and
    the others are deleted first. Next are purchases that are the smallest part of all sales of
    their item. Quantities of deleted rows are added to a row that stays, of the same person and
    item.
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
    surplus = np.bincount(pair, weights=np.where(stays, 0, bought.quantity[cells.rows]))
    receivers = np.flatnonzero(first & stays)
    quantity[cells.rows[receivers]] += surplus[pair[receivers]].astype(np.int64)
    return Content(cells.rows[stays], np.cumsum(room) - room, quantity)


def _pairs(bought: Purchases, rows: Rows) -> tuple[Rows, Floats]:
    """For each row the number of its person and item, and the weight of this pair.

    The weight is the quantity that the person bought of the item, divided by the length of the
    vector of all buyers' quantities.
    """
    people = max(len(bought.persons), 1)
    key = bought.item[rows].astype(np.int64) * people + bought.person[rows]
    known, pair = np.unique(key, return_inverse=True)
    total = np.bincount(pair, weights=bought.quantity[rows])
    length = np.sqrt(np.bincount(known // people, weights=total**2))
    return pair, (total / np.maximum(length[known // people], 1e-300))[pair]


def _first_of_each(pair: Rows, order: Rows) -> np.ndarray:
    """Mark the first row of each pair in an order that keeps pairs together."""
    first = np.zeros(len(pair), bool)
    first[order[np.diff(pair[order], prepend=-1) != 0]] = True
    return first
