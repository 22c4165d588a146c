"""Item swap: exchange items with similar ones."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, Rows
from quintain.kernels.purchases import Purchases, column_of
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.row_by_row import RowByRow
from quintain.sanitizers.transactions.swapping.exchange import exchanged
from quintain.sanitizers.transactions.swapping.similar_groups import buyers_of_items, similar_groups


@register("item-swap-v1")
class ItemSwap(RowByRow):
    """Lets purchases exchange their items within groups of similar items.

    Each row takes part with probability ``share``; those that do exchange items at random within
    their group, so each item is sold as often as before. Date, price and quantity stay where they
    are.

    Parameters
    ----------
    share : the probability that a row takes part.
    alike : items are similar if their names begin alike ("prefix"), or if the same people bought
        them ("buyers").
    characters : how many characters of a name count, for "prefix".
    size : how many items are in a group, for "buyers".
    """

    method: ClassVar[str] = "swapping"

    share: Annotated[float, Field(ge=0, le=1)] = 0.5
    alike: Literal["prefix", "buyers"] = "prefix"
    characters: Annotated[int, Field(ge=1, le=64)] = 3
    size: Annotated[int, Field(ge=2)] = 4

    @classmethod
    def examples(cls) -> list[Self]:
        """Both kinds of groups."""
        return [cls(), cls(alike="buyers", size=2, share=1)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Draw who takes part, and exchange."""
        name = column_of(data, "item").name
        part = np.flatnonzero(bought.live & noise.bernoulli(self.share, len(data)))
        giver = part[exchanged(self._groups(bought)[bought.item[part]], noise)]
        item = data.columns[name].copy()
        item[part] = bought.item[giver]
        return {name: item}

    def _groups(self, bought: Purchases) -> Rows:
        if self.alike == "buyers":
            return similar_groups(buyers_of_items(bought), self.size)
        return np.unique([name[: self.characters] for name in bought.items], return_inverse=True)[1]

    def detail(self) -> str:
        """Who takes part, and what counts as similar."""
        groups = {
            "prefix": f"items whose names begin with the same {self.characters} characters",
            "buyers": f"groups of {self.size} items with the same buyers",
        }[self.alike]
        return f"{self.share:g} of the rows exchanged items within {groups}"
