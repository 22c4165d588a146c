"""Similar customers: merge or mix the rows of people who bought similar things."""

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
from quintain.sanitizers.transactions.swapping.exchange import exchange_within
from quintain.sanitizers.transactions.swapping.similar_groups import buyers_of_items, similar_groups


@register("similar-customers-v1")
class SimilarCustomers(RowByRow):
    """Puts people who bought similar things into groups of k, and hides each person in the group.

    Similarity is the cosine of the sets of items. Items that few people bought weigh more.

    >>> import quintain as q
    >>> from quintain.testing import small_shop
    >>> shop = small_shop()  # ann and bob buy two things each
    >>> print(q.sanitize("similar-customers", shop, k=2, seed=1).data.csv_bytes().decode())
    customer,day,item,price,quantity
    ann,2011-01-03,tea,1.0,1
    ann,2011-01-05,cup,2.0,1
    ann,2011-01-20,pot,3.0,2
    ann,2011-01-25,tea,4.0,5

    Parameters
    ----------
    k : the number of people in a group; the last group has up to 2k - 1.
    how : "one name" publishes the group as one person, under the name of a member; an attacker who
        identifies the group has identified all its members. "mixed" exchanges items and quantities
        between the rows of a group within a month; names, dates and prices stay.
    """

    method: ClassVar[str] = "microaggregation"

    k: Annotated[int, Field(ge=2)] = 3
    how: Literal["one name", "mixed"] = "one name"

    @classmethod
    def examples(cls) -> list[Self]:
        """Groups under one name, and groups whose rows are mixed."""
        return [cls(), cls(how="mixed", k=2)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Group people, then rename them or exchange their purchases."""
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
        giver = live[exchange_within(cell, noise)]
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
        """The size of a group, and how it is hidden, in words."""
        how = "appear under one name" if self.how == "one name" else "exchange items within a month"
        return f"groups of {self.k} similar people {how}"
