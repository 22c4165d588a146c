"""Hierarchies: how the values of a column are grouped, from single values up to all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Rows
from quintain.errors import PartError
from quintain.sanitizers.masking.generalisation.values import DistinctValues


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """The levels of a column: at each level a group number for every code.

    Level 0 has every value by itself, and the last level has one group. A missing value is in a
    group of its own below the last level. At the last level of a column that may be empty, every
    cell is missing.

    Parameters
    ----------
    levels : for each level the group of every code; groups are numbered from 0.
    given : whether somebody wrote the levels; otherwise they were derived from the data.
    """

    levels: tuple[Rows, ...]
    given: bool = False

    @classmethod
    def of(
        cls, values: DistinctValues, levels: Iterable[Rows], *, part: str = "", given: bool = False
    ) -> Hierarchy:
        """Complete the groups of the values to a hierarchy: add the first and the last level.

        Raises ``PartError`` if a level splits a group of the level below.
        """
        count = len(values.values)
        every = [np.arange(count + 1)]
        for number, level in enumerate(levels, start=1):
            _, groups = np.unique(level, return_inverse=True)
            groups = np.append(groups, groups.max(initial=-1) + 1)
            if _splits(every[-1], groups):
                raise PartError(
                    f"{part}: column {values.column.name!r}: level {number} of its hierarchy "
                    f"splits a group of level {number - 1}; each level must merge whole groups"
                )
            if given or groups.max() < every[-1].max():
                every.append(groups)
        if values.column.nullable or every[-1][:count].max(initial=0) > 0:
            every.append(np.zeros(count + 1, np.int64))
        return cls(tuple(every), given)

    @property
    def top(self) -> int:
        """The number of the last level."""
        return len(self.levels) - 1

    def bits_lost(self, counts: Rows) -> Floats:
        """For each level the bits that all records lose: log2 of group size by value size.

        References
        ----------
        Gionis and Tassa, k-Anonymization with minimal loss of information, IEEE TKDE 21 (2009):
        the non-uniform entropy measure.
        """
        occurring = counts > 0
        lost = []
        for groups in self.levels:
            sizes = np.bincount(groups, counts)[groups]
            lost.append(counts[occurring] @ np.log2(sizes[occurring] / counts[occurring]))
        return np.array(lost)

    def ranks(self) -> Rows:
        """For every code its place in an order in which each group of each level is together."""
        return np.argsort(np.lexsort(self.levels))


def _splits(below: Rows, above: Rows) -> bool:
    """Whether two codes of one group below are in different groups above."""
    first = np.zeros(below.max() + 1, np.int64)
    first[below] = above
    return bool((first[below] != above).any())
