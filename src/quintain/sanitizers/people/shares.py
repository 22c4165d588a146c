"""Shares: everybody counts once in every table, however many rows they have.

A person is one whole. In each table, the whole is divided among the rows of the person: equally
among the rows that belong to the person directly, and the part of a row equally among the rows that
belong to it. Counts of such parts are what a random row of every person would give on average.

*Sensitivity.* Parts are whole numbers, and those of a person in one table add up to :data:`WHOLE`
at most. They do not depend on anybody else. So a person who is added or removed changes the counts
of disjoint groups of rows by a vector without negative numbers, whose sum is at most WHOLE, and so
is its Euclidean length. This is true for any number of rows, so no row has to be left out, and the
noise does not grow with the number of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from quintain.accounting.budget import Budget
from quintain.data.arrays import Floats, Ints, Rows
from quintain.data.people import Branch, People, Ragged
from quintain.randomness.noise import Noise

WHOLE = 1 << 20
"""The parts of one person in one table."""


@dataclass(frozen=True, slots=True, eq=False)
class RowShares:
    """The parts that the rows of one table have in their persons.

    >>> halves = RowShares(np.array([WHOLE // 2, WHOLE // 2, WHOLE]))
    >>> halves.count([np.array([0, 1, 1])], (2,)).tolist()
    [0.5, 1.5]
    """

    parts: Ints

    def count(self, codes: Sequence[Ints], shape: tuple[int, ...]) -> Floats:
        """How many people have each combination of codes; these are private data."""
        return self._count(codes, shape) / WHOLE

    def count_with_noise(
        self,
        codes: Sequence[Ints],
        shape: tuple[int, ...],
        sigma: float,
        budget: Budget,
        noise: Noise,
    ) -> Floats:
        """Count people with Gaussian noise of this standard deviation; costs 1 / (2 sigma**2)."""
        counts = self._count(codes, shape).astype(np.int64)  # sums of whole numbers are exact
        return budget.count(counts, sigma * WHOLE, noise, sensitivity=WHOLE) / WHOLE

    def _count(self, codes: Sequence[Ints], shape: tuple[int, ...]) -> Floats:
        cell = np.ravel_multi_index(tuple(codes), shape)
        counts: Floats = np.bincount(cell, self.parts, prod(shape)).astype(np.float64)
        return counts.reshape(shape)


def divide_people(people: People) -> dict[str, RowShares]:
    """Divide everybody among their rows, table by table; rows of nobody have no part.

    >>> from quintain.testing import small_shop
    >>> from quintain.data.kinds import flat
    >>> rows = flat(small_shop())
    >>> shop = People.of_rows(rows, np.array([0, 0, 1, 0]), 2)
    >>> (divide_people(shop)["rows"].parts / WHOLE).round(2).tolist()
    [0.33, 0.33, 1.0, 0.33]
    """
    everybody = np.full(people.size, WHOLE)
    shares: dict[str, RowShares] = {}
    for table in people.schema.tables:
        branch = people.tables[table.name]
        above = shares[table.parent].parts if table.parent else everybody
        parent = np.where(branch.person >= 0, branch.parent, -1)
        shares[table.name] = RowShares(_divide(parent, above))
    return shares


def _divide(parent: Rows, above: Ints) -> Ints:
    """Divide the parts of each row above among its rows, so that nothing is lost or added."""
    below = Ragged.of(parent, len(above))
    lengths = below.lengths()
    place = np.arange(len(below.order)) - np.repeat(below.offsets[:-1], lengths)
    whole, count = np.repeat(above, lengths), np.repeat(lengths, lengths)
    parts = np.zeros(len(parent), np.int64)
    parts[below.order] = whole * (place + 1) // count - whole * place // count
    return parts


def one_row_each(branch: Branch, *, noise: Noise) -> Rows:
    """A random row of every person who has one. A table of them has one row per person.

    So whatever is private for one row of that table is private for a person.
    """
    rows = np.flatnonzero(branch.person >= 0)
    mixed = rows[np.argsort(noise.words(len(rows)), kind="stable")]
    _, first = np.unique(branch.person[mixed], return_index=True)
    return np.sort(mixed[first])
