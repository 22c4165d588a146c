"""Pooled baskets: pool what most people bought and deal it out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, Floats, Rows
from quintain.kernels.purchases import Purchases, column_of, months_of
from quintain.kernels.unit_rows import row_lengths
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.names.fresh_names import fresh_names
from quintain.sanitizers.transactions.row_by_row import RowByRow
from quintain.sanitizers.transactions.swapping.exchange import exchanged

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@register("pooled-baskets-v1")
class PooledBaskets(RowByRow):
    r"""Mixes up the purchases of all but the most telling customers, month by month.

    Which items are bought together is said mostly by the few who buy much. The others are pooled:
    in each month their rows exchange items and quantities at random, and they get a new name every
    month. So their baskets are gone, while each item is sold as often as before. The few others
    keep their baskets and one name; their purchases move to other months of theirs, about half of
    their rows further.

    What somebody says about items bought together is

    $$ a_x = (\sum_i r_{xi} / |r_i|)^2 $$

    for the quantities r, their share in the sum of all cosine similarities of items, plus the same
    for quantities below ``small``. Those who say least are pooled.

    Parameters
    ----------
    pooled : the share of people who are pooled. The purchases of the others can be recognised.
    small : quantities below this count a second time.
    """

    method: ClassVar[str] = "swapping"
    renames: ClassVar[bool] = True

    pooled: Annotated[float, Field(ge=0, le=1)] = 0.7
    small: Annotated[int, Field(ge=1)] = 6

    @classmethod
    def examples(cls) -> list[Self]:
        """The defaults, and everybody."""
        return [cls(), cls(pooled=1)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Decide who is pooled, exchange within months or move, and name."""
        said = telling(bought, self.small)
        pooled = np.zeros(len(said), bool)
        pooled[np.argsort(said, kind="stable")[: round(self.pooled * len(said))]] = True
        live = np.flatnonzero(bought.live)
        month = months_of(bought.day[live])
        month -= month.min(initial=0)
        one = pooled[bought.person[live]]
        source = np.arange(len(data))
        source[live[one]] = live[one][exchanged(month[one], noise)]
        rest = live[~one]
        source[rest] = rest[_half_further(bought.person[rest], bought.day[rest], noise)]
        bearer = np.full(len(data), -1)
        people = max(len(bought.persons), 1)
        bearer[live] = np.where(one, (1 + month) * people, 0) + bought.person[live]
        columns = (column_of(data, role).name for role in ("item", "quantity"))
        out: dict[str, Array] = {name: data.columns[name][source] for name in columns}
        return {**out, data.person_column.name: fresh_names(bearer, noise)}

    def detail(self) -> str:
        """Who is pooled."""
        return (
            f"the {self.pooled:g} of the people who say least about items bought together exchange "
            "items and quantities within a month and are renamed every month; the purchases of the "
            "others move to other months of theirs"
        )


def telling(bought: Purchases, small: int) -> Floats:
    """For every person the share in all similarities of items, plus that in small quantities."""
    from scipy.sparse import csr_array

    rows = bought.live_rows()
    shape = (len(rows.items), len(rows.persons))
    matrix = csr_array((rows.quantity.astype(float), (rows.item, rows.person)), shape=shape)
    few = matrix.copy()
    few.data[few.data >= small] = 0
    return _share(matrix) + _share(few)


def _share(matrix: csr_array) -> Floats:
    length = row_lengths(matrix)
    said: Floats = (matrix.T @ (1 / np.where(length == 0, 1, length))) ** 2
    share: Floats = said / max(said.sum(), np.finfo(float).tiny)
    return share


def _half_further(person: Array, day: Array, noise: Noise) -> Rows:
    """For every row the one whose content it gets: the same person's, half of the rows further."""
    order = np.lexsort((noise.words(len(person)), day, person))
    _, first, count = np.unique(person[order], return_index=True, return_counts=True)
    start, size = np.repeat(first, count), np.repeat(count, count)
    source = np.empty(len(person), np.int64)
    source[order] = order[start + (np.arange(len(person)) - start + size // 2) % size]
    return source
