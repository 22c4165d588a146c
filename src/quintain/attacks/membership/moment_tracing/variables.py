"""Variables of a record: which values it has, and the products of its numbers and categories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.data import Table
from quintain.data.arrays import Floats, Rows

_CHUNK = 10_000
"""How many records are described at once."""

KINDS = ("category", "code", "product", "slope")
"""Kinds of variables: has this category; has this number; a number or the product of two numbers; a
number times a category."""


@dataclass(frozen=True, slots=True, eq=False)
class Variables:
    """How a record becomes numbers.

    Numbers are standardised, and categories are centred before they are multiplied. So a product
    repeats little of what the single columns say. A missing number counts as the mean.

    Parameters
    ----------
    categories, numbers : for each column, the codes that have a variable.
    shares : how common each of these categories is.
    centre, scale : mean and standard deviation of each number.
    """

    categories: Mapping[str, Rows]
    numbers: Mapping[str, Rows]
    shares: Floats
    centre: Mapping[str, float]
    scale: Mapping[str, float]

    @classmethod
    def of(cls, base: Table, least: float, most: int) -> Variables:
        """Choose variables for a population: of values with a share of ``least`` or more.

        If there are more than ``most``, the rarest values have none.
        """
        columns = base.schema.attributes
        counts = {c.name: np.unique(base.columns[c.name], return_counts=True) for c in columns}
        numeric = [c.name for c in columns if c.kind != "category"]
        shares = {
            name: dict(zip(codes.tolist(), (count / len(base)).tolist(), strict=True))
            for name, (codes, count) in counts.items()
        }
        # A category has one variable of its own and one more for each number.
        weight = {name: 1 if name in numeric else 1 + len(numeric) for name in shares}
        ranked = sorted((-p, n, v) for n, part in shares.items() for v, p in part.items())
        total = np.cumsum([weight[name] for _, name, _ in ranked])
        chosen = [
            (n, v)
            for (p, n, v), used in zip(ranked, total, strict=True)
            if -p >= least and used <= most
        ]
        codes = {n: np.array(sorted(v for m, v in chosen if m == n), np.int64) for n in shares}
        categories = {n: part for n, part in codes.items() if n not in numeric}
        values = {n: base.columns[n][base.columns[n] >= 0] for n in numeric}
        return cls(
            categories,
            {n: codes[n] for n in numeric},
            np.array([shares[n][v] for n, part in categories.items() for v in part.tolist()]),
            {n: float(v.mean()) if len(v) else 0.0 for n, v in values.items()},
            {n: (float(v.std()) if len(v) else 0.0) or 1.0 for n, v in values.items()},
        )

    @property
    def kinds(self) -> npt.NDArray[np.int64]:
        """The place in ``KINDS`` of each variable's kind."""
        count = len(self.numbers)
        sizes = (
            len(self.shares),
            sum(len(part) for part in self.numbers.values()),
            count + count * (count + 1) // 2,
            len(self.shares) * count,
        )
        return np.repeat(np.arange(len(KINDS)), sizes)

    def describe(self, table: Table) -> Iterator[Floats]:
        """Yield the variables of some records at a time, one row per record."""
        for first in range(0, len(table), _CHUNK):
            yield self._block(table.take(np.arange(first, min(first + _CHUNK, len(table)))))

    def means(self, table: Table) -> Floats:
        """The mean of each variable over the records of a table."""
        return np.asarray(sum(block.sum(axis=0) for block in self.describe(table)) / len(table))

    def _block(self, table: Table) -> Floats:
        present = _indicators(table, self.categories)
        numbers = [
            np.where(codes < 0, 0.0, (codes - self.centre[n]) / self.scale[n])[:, None]
            for n, codes in ((n, table.columns[n]) for n in self.numbers)
        ]
        products = [x * y for i, x in enumerate(numbers) for y in numbers[i:]]
        slopes = [(present - self.shares) * z for z in numbers]
        codes = _indicators(table, self.numbers)
        return np.concatenate([present, codes, *numbers, *products, *slopes], axis=1)


def _indicators(table: Table, codes: Mapping[str, Rows]) -> Floats:
    """Say for each record which of the listed codes it has: 1 or 0."""
    out = np.zeros((len(table), sum(len(part) for part in codes.values())))
    start = 0
    for name, part in codes.items():
        if len(part):
            place = np.minimum(np.searchsorted(part, table.columns[name]), len(part) - 1)
            rows = np.flatnonzero(part[place] == table.columns[name])
            out[rows, start + place[rows]] = 1.0
        start += len(part)
    return out
