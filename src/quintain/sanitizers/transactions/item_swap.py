"""Item swap: purchases of similar items exchange their items."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, Rows
from quintain.kernels.purchases import Purchases, column_of
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.customer_swap import exchange_within
from quintain.sanitizers.transactions.row_by_row import RowByRow
from quintain.sanitizers.transactions.similar_customers import (
    buyers_of_items,
    similar_groups,
)


@register("item-swap-v1")
class ItemSwap(RowByRow):
    """Exchanges the items of purchases at random within groups of similar items.

    Each row takes part with probability ``share``. Each item is sold as often as before. Person,
    date, price and quantity of a row stay.

    >>> import quintain as q
    >>> from quintain.testing import small_shop
    >>> shop = small_shop()  # ann and bob buy two things each
    >>> release = q.sanitize("item-swap", shop, alike="buyers", size=3, share=1, seed=1)
    >>> print(release.data.csv_bytes().decode())
    customer,day,item,price,quantity
    ann,2011-01-03,tea,1.0,1
    bob,2011-01-05,tea,2.0,1
    ann,2011-01-20,pot,3.0,2
    bob,2011-01-25,cup,4.0,5

    Parameters
    ----------
    share : the probability that a row takes part.
    alike : which items are similar: "prefix" means that their names begin alike, "buyers" that the
        same people bought them.
    characters : the number of first characters that must be equal, for "prefix".
    size : the number of items in a group, for "buyers".
    """

    method: ClassVar[str] = "swapping"

    share: Annotated[float, Field(ge=0, le=1)] = 0.5
    alike: Literal["prefix", "buyers"] = "prefix"
    characters: Annotated[int, Field(ge=1, le=64)] = 3
    size: Annotated[int, Field(ge=2)] = 4

    @classmethod
    def examples(cls) -> list[Self]:
        """Groups of items with similar names, and with similar buyers."""
        return [cls(), cls(alike="buyers", size=2, share=1)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Draw the rows that take part, and exchange their items."""
        name = column_of(data, "item").name
        chosen = np.flatnonzero(bought.live & noise.bernoulli(self.share, len(data)))
        giver = chosen[exchange_within(self._groups(bought)[bought.item[chosen]], noise)]
        item = data.columns[name].copy()
        item[chosen] = bought.item[giver]
        return {name: item}

    def _groups(self, bought: Purchases) -> Rows:
        if self.alike == "buyers":
            return similar_groups(buyers_of_items(bought), self.size)
        return np.unique([name[: self.characters] for name in bought.items], return_inverse=True)[1]

    def detail(self) -> str:
        """The share of rows, and which items are similar, in words."""
        groups = {
            "prefix": f"items whose names begin with the same {self.characters} characters",
            "buyers": f"groups of {self.size} items with the same buyers",
        }[self.alike]
        return f"{100 * self.share:g} % of the rows exchanged items within {groups}"
