"""Readable: the cells of a file that can be read, beside those that are refused.

A sender should learn of every fault in a file at once. So one bad cell does not stop the reading:
its row stays, with a placeholder in that cell, and the checks of whole rows still run. Their
findings about refused cells are left out, because these cells have a fault already.
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
"""With refused cells, so many findings of a check are looked at; further ones are only counted."""


@dataclass(frozen=True, slots=True, eq=False)
class Readable:
    """The rows of a file, and which of their cells are refused.

    Parameters
    ----------
    rows : every row; a refused cell holds the value of a missing one.
    refused : the refused cells by column; columns without such a cell are left out.
    line_of : gives the line in the file for the number of a row, counted from 0.
    """

    rows: Columns
    refused: Mapping[str, Mask]
    line_of: Callable[[int], int]

    def data(self) -> Data:
        """The rows as the kind of data their schema describes."""
        return shaped(self.rows)

    def check(self, check: Callable[[Faults], None], faults: Faults) -> None:
        """Run a check of the rows, and note its findings except those about refused cells."""
        keep = _FILTERED if self.refused else faults.room()
        checked = Faults(faults.file, keep=keep, lines=self.line_of)
        check(checked)
        refused: dict[str | None, frozenset[int]] = {
            name: self._lines(mask) for name, mask in self.refused.items()
        }
        refused[None] = frozenset().union(*refused.values())  # findings about whole rows
        faults.extend(f for f in checked if f.line not in refused.get(f.column, ()))
        faults.count(checked.total - len(checked.findings))

    def _lines(self, mask: Mask) -> frozenset[int]:
        return frozenset(self.line_of(row) for row in np.flatnonzero(mask).tolist())
