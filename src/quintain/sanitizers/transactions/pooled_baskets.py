"""Pooled baskets: pool the purchases of most people and deal them out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, Floats, Rows
from quintain.kernels.purchases import Purchases, column_of, months_of, row_lengths
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.customer_swap import exchange_within
from quintain.sanitizers.transactions.pseudonyms import fresh_names
from quintain.sanitizers.transactions.row_by_row import RowByRow

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@register("pooled-baskets-v1")
class PooledBaskets(RowByRow):
    r"""Mixes the purchases of all customers but a few heavy buyers, month by month.

    A few heavy buyers decide which items look as if they are bought together. All other customers
    are pooled: in each month their rows exchange items and quantities at random, and they get a new
    name. This destroys their baskets, while each item is sold as often as before. The heavy buyers
    keep their baskets and one name; their purchases move to other months of the same person, by
    about half of that person's rows.

    The influence of customer x on the similarity of items is

    $$ a_x = (\sum_i r_{xi} / |r_i|)^2 $$

    where r are quantities. It is the share of the customer in the sum of all cosine similarities
    of items. The same share for quantities below ``small`` is added. The customers with the least
    influence are pooled.

    >>> import quintain as q
    >>> from quintain.testing import small_shop
    >>> shop = small_shop()  # ann and bob buy two things each
    >>> print(q.sanitize("pooled-baskets", shop, pooled=1, seed=2).data.csv_bytes().decode())
    customer,day,item,price,quantity
    P1,2011-01-03,tea,1.0,5
    P0,2011-01-05,tea,2.0,1
    P1,2011-01-20,cup,3.0,1
    P0,2011-01-25,pot,4.0,2

    Parameters
    ----------
    pooled : the share of customers who are pooled. The purchases of the others can be recognised.
    small : quantities below this number count a second time.
    """

    method: ClassVar[str] = "swapping"
    renames: ClassVar[bool] = True

    pooled: Annotated[float, Field(ge=0, le=1)] = 0.7
    small: Annotated[int, Field(ge=1)] = 6

    @classmethod
    def examples(cls) -> list[Self]:
        """Examples for the test battery: the defaults, and a pool of everybody."""
        return [cls(), cls(pooled=1)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Choose the customers to pool, exchange or move purchases, and draw new names."""
        shares = similarity_shares(bought, self.small)
        pooled = np.zeros(len(shares), bool)
        pooled[np.argsort(shares, kind="stable")[: round(self.pooled * len(shares))]] = True
        live = np.flatnonzero(bought.live)
        month = months_of(bought.day[live])
        month -= month.min(initial=0)
        is_pooled = pooled[bought.person[live]]
        source = np.arange(len(data))
        source[live[is_pooled]] = live[is_pooled][exchange_within(month[is_pooled], noise)]
        rest = live[~is_pooled]
        source[rest] = rest[_half_further(bought.person[rest], bought.day[rest], noise)]
        bearer = np.full(len(data), -1)
        people = max(len(bought.persons), 1)
        bearer[live] = np.where(is_pooled, (1 + month) * people, 0) + bought.person[live]
        columns = (column_of(data, role).name for role in ("item", "quantity"))
        out: dict[str, Array] = {name: data.columns[name][source] for name in columns}
        return {**out, data.person_column.name: fresh_names(bearer, noise)}

    def detail(self) -> str:
        """Who is pooled, and what happens to the others, in words."""
        return (
            f"the {100 * self.pooled:g} % of customers with the least influence on the similarity "
            "of items exchange items and quantities within a month and get a new name every month; "
            "the purchases of the others move to other months of the same person"
        )


def similarity_shares(bought: Purchases, small: int) -> Floats:
    """The share of every person in all similarities of items, plus that in small quantities."""
    from scipy.sparse import csr_array

    rows = bought.live_rows()
    shape = (len(rows.items), len(rows.persons))
    matrix = csr_array((rows.quantity.astype(float), (rows.item, rows.person)), shape=shape)
    few = matrix.copy()
    few.data[few.data >= small] = 0
    return _share(matrix) + _share(few)


def _share(matrix: csr_array) -> Floats:
    length = row_lengths(matrix)
    squares: Floats = (matrix.T @ (1 / np.where(length == 0, 1, length))) ** 2
    share: Floats = squares / max(squares.sum(), np.finfo(float).tiny)
    return share


def _half_further(person: Array, day: Array, noise: Noise) -> Rows:
    """For every row the row whose content it gets: of the same person, half of the rows later."""
    order = np.lexsort((noise.words(len(person)), day, person))
    _, first, count = np.unique(person[order], return_index=True, return_counts=True)
    start, size = np.repeat(first, count), np.repeat(count, count)
    source = np.empty(len(person), np.int64)
    source[order] = order[start + (np.arange(len(person)) - start + size // 2) % size]
    return source
