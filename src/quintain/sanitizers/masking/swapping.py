"""Swapping: pairs of records exchange values, so that each column keeps its values."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Column, Table
from quintain.data.arrays import Array, Rows
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.masking.columns import has_order
from quintain.sanitizers.masking.mask import Masking
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
