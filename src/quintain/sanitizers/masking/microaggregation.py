"""Microaggregation: groups of similar records share the mean of their numbers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Column, Table
from quintain.data.arrays import Array, Floats, Rows
from quintain.errors import PartError
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.masking.columns import held_as, numeric
from quintain.sanitizers.masking.mask import Masking


@register("microaggregation-v1")
class Microaggregation(Masking):
    """Puts similar records into groups of at least ``k`` and gives each the mean of its group.

    Together, groups are made by MDAV: the record farthest from the mean with its k - 1 nearest,
    the record farthest from that one with its k - 1 nearest, and again with the rest. Columns are
    divided by their standard deviations first. The time grows with the square of the number of
    records: half a second for 10,000, a minute for 100,000. One by one, every column is sorted
    and cut into groups of k, which is quick and keeps more, but protects less.

    Parameters
    ----------
    columns : the columns it is applied to; all with numbers if not given.
    k : the smallest group.
    together : whether a group is the same for all columns.

    References
    ----------
    Domingo-Ferrer and Torra, Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation, Data Mining and Knowledge Discovery 11 (2005).
    """

    method: ClassVar[str] = "microaggregation"
    need: ClassVar[str] = "a number"

    k: Annotated[int, Field(ge=2)] = 3
    together: bool = True

    @classmethod
    def examples(cls) -> list[Self]:
        """Both ways to group."""
        return [cls(), cls(together=False)]

    def fits(self, column: Column) -> bool:
        """Numbers have a mean."""
        return numeric(column)

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Group and average."""
        points = np.stack([data.numbers(name) for name in names])
        for name, numbers in zip(names, points, strict=True):
            if np.isnan(numbers).any():
                raise PartError(
                    f"{self.id}: column {name!r} has missing values, which have no mean"
                )
        if self.together:
            groups = [mdav(standardised(points), self.k)] * len(names)
        else:
            groups = [blocks_of(numbers, self.k) for numbers in points]
        means = map(group_means, points, groups)
        return {name: held_as(data.schema[name], m) for name, m in zip(names, means, strict=True)}

    def detail(self) -> str:
        """The size of the groups."""
        how = "for all columns together" if self.together else "for each column by itself"
        return f"means over groups of at least {self.k}, {how}"


def standardised(points: Floats) -> Floats:
    """Every row from its mean, in units of its standard deviation."""
    spread = points.std(axis=1, keepdims=True)
    centred: Floats = points - points.mean(axis=1, keepdims=True)
    return centred / np.where(spread > 0, spread, 1.0)


def group_means(numbers: Floats, group: Rows) -> Floats:
    """For every record the mean of its group."""
    means: Floats = np.bincount(group, numbers) / np.bincount(group)
    return means[group]


def blocks_of(numbers: Floats, k: int) -> Rows:
    """Groups of k along the sorted numbers; the last has up to 2 k - 1."""
    groups = max(1, len(numbers) // k)
    group = np.empty(len(numbers), np.int64)
    group[np.argsort(numbers, kind="stable")] = np.minimum(np.arange(len(numbers)) // k, groups - 1)
    return group


def mdav(points: Floats, k: int) -> Rows:
    """The group of every record by MDAV; ``points`` has a row for each column.

    Of records equally near or far, the one with the lowest number is taken.
    """
    left = np.arange(points.shape[1])
    group = np.empty(len(left), np.int64)
    count = 0
    while len(left) >= 2 * k:
        from_mean = _distances(points, points.mean(axis=1))
        from_first = _distances(points, points[:, from_mean.argmax()])
        taken = _nearest(from_first, k)
        group[left[taken]] = count
        count += 1
        if len(left) >= 3 * k:
            from_first[taken] = -1.0
            from_second = _distances(points, points[:, from_first.argmax()])
            from_second[taken] = np.inf
            second = _nearest(from_second, k)
            group[left[second]] = count
            count += 1
            taken = np.concatenate([taken, second])
        rest = np.ones(len(left), bool)
        rest[taken] = False
        points, left = points[:, rest], left[rest]
    group[left] = count
    return group


def _distances(points: Floats, to: Floats) -> Floats:
    out = np.zeros(points.shape[1])
    for row, value in zip(points, to, strict=True):
        out += (row - value) ** 2
    return out


def _nearest(distances: Floats, k: int) -> Rows:
    last = np.partition(distances, k - 1)[k - 1]
    nearer = np.flatnonzero(distances < last)
    return np.concatenate([nearer, np.flatnonzero(distances == last)[: k - len(nearer)]])
