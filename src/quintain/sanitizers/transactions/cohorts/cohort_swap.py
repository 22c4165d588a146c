"""Cohort swap: people with similar months of shopping exchange what they bought."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, Rows
from quintain.kernels.purchases import Purchases, column_of
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.cohorts.basket_content import Content, fitted
from quintain.sanitizers.transactions.cohorts.cells import Cells
from quintain.sanitizers.transactions.cohorts.cohort_profile import profile
from quintain.sanitizers.transactions.cohorts.cohorts import Bill, cohorts
from quintain.sanitizers.transactions.deletion import without_rows
from quintain.sanitizers.transactions.names.fresh_names import fresh_names
from quintain.sanitizers.transactions.row_by_row import NAMING, RowByRow
from quintain.sanitizers.transactions.swapping.exchange import exchanged


@register("cohort-swap-v1")
class CohortSwap(RowByRow):
    r"""Makes cohorts of people alike in dates, prices and number of rows, then swaps their baskets.

    Each month, people are put into cohorts. All members of a cohort get the same number of rows,
    the same date and the same prices. What they bought, items with quantities, is dealt out among
    them at random, with the name under which it appears all year. A row then tells nothing about
    whose row it is beyond the cohort: of all attacks on names, none is expected to be right for
    more than one member of a cohort. Cohorts are chosen to minimise

    $$ w_r E_{rows} + w_d E_{dates} + w_p E_{prices} + fee \cdot cohorts / cells $$

    where E are the shares of deleted rows, the mean shift of dates in months and the mean relative
    change of prices. With weights of sum 1 and a fee of 1 it is a bound on the sum of DARC's
    utility loss and re-identification rate; a cohort of many people with few rows is cheap.

    What is published under a name is still what one person bought, so this hides whose rows are
    whose, and not what anybody bought.

    Parameters
    ----------
    rows, dates, prices : the weights of the three changes.
    fee : what a cohort costs.
    smallest : how many people are in a cohort at least, if a month has so many.
    kept : the least share of anybody's rows of a month that stays, unless a cohort would be too
        small.
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
        """The defaults, and cohorts that are large."""
        return [cls(), cls(fee=10, smallest=5)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Find cohorts, give each its profile, deal out the baskets."""
        cells = Cells.of(bought)
        bill = self._bill(cells)
        cohort = cohorts(bought, cells, bill)
        room = _fewest(cells, cohort)
        content = fitted(bought, cells, room)
        giver = exchanged(cohort, noise)
        columns: dict[str, Array] = {name: held.copy() for name, held in data.columns.items()}
        kept = np.zeros(len(data), bool)
        bearer = np.full(len(data), -1)
        for members in _members(cohort):
            here = self._publish(data, bought, cells, members, bill, columns)
            there = _rows_of(content, giver[members], int(room[members[0]]))
            kept[here] = True
            bearer[here] = bought.person[there]
            for role in ("item", "quantity"):
                column = column_of(data, role)
                held = content.quantity - column.offset if role == "quantity" else bought.item
                columns[column.name][here] = held[there]
        columns[data.person_column.name] = fresh_names(bearer, noise)
        return without_rows(data, ~kept, columns)

    def _bill(self, cells: Cells) -> Bill:
        """All costs in rows: a cohort costs the rows of an average cell, times its fee."""
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
        """Write the profile of a cohort; returns which rows it stands in, members by places."""
        when = data.columns[data.time_column.name]
        mine = [cells.rows[cells.start[m] : cells.start[m] + cells.size[m]] for m in members]
        found = profile([bought.price[r] for r in mine], [when[r] for r in mine], bill)
        here = np.stack([rows[chosen] for rows, chosen in zip(mine, found.chosen, strict=True)])
        columns[data.time_column.name][here] = found.when
        columns[column_of(data, "price").name][here] = found.price
        known = {data.person_column.name, data.time_column.name}
        known |= {column_of(data, role).name for role in ("item", "price", "quantity")}
        for name in set(data.schema.names) - known:
            values, count = np.unique(data.columns[name][here], return_counts=True)
            columns[name][here] = values[count.argmax()]
        return here

    def done(self, data: Transactions, changed: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        """Made alike, swapped, under other names."""
        who = data.person_column.name
        dealt = tuple(column_of(data, role).name for role in ("item", "quantity"))
        alike = tuple(name for name in changed if name not in (who, *dealt))
        return {self.method: alike, "swapping": dealt, NAMING: (who,)}

    def detail(self) -> str:
        """What is the same in a cohort."""
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
