"""Cohort swap: people who shopped alike in a month exchange their baskets."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, Rows
from quintain.kernels.purchases import Purchases, column_of
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.cohorts.basket_content import Content, fit_content
from quintain.sanitizers.transactions.cohorts.cells import Cells
from quintain.sanitizers.transactions.cohorts.cohort_profile import profile
from quintain.sanitizers.transactions.cohorts.cohorts import Bill, cohorts
from quintain.sanitizers.transactions.deletion import without_rows
from quintain.sanitizers.transactions.names.fresh_names import fresh_names
from quintain.sanitizers.transactions.row_by_row import NAMING, RowByRow
from quintain.sanitizers.transactions.swapping.exchange import exchange_within


@register("cohort-swap-v1")
class CohortSwap(RowByRow):
    r"""Puts people who shop alike into cohorts every month, then swaps baskets within a cohort.

    All members of a cohort get the same number of rows, the same date and the same prices. Their
    baskets (items with quantities) are dealt out among them at random. A basket keeps the name
    under which it appears all year. Within a cohort, a row then reveals nothing about its person:
    no attack on names is expected to be right for more than one member of a cohort. Cohorts are
    chosen to minimise

    $$ w_r E_{rows} + w_d E_{dates} + w_p E_{prices} + fee \cdot cohorts / cells $$

    where E are the share of deleted rows, the mean shift of dates in months and the mean relative
    change of prices. With weights of sum 1 and a fee of 1 this is a bound on the sum of DARC's
    utility loss and re-identification rate. A cohort of many people with few rows is cheap.

    A name still stands for the purchases of one person. So this sanitizer hides the owner of a
    row, but not what the person behind a name bought.

    >>> import quintain as q
    >>> from quintain.testing import small_shop
    >>> shop = small_shop()  # ann and bob buy two things each
    >>> print(q.sanitize("cohort-swap", shop, seed=1).data.csv_bytes().decode())
    customer,day,item,price,quantity
    P0,2011-01-05,tea,1.0,1
    P1,2011-01-05,cup,1.0,1
    P0,2011-01-05,pot,3.0,2
    P1,2011-01-05,tea,3.0,5

    Parameters
    ----------
    rows, dates, prices : the weights of deleted rows, shifted dates and changed prices.
    fee : the cost of a cohort; a higher fee gives fewer and larger cohorts.
    smallest : the smallest number of people in a cohort, if a month has that many.
    kept : the smallest share of a person's rows that stays in a month, unless a cohort would be
        too small.
    """

    method: ClassVar[str] = "microaggregation"

    rows: Annotated[float, Field(ge=0, le=1)] = 0.34
    dates: Annotated[float, Field(ge=0, le=1)] = 0.2
    prices: Annotated[float, Field(ge=0, le=1)] = 0.46
    fee: Annotated[float, Field(ge=0, le=1000)] = 1.2
    smallest: Annotated[int, Field(ge=1)] = 2
    kept: Annotated[float, Field(ge=0, le=1)] = 0.5

    @classmethod
    def examples(cls) -> list[Self]:
        """The defaults, and large cohorts."""
        return [cls(), cls(fee=10, smallest=5)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Form cohorts, write the profile of each, deal out the baskets."""
        cells = Cells.of(bought)
        bill = self._bill(cells)
        cohort = cohorts(bought, cells, bill)
        room = _fewest(cells, cohort)
        content = fit_content(bought, cells, room)
        giver = exchange_within(cohort, noise)
        columns: dict[str, Array] = {name: values.copy() for name, values in data.columns.items()}
        kept = np.zeros(len(data), bool)
        bearer = np.full(len(data), -1)
        for members in _members(cohort):
            places = self._publish(data, bought, cells, members, bill, columns)
            contents = _rows_of(content, giver[members], int(room[members[0]]))
            kept[places] = True
            bearer[places] = bought.person[contents]
            for role in ("item", "quantity"):
                column = column_of(data, role)
                values = content.quantity - column.offset if role == "quantity" else bought.item
                columns[column.name][places] = values[contents]
        columns[data.person_column.name] = fresh_names(bearer, noise)
        return without_rows(data, ~kept, columns)

    def _bill(self, cells: Cells) -> Bill:
        """All costs, counted in rows: a cohort costs ``fee`` times the rows of an average cell."""
        cohort = self.fee * len(cells.rows) / max(len(cells), 1)
        return Bill(self.rows, self.dates, self.prices, cohort, self.kept, self.smallest)

    def _publish(
        self,
        data: Transactions,
        bought: Purchases,
        cells: Cells,
        members: Rows,
        bill: Bill,
        columns: dict[str, Array],
    ) -> Rows:
        """Write the profile of a cohort into ``columns``; return the rows of each member."""
        when = data.columns[data.time_column.name]
        member_rows = [cells.rows[cells.start[m] : cells.start[m] + cells.size[m]] for m in members]
        common = profile(
            [bought.price[r] for r in member_rows], [when[r] for r in member_rows], bill
        )
        places = np.stack(
            [rows[chosen] for rows, chosen in zip(member_rows, common.chosen, strict=True)]
        )
        columns[data.time_column.name][places] = common.when
        columns[column_of(data, "price").name][places] = common.price
        known = {data.person_column.name, data.time_column.name}
        known |= {column_of(data, role).name for role in ("item", "price", "quantity")}
        for name in set(data.schema.names) - known:
            values, count = np.unique(data.columns[name][places], return_counts=True)
            columns[name][places] = values[count.argmax()]
        return places

    def methods_applied(
        self, data: Transactions, changed: tuple[str, ...]
    ) -> dict[str, tuple[str, ...]]:
        """Dates and prices are made equal, baskets are swapped, persons are renamed."""
        person_name = data.person_column.name
        dealt = tuple(column_of(data, role).name for role in ("item", "quantity"))
        alike = tuple(name for name in changed if name not in (person_name, *dealt))
        return {self.method: alike, "swapping": dealt, NAMING: (person_name,)}

    def detail(self) -> str:
        """What cohorts share, and the costs by which they are chosen, in words."""
        return (
            "in each month, cohorts with the same number of rows, date and prices exchange "
            f"baskets and names; weights {self.rows:g}, {self.dates:g}, {self.prices:g}, fee "
            f"{self.fee:g}, at least {self.smallest} people"
        )


def _members(cohort: Rows) -> list[Rows]:
    order = np.argsort(cohort, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(cohort[order])) + 1)


def _fewest(cells: Cells, cohort: Rows) -> Rows:
    """For every cell the number of rows of the smallest cell of its cohort."""
    fewest = np.full(int(cohort.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(fewest, cohort, cells.size)
    return fewest[cohort]


def _rows_of(content: Content, cells: Rows, count: int) -> Rows:
    rows: Rows = content.rows[content.start[cells][:, None] + np.arange(count)]
    return rows
