"""How PATE-GAN sees a record: one level per column, defined by public facts alone.

A column with few values has one level per value, and one for a missing value where the schema
allows it. In a column with many values, a level is a range of neighbouring codes. Where shares are
known (paid for with a part of the privacy budget), the ranges are cut so that each has about the
same share of the records; otherwise they are equally long. Inside a range, values follow the known
shares.
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
"""The share of a value that was never counted; inside a range it must stay possible."""


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """The levels of every column, and the codes that each level stands for.

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
        """Choose levels for known shares; all columns together have about ``width`` at most."""
        limit = most_levels([len(share) for share in shares], width)
        levels = []
        for share in shares:
            if len(share) <= limit:
                levels.append(np.arange(len(share)))
                continue
            middle = (np.cumsum(share) - share / 2) / share.sum()
            ranges = np.minimum((middle * limit).astype(np.int64), limit - 1)
            levels.append(np.unique(ranges, return_inverse=True)[1].astype(np.int64))
        return cls(schema, tuple(levels), tuple(shares))

    @property
    def sizes(self) -> list[int]:
        """Count the levels of each column."""
        return [int(levels[-1]) + 1 for levels in self.level_of]

    def level_shares(self) -> Floats:
        """Give the share of every level, column after column."""
        known = zip(self.level_of, self.shares, strict=True)
        return np.concatenate([np.bincount(levels, weights=share) for levels, share in known])

    def encode(self, codes: Ints) -> Ints:
        """Turn codes into levels; one array column per table column."""
        columns = [levels[codes[:, i]] for i, levels in enumerate(self.level_of)]
        return np.column_stack(columns)

    def decode(self, levels: Ints, *, rng: np.random.Generator) -> Table:
        """Make records with these levels; inside a range, draw values by their shares."""
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
    """Count the codes of each column, with one for a missing value where that is allowed."""
    return [column.size + column.nullable for column in schema.columns]


def codes_of(data: Table) -> Ints:
    """Give the codes of all records; a missing value has the code after the last one."""
    columns = []
    for column in data.schema.columns:
        codes = data.columns[column.name].astype(np.int64)
        missing = codes < 0
        if missing.any() and not column.nullable:
            raise PartError(f"column {column.name!r} has missing values, which its schema forbids")
        if (codes >= column.size).any():
            raise PartError(f"column {column.name!r} has values that its schema does not list")
        codes[missing] = column.size
        columns.append(codes)
    return np.column_stack(columns)


def most_levels(sizes: Sequence[int], width: int) -> int:
    """Give the most levels of one column such that all columns together have about ``width``.

    >>> most_levels([2, 5, 199, 65], 107)
    50
    """
    limit = 2
    while sum(min(size, limit + 1) for size in sizes) <= width and limit < max(sizes):
        limit += 1
    return limit


def draw_levels(shares: Floats, sizes: Sequence[int], *, rng: np.random.Generator) -> Ints:
    """Draw one level per column for every row of shares, independently between columns.

    The draws of a column are spread evenly, so the column as a whole varies less than with
    independent draws. Each single row follows exactly its shares.
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
