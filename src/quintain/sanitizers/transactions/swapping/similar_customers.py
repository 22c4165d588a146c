"""Similar customers: merge or mix people who bought similar things."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, Rows
from quintain.kernels.purchases import Purchases, column_of, months_of
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.row_by_row import RowByRow
from quintain.sanitizers.transactions.swapping.exchange import exchanged
from quintain.sanitizers.transactions.swapping.similar_groups import buyers_of_items, similar_groups


@register("similar-customers-v1")
class SimilarCustomers(RowByRow):
    """Puts people who bought similar things into groups of k, and hides each in the group.

    Similarity is the cosine of the sets of items, an item bought by few weighing more.

    Parameters
    ----------
    k : how many people are in a group; the last one has up to 2k - 1.
    how : "one name" lets the group appear as one person, under the name of one of them. Whoever
        finds the group has found everybody in it. "mixed" lets the rows of a group exchange items
        and quantities within a month, while names, dates and prices stay.
    """

    method: ClassVar[str] = "microaggregation"

    k: Annotated[int, Field(ge=2)] = 3
    how: Literal["one name", "mixed"] = "one name"

    @classmethod
    def examples(cls) -> list[Self]:
        """Both ways."""
        return [cls(), cls(how="mixed", k=2)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Group people, then rename or exchange."""
        group = self._groups(bought)
        if self.how == "one name":
            _, first = np.unique(group, return_index=True)
            name = data.person_column.name
            names = data.columns[name].copy()
            names[bought.live] = bought.persons[first[group]][bought.person[bought.live]]
            return {name: names}
        live = np.flatnonzero(bought.live)
        month = months_of(bought.day[live])
        month -= month.min(initial=0)
        cell = group[bought.person[live]] * (month.max(initial=0) + 1) + month
        giver = live[exchanged(cell, noise)]
        out: dict[str, Array] = {}
        for role in ("item", "quantity"):
            name = column_of(data, role).name
            out[name] = data.columns[name].copy()
            out[name][live] = data.columns[name][giver]
        return out

    def _groups(self, bought: Purchases) -> Rows:
        from scipy.sparse import diags_array

        holds = buyers_of_items(bought)
        buyers = np.maximum(holds.sum(axis=1), 1)
        rarity = np.log((len(bought.persons) + 1) / buyers)
        return similar_groups((diags_array(rarity) @ holds).T.tocsr(), self.k)

    def detail(self) -> str:
        """How many, and what is done to them."""
        how = "under one name" if self.how == "one name" else "exchange items within a month"
        return f"groups of {self.k} similar people {how}"
