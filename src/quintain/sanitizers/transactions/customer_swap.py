"""Customer swap: publish the purchases of each person in the rows of another person."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, Rows
from quintain.kernels.purchases import Purchases
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.cohorts import CohortCells
from quintain.sanitizers.transactions.pseudonyms import fresh_names
from quintain.sanitizers.transactions.row_by_row import RowByRow, without_rows

# Exchange: rows pass their content to other rows of the same group.


def exchange_within(group: Array, noise: Noise) -> Rows:
    """For every row the row of its group whose content it gets, in random order."""
    giver = np.empty(len(group), np.int64)
    giver[np.argsort(group, kind="stable")] = np.lexsort((noise.words(len(group)), group))
    return giver


@register("customer-swap-v1")
class CustomerSwap(RowByRow):
    """Swaps whole customers: each month, the rows of one person hold the purchases of another.

    In each month people are sorted by their number of rows and cut into blocks. Within a block, the
    rows of each person get the purchases of the next person in a random circle, and the name under
    which these purchases appear all year. Rows are matched in order of price. Purchases that do not
    fit are deleted.

    A measure that compares names row by row finds nobody. Yet almost every purchase is published
    under one name, together with all other purchases of the same person. So the release protects
    against that measure, but not against a reader. It is here to test measures.

    >>> import quintain as q
    >>> from quintain.testing import small_shop
    >>> shop = small_shop()  # ann and bob buy two things each
    >>> print(q.sanitize("customer-swap", shop, block=2, seed=1).data.csv_bytes().decode())
    customer,day,item,price,quantity
    P1,2011-01-05,cup,2.0,1
    P0,2011-01-03,tea,1.0,1
    P1,2011-01-25,tea,4.0,5
    P0,2011-01-20,pot,3.0,2

    Parameters
    ----------
    block : the number of people in a block; the last block of a month has up to 2 block - 1.

    References
    ----------
    Murakami et al., Designing a location trace anonymization contest, arXiv 2107.10407 (the part
    on cheating anonymization).
    """

    method: ClassVar[str] = "swapping"
    renames: ClassVar[bool] = True

    block: Annotated[int, Field(ge=2)] = 8

    @classmethod
    def examples(cls) -> list[Self]:
        """Examples for the test battery: the defaults, and blocks of two."""
        return [cls(), cls(block=2)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Choose a giver for each cell, and move whole rows."""
        cells = CohortCells.of(bought)
        giver = circles(blocks(cells, self.block, noise), noise)
        fits = np.minimum(cells.size, cells.size[giver])
        places, sources = cells.spread(np.arange(len(cells)), fits), cells.spread(giver, fits)
        source = np.full(len(data), -1)
        source[places] = sources
        moved: dict[str, Array] = {
            name: np.where(source >= 0, values[source], values)
            for name, values in data.columns.items()
        }
        bearer = np.where(source >= 0, bought.person[source], -1)
        moved[data.person_column.name] = fresh_names(bearer, noise)
        return without_rows(data, source < 0, moved)

    def detail(self) -> str:
        """The size of the blocks in words."""
        return f"whole customers, in blocks of {self.block} with similar numbers of rows in a month"


def blocks(cells: CohortCells, size: int, noise: Noise) -> Rows:
    """For every cell its block: cells of one month with similar numbers of rows."""
    order = np.lexsort((noise.words(len(cells)), cells.size, cells.month))
    _, first, count = np.unique(cells.month[order], return_index=True, return_counts=True)
    rank = np.arange(len(order)) - np.repeat(first, count)
    number = np.minimum(rank // size, np.repeat(np.maximum(count // size, 1), count) - 1)
    block = np.empty(len(cells), np.int64)
    starts = np.flatnonzero(np.diff(cells.month[order] * (len(cells) + 1) + number, prepend=-1))
    block[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
    return block


def circles(block: Rows, noise: Noise) -> Rows:
    """For every member of a block the next member in a random circle of the block."""
    order = np.lexsort((noise.words(len(block)), block))
    last = np.flatnonzero(np.diff(block[order], append=-1))
    first = np.concatenate([[0], last[:-1] + 1])
    following = np.arange(1, len(order) + 1)
    following[last] = first
    giver = np.empty(len(order), np.int64)
    giver[order] = order[following]
    return giver
