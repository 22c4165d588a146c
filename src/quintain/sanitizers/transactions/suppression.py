"""Suppression: delete a share of the purchases, the rarest first or at random."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, distinct
from quintain.kernels.purchases import Purchases
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.shuffling import permutation
from quintain.sanitizers.transactions.row_by_row import DELETION, RowByRow, without_rows


@register("suppression-v1")
class Suppression(RowByRow):
    """Deletes a share of the rows: those with the rarest items, or random ones.

    A deleted row keeps its position; its person and its other cells become missing. Rows that were
    deleted before count as deleted. Every person keeps at least one row, even if fewer rows are
    then deleted than ``share`` says.

    >>> import quintain as q
    >>> from quintain.testing import small_shop
    >>> shop = small_shop()  # ann and bob buy two things each
    >>> print(q.sanitize("suppression", shop, share=0.5, seed=1).data.csv_bytes().decode())
    customer,day,item,price,quantity
    ann,2011-01-03,tea,1.0,1
    ,1970-01-01,,,
    ,1970-01-01,,,
    bob,2011-01-25,tea,4.0,5

    Parameters
    ----------
    share : the share of rows to delete.
    choose : "rarest" deletes purchases of the items that the fewest people bought, "random"
        deletes random rows.
    """

    method: ClassVar[str] = DELETION

    share: Annotated[float, Field(ge=0, lt=1)] = 0.05
    choose: Literal["rarest", "random"] = "rarest"

    @classmethod
    def examples(cls) -> list[Self]:
        """Rows with the rarest items, and random rows."""
        return [cls(), cls(choose="random", share=0.4)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Rank the rows, keep one row per person, delete the first of the others."""
        live = np.flatnonzero(bought.live)
        live = live[permutation(len(live), noise)]
        if self.choose == "rarest":
            live = live[np.argsort(_buyers(bought)[bought.item[live]], kind="stable")]
        spared = len(live) - 1 - np.unique(bought.person[live][::-1], return_index=True)[1]
        count = round(self.share * len(data)) - int(np.count_nonzero(~bought.live))
        deleted = ~bought.live
        deleted[np.delete(live, spared)[: max(count, 0)]] = True
        return without_rows(data, deleted)

    def detail(self) -> str:
        """The share of rows, and how they are chosen, in words."""
        which = "with the rarest items" if self.choose == "rarest" else "drawn at random"
        return f"{100 * self.share:g} % of the rows, {which}; each person keeps at least one"


def _buyers(bought: Purchases) -> Array:
    """The number of people who bought each item."""
    rows = bought.live_rows()
    pairs = distinct(rows.item.astype(np.int64) * max(len(rows.persons), 1) + rows.person)
    return np.bincount(pairs // max(len(rows.persons), 1), minlength=len(rows.items))
