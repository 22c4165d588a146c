"""Domain: the columns of a model, and the number of values of each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Domain:
    """The columns of a model in a fixed order, each with the number of its values.

    >>> domain = Domain.of({"sex": 2, "age": 74})
    >>> domain.shape(("age",)), domain.cells(("sex", "age")), domain.sort({"age", "sex"})
    ((74,), 148, ('sex', 'age'))
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(set(self.names)) != len(self.names) or len(self.names) != len(self.sizes):
            raise ValueError("a domain needs one size per column, and no column may appear twice")
        if any(size < 1 for size in self.sizes):
            raise ValueError("every column of a domain needs at least one value")

    @classmethod
    def of(cls, sizes: Mapping[str, int]) -> Domain:
        """Make the domain with these columns and sizes."""
        return cls(tuple(sizes), tuple(sizes.values()))

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def place(self, name: str) -> int:
        """Give the position of a column in the order."""
        return self._place[name]

    def size(self, name: str) -> int:
        """Give the number of values of a column."""
        return self.sizes[self._place[name]]

    def shape(self, columns: Iterable[str]) -> tuple[int, ...]:
        """Give the shape of a table over some columns."""
        return tuple(self.size(name) for name in columns)

    def cells(self, columns: Iterable[str]) -> int:
        """Count the cells of a table over some columns."""
        place = self._place
        return math.prod([self.sizes[place[name]] for name in columns])

    def sort(self, columns: Iterable[str]) -> tuple[str, ...]:
        """Put columns into the order of the domain."""
        return tuple(sorted(columns, key=self.place))
