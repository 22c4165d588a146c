"""Core baskets: keep the purchases that matter most to a shop together, and pool all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Transactions
from quintain.data.arrays import Array, Floats, Mask, Rows
from quintain.kernels.purchases import Purchases, column_of
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.transactions.cohorts import CohortCells
from quintain.sanitizers.transactions.customer_swap import exchange_within
from quintain.sanitizers.transactions.pseudonyms import fresh_names
from quintain.sanitizers.transactions.row_by_row import RowByRow, without_rows

# Core choice: the purchases that decide which items look as if they are bought together.


ROUNDS = 12
"""How often the choice is repeated with the influence of the purchases chosen before."""

EMPHASIS = np.array([[1.0], [1.2]])
"""The importance of similarities by all quantities and by small ones; the second suffer more."""


@dataclass(frozen=True, slots=True, eq=False)
class BasketPairs:
    """All pairs of a person and an item that the person bought.

    Parameters
    ----------
    of_row : for each row the number of its pair.
    person : for each pair the position of its person among the persons.
    people : how many persons there are.
    weights : one line for all quantities and one for small ones: the quantity of each pair, divided
        by the length of the vector of all buyers' quantities of the item.
    """

    of_row: Rows
    person: Rows
    people: int
    weights: Floats

    @classmethod
    def of(cls, rows: Purchases, small: int) -> BasketPairs:
        """Pair persons and items; quantities are small if a person bought fewer than ``small``."""
        people = max(len(rows.persons), 1)
        key = rows.item.astype(np.int64) * people + rows.person
        known, pair = np.unique(key, return_inverse=True)
        total = np.bincount(pair, rows.quantity, len(known)).astype(np.float64)
        item = known // people
        kinds: tuple[Floats, ...] = (total, np.where(total < small, total, 0.0))
        return cls(pair, known % people, people, np.stack([_weights(item, q) for q in kinds]))

    def influence(self, chosen: Mask) -> Floats:
        """For all and for small quantities, the summed weights of every person's chosen pairs."""
        sums = (np.bincount(self.person[chosen], w[chosen], self.people) for w in self.weights)
        return np.stack(list(sums))


def _weights(item: Rows, quantity: Floats) -> Floats:
    length = np.sqrt(np.bincount(item, weights=quantity**2))
    return quantity / np.maximum(length[item], np.finfo(float).tiny)


def choose_core(pairs: BasketPairs, most: int, most_people: int) -> tuple[Mask, Floats]:
    """Choose at most so many pairs of at most so many people, and give the worth of every pair.

    A person whose chosen weights sum to S adds S squared to the sum of all similarities, so a
    further pair of weight w adds about 2 w S. The choice starts with everything, shrinks in steps,
    and is made again at each step with what every person still has.
    """
    chosen = np.ones(len(pairs.person), bool)
    everything = (pairs.influence(chosen) ** 2).sum(axis=1, keepdims=True)
    scale = EMPHASIS / np.maximum(everything, np.finfo(float).tiny)
    for left in range(ROUNDS - 1, -1, -1):
        sums = pairs.influence(chosen)
        worth = (pairs.weights * (scale * sums)[:, pairs.person]).sum(axis=0)
        extra = left / (2 * ROUNDS)
        heaviest = _largest(
            (scale * sums**2).sum(axis=0), most_people + int(extra * (pairs.people - most_people))
        )
        allowed = np.where(heaviest[pairs.person], worth, 0.0)
        chosen = _largest(allowed, most + int(extra * max(len(chosen) - most, 0)))
    return chosen, worth


def _largest(values: Floats, count: int) -> Mask:
    """Mark the largest values, at most so many and none that is zero."""
    marked = np.zeros(len(values), bool)
    marked[np.argsort(-values, kind="stable")[:count]] = True
    return marked & (values > 0)


# Core places: the rows in which the core of a person's purchases is published.


@dataclass(frozen=True, slots=True, eq=False)
class Dealt:
    """Which purchase every row publishes.

    Parameters
    ----------
    source : for each row the row whose item and quantity it gets.
    quantity : the new quantity of every source.
    deleted : which rows publish nothing, because their purchase was added to another one.
    """

    source: Rows
    quantity: Rows
    deleted: Mask


def core_cells(cells: CohortCells, wanted: Rows) -> Mask:
    """The cells for the core: for each person about as many rows as ``wanted``, in whole months.

    A month is taken, the longest first, if more than half of its rows are still wanted.
    """
    left = wanted.copy()
    chosen = np.zeros(len(cells), bool)
    for cell in np.lexsort((-cells.size, cells.person)).tolist():
        person, size = cells.person[cell], cells.size[cell]
        if 2 * left[person] > size:
            chosen[cell] = True
            left[person] -= size
    return chosen


def deal(bought: Purchases, pair: Rows, rank: Rows, core: Mask, noise: Noise) -> Dealt:
    """Give every person's best purchases to the core rows, and all others to the other rows.

    Parameters
    ----------
    pair : for each row the number of its person and item.
    rank : for each pair its rank; the lowest ranks go to the core.
    core : which rows are for the core.

    If a person bought an item of the core several times, the quantities are added up. The rows that
    this saves are deleted.
    """
    person = bought.person.astype(np.int64)
    first = _first_of_each(pair, noise)
    content = np.lexsort((rank[pair], ~first, person))
    place = np.lexsort((noise.words(len(person)), ~core, person))
    in_core = core[place]
    is_core_pair = np.zeros(int(pair.max(initial=-1)) + 1, bool)
    is_core_pair[pair[content[in_core]]] = True
    added = is_core_pair[pair[content]] & ~in_core
    total = np.bincount(pair[content[added]], bought.quantity[content[added]], len(is_core_pair))
    quantity = bought.quantity.copy()
    receivers = content[in_core & first[content]]
    quantity[receivers] += total[pair[receivers]].astype(np.int64)
    last = np.lexsort((added, ~in_core, person[content]))
    source = np.empty(len(person), np.int64)
    source[place] = content[last]
    deleted = np.zeros(len(person), bool)
    deleted[place] = added[last]
    return Dealt(source, quantity, deleted)


def _first_of_each(pair: Rows, noise: Noise) -> Mask:
    """Mark one row of each pair at random."""
    order = np.lexsort((noise.words(len(pair)), pair))
    first = np.zeros(len(pair), bool)
    first[order[np.diff(pair[order], prepend=-1) != 0]] = True
    return first


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
        """Examples for the test battery: the defaults, and a pool of everything."""
        return [cls(), cls(rows=0)]

    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> dict[str, Array]:
        """Choose the core, publish it in whole months, and exchange everything else."""
        cells = CohortCells.of(bought)
        rows, live = cells.rows, bought.take(cells.rows)
        cell = np.repeat(np.arange(len(cells)), cells.size)
        month = cells.month[cell] - cells.month.min(initial=0)
        pairs = BasketPairs.of(live, self.small)
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
