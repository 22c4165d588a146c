"""Item swap: purchases of similar items exchange their items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, Rows
from quintain.kernels.purchases import Purchases, column_of, months_of, row_lengths, unit_rows
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.customer_swap import exchange_within
from quintain.sanitizers.transactions.row_by_row import RowByRow

if TYPE_CHECKING:
    from scipy.sparse import csr_array


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


# Similar groups: group each row of a matrix with the rows most similar to it.


def buyers_of_items(bought: Purchases) -> csr_array:
    """A matrix of items by persons with a 1 where the person bought the item."""
    from scipy.sparse import csr_array

    rows = bought.live_rows()
    shape = (len(rows.items), len(rows.persons))
    matrix = csr_array((np.ones(len(rows)), (rows.item, rows.person)), shape=shape)
    matrix.data[:] = 1
    return matrix


def similar_groups(vectors: csr_array, size: int) -> Rows:
    """The group of every row, by cosine similarity; a group has ``size`` rows or a few more.

    The longest vector without a group chooses the vectors most similar to it, in their order if
    equally similar. This repeats until all rows have a group. Rows left over at the end join the
    last group.
    """
    length, unit = row_lengths(vectors), unit_rows(vectors)
    group = np.full(len(length), -1)
    count = 0
    for leader in np.argsort(-length, kind="stable"):
        if group[leader] >= 0:
            continue
        group[leader] = count
        free = np.flatnonzero(group < 0)
        near = _similarity(unit, int(leader))[free]
        group[free[np.argsort(-near, kind="stable")[: size - 1]]] = count
        count += len(free) >= 2 * size - 1  # too few rows for another full group
    return group


def _similarity(unit: csr_array, row: int) -> npt.NDArray[np.float64]:
    """The cosine similarity of one row with all rows."""
    similar: npt.NDArray[np.float64] = unit @ unit[[row]].toarray().ravel()
    return similar


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
