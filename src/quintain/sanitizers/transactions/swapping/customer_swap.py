"""Customer swap: release each person's purchases in the rows of another person."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, Rows
from quintain.kernels.purchases import Purchases
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.cohorts.cells import Cells
from quintain.sanitizers.transactions.deletion import without_rows
from quintain.sanitizers.transactions.names.fresh_names import fresh_names
from quintain.sanitizers.transactions.row_by_row import RowByRow


@register("customer-swap-v1")
class CustomerSwap(RowByRow):
    """Swaps whole customers: each month, the rows of one person hold the purchases of another.

    In each month people are ordered by how many rows they have and cut into blocks. In a block the
    rows of each person take the purchases of the next one in a random circle, and the name under
    which these purchases appear all year. Rows are matched in order of price; what does not fit is
    deleted.

    Judged row by row, nobody is found. Yet almost every purchase is published, with all others of
    the same person, under one name: this protects against a score and not against a reader. It
    stands here so that measures can be tried on it.

    Parameters
    ----------
    block : how many people are in a block; the last of a month has up to 2 block - 1.

    References
    ----------
    Murakami et al., Designing a location trace anonymization contest, arXiv 2107.10407, on
    anonymisation that cheats.
    """

    method: ClassVar[str] = "swapping"
    renames: ClassVar[bool] = True

    block: Annotated[int, Field(ge=2)] = 8

    @classmethod
    def examples(cls) -> list[Self]:
        """The defaults, and pairs."""
        return [cls(), cls(block=2)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Find whose purchases each cell takes, and move whole rows."""
        cells = Cells.of(bought)
        giver = circles(blocks(cells, self.block, noise), noise)
        fits = np.minimum(cells.size, cells.size[giver])
        here, there = cells.spread(np.arange(len(cells)), fits), cells.spread(giver, fits)
        source = np.full(len(data), -1)
        source[here] = there
        moved: dict[str, Array] = {
            name: np.where(source >= 0, held[source], held) for name, held in data.columns.items()
        }
        bearer = np.where(source >= 0, bought.person[source], -1)
        moved[data.person_column.name] = fresh_names(bearer, noise)
        return without_rows(data, source < 0, moved)

    def detail(self) -> str:
        """The size of blocks."""
        return f"whole customers in blocks of {self.block} with about as many rows in a month"


def blocks(cells: Cells, size: int, noise: Noise) -> Rows:
    """For every cell a block of its month with about as many rows; equally many in random order."""
    order = np.lexsort((noise.words(len(cells)), cells.size, cells.month))
    _, first, count = np.unique(cells.month[order], return_index=True, return_counts=True)
    rank = np.arange(len(order)) - np.repeat(first, count)
    number = np.minimum(rank // size, np.repeat(np.maximum(count // size, 1), count) - 1)
    block = np.empty(len(cells), np.int64)
    starts = np.flatnonzero(np.diff(cells.month[order] * (len(cells) + 1) + number, prepend=-1))
    block[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
    return block


def circles(block: Rows, noise: Noise) -> Rows:
    """For every member of a block the next one in a random circle of that block."""
    order = np.lexsort((noise.words(len(block)), block))
    last = np.flatnonzero(np.diff(block[order], append=-1))
    first = np.concatenate([[0], last[:-1] + 1])
    following = np.arange(1, len(order) + 1)
    following[last] = first
    giver = np.empty(len(order), np.int64)
    giver[order] = order[following]
    return giver
