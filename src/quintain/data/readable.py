"""Readable: what could be read of a file, where other cells were refused.

Whoever sends a file should learn of every fault at once. So a bad cell stops nothing: the rows are
kept, with a placeholder where a cell was refused, and what checks whole rows runs on them too. It
says nothing about a cell that was refused already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Mask
from quintain.data.columns import Columns
from quintain.data.kinds import Data, shaped
from quintain.errors import Faults

_FILTERED = 100_000
"""How many findings about a file with refused cells are looked at; further ones only count."""


@dataclass(frozen=True, slots=True, eq=False)
class Readable:
    """The rows of a file.

    Parameters
    ----------
    rows : every row; a cell that was refused holds what stands for a missing one.
    refused : by column, which cells were refused; columns without such a cell are left out.
    line_of : the line of a row, counted from 0.
    """

    rows: Columns
    refused: Mapping[str, Mask]
    line_of: Callable[[int], int]

    def data(self) -> Data:
        """The rows as the kind of data their schema describes."""
        return shaped(self.rows)

    def check(self, check: Callable[[Faults], None], faults: Faults) -> None:
        """Run a check of the rows; note its findings, but not those about refused cells."""
        keep = _FILTERED if self.refused else faults.room()
        found = Faults(faults.file, keep=keep, lines=self.line_of)
        check(found)
        refused: dict[str | None, frozenset[int]] = {
            name: self._lines(mask) for name, mask in self.refused.items()
        }
        refused[None] = frozenset().union(*refused.values())  # findings about whole rows
        faults.extend(f for f in found if f.line not in refused.get(f.column, ()))
        faults.count(found.total - len(found.found))

    def _lines(self, mask: Mask) -> frozenset[int]:
        return frozenset(self.line_of(row) for row in np.flatnonzero(mask).tolist())
