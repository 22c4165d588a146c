"""Swapping: records exchange values, so that each column keeps its values."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Column, Table
from quintain.data.arrays import Array, Rows
from quintain.data.codec import missing_cells
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.masking.mask import Masking, has_order
from quintain.sanitizers.shuffling import permutation, random_subset


@register("swapping-v1")
class Swapping(Masking):
    """Swaps values between pairs of records, column by column; one-way counts stay exact.

    Numbers and ordered categories are swapped between records that are close in rank. The records
    that take part are sorted, equal values in random order, and cut into blocks of ``window`` of
    them. Random pairs within a block then swap. In other columns any two records can be a pair. A
    value may be swapped with an equal one.

    >>> import quintain as q
    >>> from quintain.testing.examples import TABLE
    >>> schema = TABLE.select(["colour", "size"])
    >>> toys = q.Table.of(schema, {"colour": ["red", "green", "blue"], "size": [1, 2, 9]})
    >>> release = q.sanitize("swapping", toys, columns=["size"], seed=1)
    >>> print(release.data.csv_bytes().decode())
    colour,size
    red,1
    green,9
    blue,2

    Parameters
    ----------
    columns : the columns to change; all columns if not given.
    share : the share of records that take part, drawn separately for each column.
    window : the length of a block as a share of the records that take part; 1 pairs any two.

    References
    ----------
    Moore, Controlled data-swapping techniques for masking public use microdata sets, US Census
    Bureau RR 96-04 (1996).
    """

    method: ClassVar[str] = "swapping"

    share: Annotated[float, Field(ge=0, le=1)] = 1.0
    window: Annotated[float, Field(gt=0, le=1)] = 0.05

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Draw pairs in every column and swap their values."""
        out = {}
        for name in names:
            column, swapped = data.schema[name], data.columns[name].copy()
            rows = random_subset(round(self.share * len(data)), len(data), noise)
            first, second = self._pairs(column, swapped[rows], noise)
            first, second = rows[first], rows[second]
            swapped[first], swapped[second] = swapped[second], swapped[first]
            out[name] = swapped
        return out

    def _pairs(self, column: Column, values: Array, noise: Noise) -> tuple[Rows, Rows]:
        order = permutation(len(values), noise)
        if self.window < 1 and has_order(column):
            order = order[
                np.argsort(values[order], kind="stable")
            ]  # equal values stay in random order
            length = max(2, round(self.window * len(values)))
            # Blocks start at a random place, so that no two neighbours are always separated.
            start = int(noise.integers(length, 1)[0])
            stretch = (np.arange(len(values)) + start) // length
            order = order[np.lexsort((permutation(len(values), noise), stretch))]
        else:
            stretch = np.zeros(len(values), np.int64)
        place = np.arange(len(values)) - np.searchsorted(stretch, stretch)
        first = np.flatnonzero((place[:-1] % 2 == 0) & (stretch[:-1] == stretch[1:]))
        return order[first], order[first + 1]

    def detail(self) -> str:
        """The share of records that swap, and how close they are, in words."""
        return (
            f"values of {100 * self.share:g} % of the records swapped in pairs; numbers and "
            f"ordered categories within {100 * self.window:g} % of the ranks"
        )


@register("rank-swapping-v1")
class RankSwapping(Masking):
    """Swaps every value with one whose rank differs by at most a share of the records.

    The window lies around each record, as in mu-Argus and sdcMicro. ``swapping`` cuts the ranks
    into blocks instead, and can swap a share of the records. Equal values get their ranks in random
    order. A missing value stays missing. A record that finds no free partner keeps its value.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> wage = q.Column(name="wage", kind="real")
    >>> schema = q.Schema(columns=(age, wage))
    >>> people = q.Table.of(schema, {"age": [21, 34, 35, 36], "wage": [1.5, 2.5, 4.0, 9.5]})
    >>> release = q.sanitize("rank-swapping", people, columns=["wage"], window=0.25, seed=1)
    >>> [tuple(record.values()) for record in release.data.records()]
    [(21, 2.5), (34, 1.5), (35, 9.5), (36, 4.0)]

    Parameters
    ----------
    columns : the columns to change; all numbers, times and ordered categories if not given.
    window : the largest difference of ranks, as a share of the records that have a value.

    References
    ----------
    Moore, Controlled data-swapping techniques for masking public use microdata sets, US Census
    Bureau RR 96-04 (1996). Templ, Kowarik and Meindl, Statistical disclosure control for micro-data
    using the R package sdcMicro, Journal of Statistical Software 67 (2015): rankSwap.
    """

    method: ClassVar[str] = "swapping"
    need: ClassVar[str] = "a number, a time or an ordered category"

    window: Annotated[float, Field(gt=0, le=1)] = 0.05

    def fits(self, column: Column) -> bool:
        """Whether the values of the column have ranks."""
        return has_order(column)

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Rank the values of every column, draw partners and swap their values."""
        out = {}
        for name in names:
            swapped = data.columns[name].copy()
            present = np.flatnonzero(~missing_cells(data.schema[name], swapped))
            rows = present[permutation(len(present), noise)]  # equal values in random order
            rows = rows[np.argsort(swapped[rows], kind="stable")]
            first, second = close_pairs(len(rows), max(1, int(self.window * len(rows))), noise)
            first, second = rows[first], rows[second]
            swapped[first], swapped[second] = swapped[second], swapped[first]
            out[name] = swapped
        return out

    def detail(self) -> str:
        """The width of the window in words."""
        return f"values swapped with others at most {100 * self.window:g} % of the ranks away"


def close_pairs(size: int, window: int, noise: Noise) -> tuple[Rows, Rows]:
    """Random disjoint pairs of the numbers below ``size`` that differ by at most ``window``.

    In each round every free number proposes itself to a free larger one in its window. A proposal
    is accepted if its random word is the smallest at both of its ends. The rounds end when no free
    number has another one in its window.
    """
    free = np.arange(size)
    first, second = [free[:0]], [free[:0]]
    while len(free) > 1:
        place = np.arange(len(free))
        choices = np.searchsorted(free, free + window, side="right") - place - 1
        place, choices = place[choices > 0], choices[choices > 0]
        if not len(place):
            break
        partner = place + 1 + (noise.uniform(len(place)) * choices).astype(np.int64)
        words = noise.words(len(place))
        smallest = np.full(len(free), np.iinfo(np.uint64).max, np.uint64)
        np.minimum.at(smallest, place, words)
        np.minimum.at(smallest, partner, words)
        accepted = (smallest[place] == words) & (smallest[partner] == words)
        first.append(free[place[accepted]])
        second.append(free[partner[accepted]])
        left = np.ones(len(free), bool)
        left[place[accepted]] = left[partner[accepted]] = False
        free = free[left]
    return np.concatenate(first), np.concatenate(second)
