"""Suppression: delete a share of the purchases."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array
from quintain.kernels.purchases import Purchases
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.masking.shuffling import permutation
from quintain.sanitizers.transactions.deletion import without_rows
from quintain.sanitizers.transactions.row_by_row import DELETION, RowByRow


@register("suppression-v1")
class Suppression(RowByRow):
    """Deletes a share of the rows, those with the rarest items first or any.

    A deleted row keeps its place: its person and its other cells are missing. Rows
    deleted before count. Everybody keeps at least one row, even if fewer rows go than asked for.

    Parameters
    ----------
    share : the share of rows to delete.
    choose : "rarest" deletes purchases of the items that the fewest people bought, "random" any.
    """

    method: ClassVar[str] = DELETION

    share: Annotated[float, Field(ge=0, lt=1)] = 0.05
    choose: Literal["rarest", "random"] = "rarest"

    @classmethod
    def examples(cls) -> list[Self]:
        """Both ways to choose."""
        return [cls(), cls(choose="random", share=0.4)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Rank the rows, spare one of everybody's, delete the first."""
        live = np.flatnonzero(bought.live)
        live = live[permutation(len(live), noise)]
        if self.choose == "rarest":
            live = live[np.argsort(_buyers(bought)[bought.item[live]], kind="stable")]
        spared = len(live) - 1 - np.unique(bought.person[live][::-1], return_index=True)[1]
        count = round(self.share * len(data)) - int(np.count_nonzero(~bought.live))
        gone = ~bought.live
        gone[np.delete(live, spared)[: max(count, 0)]] = True
        return without_rows(data, gone)

    def detail(self) -> str:
        """How many, and which."""
        which = "with the rarest items" if self.choose == "rarest" else "drawn at random"
        return f"{self.share:g} of the rows, {which}; everybody keeps one"


def _buyers(bought: Purchases) -> Array:
    """For every item how many people bought it."""
    rows = bought.live_rows()
    pairs = np.unique(rows.item.astype(np.int64) * max(len(rows.persons), 1) + rows.person)
    return np.bincount(pairs // max(len(rows.persons), 1), minlength=len(rows.items))
