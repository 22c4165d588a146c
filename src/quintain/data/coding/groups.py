"""Groups: a category whose other values share one code, and are drawn back from the public list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Array, Codes
from quintain.data.schema import Column


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The values of a discrete column that keep their own code; all others share the last one.

    >>> town = Column(name="town", kind="category", values=("a", "b", "c", "d"), nullable=True)
    >>> groups = Groups(town, np.array([1, 3]))
    >>> codes = groups.encode(np.array([0, 1, 2, 3, -1]))
    >>> codes.tolist(), groups.count
    ([2, 0, 2, 1, -1], 3)
    >>> groups.decode(codes, np.random.default_rng(1)).tolist()
    [0, 1, 2, 3, -1]

    Parameters
    ----------
    column : the column of the schema.
    kept : the codes with a code of their own, in order.
    """

    column: Column
    kept: Array

    @property
    def count(self) -> int:
        """The number of codes, with that of the group if there is one."""
        return len(self.kept) + (len(self.kept) < self.column.size)

    @property
    def names(self) -> tuple[str, ...]:
        """The values with a code of their own, then a name for the group."""
        kept = tuple(self.column.values[code] for code in self.kept.tolist())
        return kept if len(kept) == self.count else (*kept, "other values")

    def encode(self, contents: Array) -> Codes:
        """The code of every value; -1 where the value is missing."""
        code = np.full(self.column.size + 1, len(self.kept), np.int32)
        code[self.kept] = np.arange(len(self.kept))
        code[-1] = -1  # where missing values, stored as -1, look
        return code[contents]

    def decode(self, codes: Codes, rng: np.random.Generator) -> Array:
        """Values of the codes; those of the group are drawn uniformly."""
        out = np.append(self.kept, [-1, -1])[codes].astype(np.int32)
        rest = np.setdiff1d(np.arange(self.column.size), self.kept)
        shared = np.flatnonzero(codes == len(self.kept))
        if len(shared):
            out[shared] = rest[rng.integers(len(rest), size=len(shared))]
        return out
