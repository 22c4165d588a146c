"""How PATE-GAN sees a record: one level a column, from public facts alone.

A column with few values has a level for each of them, and one for a missing value where the
schema allows it. A column with many has levels that are ranges of neighbouring codes, cut so that
each holds about the same share of the records, where shares are known (bought with a part of the
privacy budget), and evenly otherwise. Inside a range, values follow the known shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from quintain.data import Schema, Table
from quintain.data.arrays import Floats, Ints
from quintain.errors import PartError

_NEVER = 1e-9
"""The share of a value that was never counted: inside a range it must still be possible."""


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """Levels of every column.

    Parameters
    ----------
    schema : the columns.
    level_of : for each column, the level of every code, never falling.
    shares : for each column, the share of every code.
    """

    schema: Schema
    level_of: tuple[Ints, ...]
    shares: tuple[Floats, ...]

    @classmethod
    def cut(cls, schema: Schema, shares: Sequence[Floats], width: int) -> Self:
        """Levels for known shares, at most about ``width`` in all columns together."""
        limit = most_levels([len(share) for share in shares], width)
        levels = []
        for share in shares:
            if len(share) <= limit:
                levels.append(np.arange(len(share)))
                continue
            middle = (np.cumsum(share) - share / 2) / share.sum()
            found = np.minimum((middle * limit).astype(np.int64), limit - 1)
            levels.append(np.unique(found, return_inverse=True)[1].astype(np.int64))
        return cls(schema, tuple(levels), tuple(shares))

    @property
    def sizes(self) -> list[int]:
        """How many levels each column has."""
        return [int(levels[-1]) + 1 for levels in self.level_of]

    def level_shares(self) -> Floats:
        """The share of every level, column after column."""
        known = zip(self.level_of, self.shares, strict=True)
        return np.concatenate([np.bincount(levels, weights=share) for levels, share in known])

    def encode(self, codes: Ints) -> Ints:
        """The levels of codes, one column a column."""
        columns = [levels[codes[:, i]] for i, levels in enumerate(self.level_of)]
        return np.column_stack(columns)

    def decode(self, levels: Ints, *, rng: np.random.Generator) -> Table:
        """Records with these levels; inside a range, a value by its share."""
        columns = {}
        known = zip(self.schema.columns, self.level_of, self.shares, strict=True)
        for i, (column, level_of, share) in enumerate(known):
            edges = np.concatenate([[0.0], np.cumsum(share + _NEVER)])
            first = np.searchsorted(level_of, levels[:, i], side="left")
            last = np.searchsorted(level_of, levels[:, i], side="right")
            point = edges[first] + rng.random(len(levels)) * (edges[last] - edges[first])
            code = np.searchsorted(edges, point, side="right") - 1
            code = np.clip(code, first, last - 1)
            columns[column.name] = np.where(code == column.size, -1, code)
        return Table(self.schema, columns)


def domain_sizes(schema: Schema) -> list[int]:
    """How many codes each column has, with one for a missing value where that is allowed."""
    return [column.size + column.nullable for column in schema.columns]


def coded(data: Table) -> Ints:
    """The codes of records, one column a column; a missing value has the code after the last."""
    columns = []
    for column in data.schema.columns:
        codes = data.columns[column.name].astype(np.int64)
        missing = codes < 0
        if missing.any() and not column.nullable:
            raise PartError(
                f"values of {column.name!r} are missing, which the schema does not allow"
            )
        if (codes >= column.size).any():
            raise PartError(f"values of {column.name!r} are not among those of the schema")
        codes[missing] = column.size
        columns.append(codes)
    return np.column_stack(columns)


def most_levels(sizes: Sequence[int], width: int) -> int:
    """How many levels a column may have so that all columns together have about ``width``.

    >>> most_levels([2, 5, 199, 65], 107)
    50
    """
    limit = 2
    while sum(min(size, limit + 1) for size in sizes) <= width and limit < max(sizes):
        limit += 1
    return limit


def draw_levels(shares: Floats, sizes: Sequence[int], *, rng: np.random.Generator) -> Ints:
    """One level a column for every row of shares, each column by itself.

    The draws of a column are spread evenly, so that the column as a whole varies less than with
    independent draws; each row by itself has exactly its shares.
    """
    rows = len(shares)
    levels = np.empty((rows, len(sizes)), np.int64)
    end = 0
    for i, size in enumerate(sizes):
        start, end = end, end + size
        edges = np.cumsum(shares[:, start:end], axis=1)
        point = (rng.permutation(rows) + rng.random(rows)) / rows * edges[:, -1]
        levels[:, i] = np.minimum((edges <= point[:, None]).sum(axis=1), size - 1)
    return levels
