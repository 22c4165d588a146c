"""Readable: the cells of a file that can be read, beside those that are refused.

A sender should learn of every fault in a file at once. So one bad cell does not stop the reading:
its row stays, with a placeholder in that cell, and the checks of whole rows still run. Their
findings about refused cells are left out, because these cells have a fault already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from quintain.data.arrays import Mask, Rows
from quintain.data.columns import Columns
from quintain.data.kinds import to_kind
from quintain.data.shape import Data, find_shape
from quintain.errors import Fault, Faults


def _none() -> Rows:
    return np.array([], np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The line of a file for the number of a row, and back; rows are counted from 0.

    Parameters
    ----------
    first : the line of the first row, if it is not blank.
    blank : the numbers of blank lines, in order; a blank line is not a row.

    >>> lines = Lines(2, np.array([3]))
    >>> [lines(row) for row in range(3)], lines.row(4)
    ([2, 4, 5], 1)
    """

    first: int = 1
    blank: Rows = field(default_factory=_none)
    _gaps: Rows = field(init=False, repr=False)

    def __post_init__(self) -> None:
        gaps = self.blank - np.arange(len(self.blank)) - self.first
        object.__setattr__(self, "_gaps", gaps)

    def __call__(self, row: int) -> int:
        return row + self.first + int(np.searchsorted(self._gaps, row, side="right"))

    def row(self, line: int) -> int:
        """The number of the row on a line."""
        return line - self.first - int(np.searchsorted(self.blank, line))


_FILTERED = 100_000
"""With refused cells, so many findings of a check are looked at; further ones are only counted."""


@dataclass(frozen=True, slots=True, eq=False)
class Readable:
    """The rows of a file, and which of their cells are refused.

    Parameters
    ----------
    rows : every row; a refused cell holds the value of a missing one.
    refused : the refused cells by column; columns without such a cell are left out.
    line_of : the lines of the rows in the file.
    """

    rows: Columns
    refused: Mapping[str, Mask]
    line_of: Lines

    def data(self) -> Data:
        """The rows as the kind of data their schema describes; :meth:`check_links` comes first."""
        return to_kind(self.rows)

    def check_links(self, faults: Faults) -> bool:
        """Note rows that do not belong together as their shape wants it; true if all of them do."""
        shape, before = find_shape(self.rows.schema.shape), faults.total
        if before and shape.rows_refer:
            return False
        self.check(partial(shape.check_rows, self.rows), faults)
        return faults.total == before

    def check(self, check: Callable[[Faults], None], faults: Faults) -> None:
        """Run a check of the rows, and note its findings except those about refused cells."""
        keep = _FILTERED if self.refused else faults.room()
        checked = Faults(faults.file, keep=keep, lines=self.line_of)
        check(checked)
        faults.extend(f for f in checked if not self._is_refused(f))
        faults.count(checked.total - len(checked.findings))

    def _is_refused(self, fault: Fault) -> bool:
        """Whether a finding is about a refused cell, or about a whole row with one."""
        if fault.line is None:
            return False
        row = self.line_of.row(fault.line)
        masks = self.refused.values() if fault.column is None else [self.refused.get(fault.column)]
        return 0 <= row < len(self.rows) and any(mask is not None and mask[row] for mask in masks)
