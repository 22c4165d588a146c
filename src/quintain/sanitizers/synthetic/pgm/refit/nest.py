"""Nest: all measured marginals of one clique, in few passes over its large table.

A marginal is a sum over the columns that it lacks. Many marginals lack the same column, so this
column is summed once for all of them, the largest first, and the rest is done on the smaller table.
The same nest adds potentials up: small ones are added to each other before they reach the large
table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats
from quintain.sanitizers.synthetic.pgm.domain import Domain


@dataclass(frozen=True, slots=True)
class Nest:
    """A table over some columns, the marginals that equal it, and smaller tables inside.

    Parameters
    ----------
    shape : the shape of the table.
    own : the numbers of the marginals over exactly these columns.
    inside : tables with one column less, each with the axis of this column.
    """

    shape: tuple[int, ...]
    own: tuple[int, ...]
    inside: tuple[tuple[int, Nest], ...]

    @classmethod
    def of(
        cls, domain: Domain, columns: Sequence[str], marginals: dict[int, tuple[str, ...]]
    ) -> Nest:
        """Arrange numbered marginals, whose columns have the order of the domain, in a table."""
        own = tuple(n for n, names in marginals.items() if len(names) == len(columns))
        rest = {n: names for n, names in marginals.items() if n not in own}
        inside = []
        for axis in np.argsort([-domain.size(name) for name in columns], kind="stable").tolist():
            lacking = {n: names for n, names in rest.items() if columns[axis] not in names}
            if lacking:
                fewer = [name for name in columns if name != columns[axis]]
                inside.append((axis, cls.of(domain, fewer, lacking)))
                rest = {n: names for n, names in rest.items() if n not in lacking}
        return cls(domain.shape(columns), own, tuple(inside))

    def sums(self, table: Floats, out: list[Floats]) -> None:
        """Write every marginal of a table to its place in a list."""
        for number in self.own:
            out[number] = table.ravel()
        for axis, nest in self.inside:
            nest.sums(table.sum(axis=axis), out)

    def total(self, parts: Sequence[Floats]) -> Floats:
        """Add potentials of all marginals up in one table."""
        out = np.zeros(self.shape)
        for number in self.own:
            out += parts[number].reshape(self.shape)
        for axis, nest in self.inside:
            out += nest.total(parts).reshape(*self.shape[:axis], 1, *self.shape[axis + 1 :])
        return out
