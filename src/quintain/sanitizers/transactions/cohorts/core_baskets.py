"""Core baskets: keep the purchases that matter most to a shop together, and pool all others."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array
from quintain.kernels.purchases import Purchases, column_of
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.cohorts.cells import Cells
from quintain.sanitizers.transactions.cohorts.core_choice import Pairs, choose_core
from quintain.sanitizers.transactions.cohorts.core_places import core_cells, deal
from quintain.sanitizers.transactions.deletion import without_rows
from quintain.sanitizers.transactions.names.fresh_names import fresh_names
from quintain.sanitizers.transactions.row_by_row import RowByRow
from quintain.sanitizers.transactions.swapping.exchange import exchange_within


@register("core-baskets-v1")
class CoreBaskets(RowByRow):
    r"""Keeps a small core of the purchases together, and mixes all others month by month.

    A shop learns which items are bought together from a small part of all purchases. This sanitizer
    chooses that part, the core: at most a share ``rows`` of the rows, of at most a share ``people``
    of the people. The core of a person appears under one name, in whole months of that person. If
    the person bought an item of the core several times, the quantities are added up. All other
    purchases are pooled, also those of people with a core: in each month they are exchanged at
    random, and every person gets a new name.

    So about these shares of rows and people can be recognised, by any attacker, and the pooled
    rows say nothing about the person whose name they have. Dates and prices stay in their rows: let
    a cohort swap follow.

    A purchase of item i by customer x is worth

    $$ w_{xi} \sum_{j \in core} w_{xj}, \quad w_{xi} = r_{xi} / |r_i| $$

    where r are quantities. This is its part in the sum of all cosine similarities of items. The
    same for quantities below ``small`` is added.

    >>> import quintain as q
    >>> from quintain.testing import small_shop
    >>> shop = small_shop()  # ann and bob buy two things each
    >>> release = q.sanitize("core-baskets", shop, rows=0.5, people=0.5, seed=1)
    >>> print(release.data.csv_bytes().decode())
    customer,day,item,price,quantity
    P0,2011-01-03,pot,1.0,2
    P1,2011-01-05,tea,2.0,5
    P0,2011-01-20,tea,3.0,1
    P1,2011-01-25,cup,4.0,1

    Parameters
    ----------
    rows : the largest share of the rows in the core; whole months make it a little more or less.
    people : the largest share of people with a core.
    small : quantities below this number count a second time.
    """

    method: ClassVar[str] = "swapping"
    renames: ClassVar[bool] = True

    rows: Annotated[float, Field(ge=0, le=1)] = 0.22
    people: Annotated[float, Field(ge=0, le=1)] = 0.18
    small: Annotated[int, Field(ge=1)] = 6

    @classmethod
    def examples(cls) -> list[Self]:
        """The defaults, and a pool of everything."""
        return [cls(), cls(rows=0)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Choose the core, publish it in whole months, and exchange everything else."""
        cells = Cells.of(bought)
        rows, live = cells.rows, bought.take(cells.rows)
        cell = np.repeat(np.arange(len(cells)), cells.size)
        month = cells.month[cell] - cells.month.min(initial=0)
        pairs = Pairs.of(live, self.small)
        most, most_people = round(self.rows * len(rows)), round(self.people * pairs.people)
        chosen, worth = choose_core(pairs, most, most_people)
        wanted = np.bincount(pairs.person[chosen], minlength=pairs.people)
        core = core_cells(cells, wanted)[cell]
        rank = np.empty(len(worth), np.int64)
        rank[np.lexsort((-worth, ~chosen))] = np.arange(len(worth))
        dealt = deal(live, pairs.of_row, rank, core, noise)
        pool = np.flatnonzero(~core & ~dealt.deleted)
        source = dealt.source.copy()
        source[pool] = source[pool[exchange_within(month[pool], noise)]]
        bearer = np.full(len(data), -1)
        bearer[rows] = np.where(core, 0, (1 + month) * pairs.people) + live.person
        deleted = ~bought.live
        deleted[rows[dealt.deleted]] = True
        columns: dict[str, Array] = {data.person_column.name: fresh_names(bearer, noise)}
        for role, values in (("item", live.item), ("quantity", dealt.quantity)):
            column = column_of(data, role)
            contents = data.columns[column.name].copy()
            contents[rows] = values[source] - (column.offset if role == "quantity" else 0)
            columns[column.name] = contents
        return without_rows(data, deleted, columns)

    def detail(self) -> str:
        """How much is kept together, and what happens to the rest, in words."""
        return (
            f"up to {100 * self.rows:g} % of the rows, of up to {100 * self.people:g} % of the "
            "people, stay together under one name; all other rows exchange items and quantities "
            "within a month and get a new name every month"
        )
