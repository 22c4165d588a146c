"""Factor: a table over some columns, stored as logarithms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A table of non-negative numbers as logarithms, one axis per column; -inf stands for zero.

    A product of tables is a sum of factors, so nothing overflows.

    >>> half = Factor(("a",), np.log([0.5, 0.5]))
    >>> joint = half + Factor(("a", "b"), np.log([[0.2, 0.8], [0.6, 0.4]]))
    >>> joint.sum_to(("b",)).exp().round(6).tolist()
    [0.4, 0.6]
    """

    columns: tuple[str, ...]
    log: Floats

    def __add__(self, other: Factor) -> Factor:
        columns = (*self.columns, *(c for c in other.columns if c not in self.columns))
        return Factor(columns, self._aligned(columns) + other._aligned(columns))

    def __sub__(self, other: Factor) -> Factor:
        """Divide by a table over some of the same columns; zero divided by zero is zero."""
        divisor = other._aligned(self.columns)
        with np.errstate(invalid="ignore"):
            return Factor(self.columns, np.where(divisor == -np.inf, -np.inf, self.log - divisor))

    def shifted(self, by: float) -> Factor:
        """Multiply all numbers by exp(by)."""
        return Factor(self.columns, self.log + by)

    def sum_to(self, columns: Iterable[str]) -> Factor:
        """Sum over all other columns; the axes have the given order."""
        kept = tuple(columns)
        dropped = tuple(axis for axis, name in enumerate(self.columns) if name not in kept)
        summed = log_sum(self.log, dropped)
        rest = [name for name in self.columns if name in kept]
        return Factor(kept, np.transpose(summed, [rest.index(name) for name in kept]))

    def exp(self) -> Floats:
        """Give the numbers themselves, not their logarithms."""
        return np.exp(self.log)

    def _aligned(self, columns: tuple[str, ...]) -> Floats:
        """Give the logarithms with axes as in ``columns``; an axis it lacks has length one."""
        axes = [self.columns.index(name) for name in columns if name in self.columns]
        where = tuple(slice(None) if name in self.columns else None for name in columns)
        return np.transpose(self.log, axes)[where]


def log_sum(values: Floats, axes: tuple[int, ...]) -> Floats:
    """Compute log(sum(exp(values))) along some axes, without overflow."""
    if not axes:
        return values
    top = values.max(axis=axes, keepdims=True)
    top[top == -np.inf] = 0.0
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(values - top).sum(axis=axes)) + top.squeeze(axis=axes))
