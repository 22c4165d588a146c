"""Lines: where the rows of a file are, so that a fault can name the line."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from quintain.data.arrays import Rows


def _none() -> Rows:
    return np.array([], np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The line of a file for the number of a row, and back; rows are counted from 0.

    Parameters
    ----------
    first : the line of the first row, if it is not blank.
    blank : the numbers of blank lines, in order; a blank line is no row.

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
