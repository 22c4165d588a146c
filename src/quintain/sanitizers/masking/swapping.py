"""Swapping: records exchange values, so that each column keeps its values."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Column, Table
from quintain.data.arrays import Array, Rows
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.masking.columns import numeric
from quintain.sanitizers.masking.mask import Masking
from quintain.sanitizers.masking.shuffling import permutation, some


@register("swapping-v1")
class Swapping(Masking):
    """Swaps values between pairs of records, column by column; one-way counts stay exact.

    Numbers and ordered categories are swapped between records close in rank: those that take part
    are put in order, equal values at random, cut into stretches of ``window`` of them, and paired
    at random within a stretch. Other columns are paired at random. A value may be swapped with an
    equal one.

    Parameters
    ----------
    columns : the columns it is applied to; all if not given.
    share : the share of records that take part, drawn anew for each column.
    window : the length of a stretch as a share of those that take part; 1 pairs anybody.

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
        """Pair and swap."""
        out = {}
        for name in names:
            column, swapped = data.schema[name], data.columns[name].copy()
            rows = some(round(self.share * len(data)), len(data), noise)
            first, second = self._pairs(column, swapped[rows], noise)
            first, second = rows[first], rows[second]
            swapped[first], swapped[second] = swapped[second], swapped[first]
            out[name] = swapped
        return out

    def _pairs(self, column: Column, held: Array, noise: Noise) -> tuple[Rows, Rows]:
        order = permutation(len(held), noise)
        if self.window < 1 and (numeric(column) or column.ordered or column.kind == "time"):
            order = order[np.argsort(held[order], kind="stable")]  # equal values stay at random
            length = max(2, round(self.window * len(held)))
            # A stretch may begin anywhere, so that no border between stretches is always there.
            start = int(noise.integers(length, 1)[0])
            stretch = (np.arange(len(held)) + start) // length
            order = order[np.lexsort((permutation(len(held), noise), stretch))]
        else:
            stretch = np.zeros(len(held), np.int64)
        place = np.arange(len(held)) - np.searchsorted(stretch, stretch)
        first = np.flatnonzero((place[:-1] % 2 == 0) & (stretch[:-1] == stretch[1:]))
        return order[first], order[first + 1]

    def detail(self) -> str:
        """Who swaps, and with whom."""
        return (
            f"values of {self.share:g} of the records swapped in pairs; numbers and ordered "
            f"categories within {self.window:g} of the ranks"
        )
