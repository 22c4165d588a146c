"""How records are compared in one round of PATE-GAN: levels and pairs of levels, centred.

Let phi(x) be the levels of a record and all products of levels of two columns, each level centred
at the generator's share s and divided by the root of s plus a little, so that rare levels count
for more than common ones and do not drown them. Two records are alike by

$$ \\langle \\phi(x), \\phi(y) \\rangle = \\sum_a k_a + \\sum_{a < b} k_a k_b, $$

where k_a, how alike they are in column a, is looked up in a small table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quintain.data.arrays import Floats, Ints, Singles

RIDGE = 0.1
"""Added to a share before its root divides: rare levels must not drown the others."""


@dataclass(frozen=True, eq=False)
class View:
    """What is known of the generator in one round; all of it is public.

    Parameters
    ----------
    sizes : how many levels each column has.
    shares : the generator's share of each level, column after column.
    moments : covariances of the generator's levels; zero unless the first is of an earlier column.
    pairs : whether to compare pairs of levels too, or single levels alone.
    """

    sizes: Sequence[int]
    shares: Floats
    moments: Floats
    pairs: bool

    @cached_property
    def weights(self) -> Floats:
        """What a level counts for."""
        return 1 / (self.shares + RIDGE)

    @cached_property
    def blocks(self) -> list[slice]:
        """Where the levels of each column are."""
        ends = np.cumsum(self.sizes)
        return [slice(int(e - s), int(e)) for s, e in zip(self.sizes, ends, strict=True)]

    def centred(self, records: Ints) -> Floats:
        """Levels of records as zeros and ones, centred and weighted."""
        onehot = np.zeros((len(records), len(self.shares)))
        starts = np.array([block.start for block in self.blocks])
        onehot[np.arange(len(records))[:, None], records + starts] = 1
        return (onehot - self.shares) * self.weights

    @cached_property
    def likeness(self) -> list[Singles]:
        """For each column, how alike two levels are."""
        tables = []
        for block in self.blocks:
            share, weight = self.shares[block], self.weights[block]
            pull = share * weight
            table = np.diag(weight) - pull[:, None] - pull + share @ pull
            tables.append(table.astype(np.float32))
        return tables

    def kernel(self, queries: Ints, records: Ints) -> Singles:
        """How alike records (rows) and queries (columns) are; every number by itself."""
        total = np.zeros((len(records), len(queries)), np.float32)
        squares, part = np.zeros_like(total), np.empty_like(total)
        for i, table in enumerate(self.likeness):
            np.take(table[:, queries[:, i]], records[:, i], axis=0, out=part, mode="clip")
            total += part
            np.multiply(part, part, out=part)
            squares += part
        if self.pairs:
            # The sum over pairs a < b of k_a k_b is half of (sum k)**2 less half of sum k**2.
            np.multiply(total, total, out=part)
            part -= squares
            part *= np.float32(0.5)
            total += part
        return total

    def familiar(self, records: Ints) -> Floats:
        """How alike records are to the generator's, on average."""
        out = np.zeros(len(records))
        blocks = self.blocks if self.pairs else []
        for b, second in enumerate(blocks):
            for a, first in enumerate(blocks[:b]):
                out += self._pair(first, second)[records[:, a], records[:, b]]
        return out

    def _pair(self, a: slice, b: slice) -> Floats:
        """For two columns, how alike two levels are to the generator's."""
        table = self.moments[a, b] * self.weights[a, None] * self.weights[b]
        rows, columns = self.shares[a] @ table, table @ self.shares[b]
        centred: Floats = table - rows - columns[:, None] + self.shares[a] @ columns
        return centred

    @property
    def familiarity(self) -> float:
        """How alike the generator's records are to each other, on average."""
        if not self.pairs:
            return 0.0
        return float((self.moments**2 * self.weights[:, None] * self.weights).sum())
