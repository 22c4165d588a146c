"""How PATE-GAN compares records in one round: by levels and pairs of levels, centred.

Let phi(x) be the levels of a record and all products of levels of two columns. Each level is
centred at the generator's share s and divided by the root of s plus a constant, so that rare levels
count more than common ones, but do not dominate. The similarity of two records is

$$ \\langle \\phi(x), \\phi(y) \\rangle = \\sum_a k_a + \\sum_{a < b} k_a k_b, $$

where k_a, their similarity in column a, is looked up in a small table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quintain.data.arrays import Floats, Ints, Singles

RIDGE = 0.1
"""The constant that is added to a share, so that rare levels do not dominate the others."""


@dataclass(frozen=True, eq=False)
class View:
    """What is known about the generator in one round; all of it is public.

    Parameters
    ----------
    sizes : how many levels each column has.
    shares : the generator's share of each level, column after column.
    moments : covariances of the generator's levels; zero unless the first is of an earlier column.
    pairs : whether to compare pairs of levels as well, or single levels only.
    """

    sizes: Sequence[int]
    shares: Floats
    moments: Floats
    pairs: bool

    @cached_property
    def weights(self) -> Floats:
        """Give the weight of each level in a comparison."""
        return 1 / (self.shares + RIDGE)

    @cached_property
    def blocks(self) -> list[slice]:
        """Locate the levels of each column among all levels."""
        ends = np.cumsum(self.sizes)
        return [slice(int(e - s), int(e)) for s, e in zip(self.sizes, ends, strict=True)]

    def centred(self, records: Ints) -> Floats:
        """Turn levels into zeros and ones, then centre and weight them."""
        onehot = np.zeros((len(records), len(self.shares)))
        starts = np.array([block.start for block in self.blocks])
        onehot[np.arange(len(records))[:, None], records + starts] = 1
        return (onehot - self.shares) * self.weights

    @cached_property
    def similarity(self) -> list[Singles]:
        """Tabulate, for each column, the similarity of two levels."""
        tables = []
        for block in self.blocks:
            share, weight = self.shares[block], self.weights[block]
            pull = share * weight
            table = np.diag(weight) - pull[:, None] - pull + share @ pull
            tables.append(table.astype(np.float32))
        return tables

    def kernel(self, queries: Ints, records: Ints) -> Singles:
        """Compute the similarity of records (rows) and queries (columns), each on its own."""
        total = np.zeros((len(records), len(queries)), np.float32)
        squares, part = np.zeros_like(total), np.empty_like(total)
        for i, table in enumerate(self.similarity):
            np.take(table[:, queries[:, i]], records[:, i], axis=0, out=part, mode="clip")
            total += part
            np.multiply(part, part, out=part)
            squares += part
        if self.pairs:
            # The sum over pairs a < b of k_a k_b is half of (sum k)**2 - sum k**2.
            np.multiply(total, total, out=part)
            part -= squares
            part *= np.float32(0.5)
            total += part
        return total

    def mean_similarity(self, records: Ints) -> Floats:
        """Compute the mean similarity of each record to the generator's records."""
        out = np.zeros(len(records))
        blocks = self.blocks if self.pairs else []
        for b, second in enumerate(blocks):
            for a, first in enumerate(blocks[:b]):
                out += self._pair(first, second)[records[:, a], records[:, b]]
        return out

    def _pair(self, a: slice, b: slice) -> Floats:
        """Tabulate, for two columns, the mean similarity of a pair of levels to the generator's."""
        table = self.moments[a, b] * self.weights[a, None] * self.weights[b]
        rows, columns = self.shares[a] @ table, table @ self.shares[b]
        centred: Floats = table - rows - columns[:, None] + self.shares[a] @ columns
        return centred

    @property
    def own_similarity(self) -> float:
        """Compute the mean similarity between the generator's own records."""
        if not self.pairs:
            return 0.0
        return float((self.moments**2 * self.weights[:, None] * self.weights).sum())
