"""Heat layout: how wide and high a heat map's cells are, and where its names go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quintain.figures.labels import Box
from quintain.figures.svg import text_width

LONGEST = 26
"""How many letters of a name are shown."""

_GAP = 2
_SLANT = 0.71  # of a text's length, both across and up


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns of equal width; their names are slanted where they would not fit.

    Parameters
    ----------
    rows, columns : the names as they are shown.
    cell : the width of a column.
    dense : smaller letters and lower rows, for many columns.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    cell: float
    slanted: bool
    dense: bool

    @property
    def row(self) -> float:
        """The height of a row."""
        return 27 if self.dense else 34

    @property
    def left(self) -> float:
        """Where the first column begins."""
        return max((self.text(name) for name in self.rows), default=0) + 14

    @property
    def top(self) -> float:
        """Where the first row begins."""
        longest = max((self.text(name) for name in self.columns), default=0)
        return longest * _SLANT + 22 if self.slanted else 28

    @property
    def width(self) -> float:
        """Of the whole drawing, with the ends of slanted names."""
        ends = [
            (i + 0.5) * self.cell + self.text(name) * _SLANT + 8
            for i, name in enumerate(self.columns)
        ]
        return self.left + max(len(self.columns) * self.cell, *(ends if self.slanted else [0]))

    @property
    def height(self) -> float:
        """Of the whole drawing."""
        return self.top + len(self.rows) * self.row + 2

    def box(self, i: int, j: int) -> Box:
        """The place of the cell in column i and row j."""
        left, top = self.left + i * self.cell, self.top + j * self.row
        return Box(left, top, left + self.cell - _GAP, top + self.row - _GAP)

    def text(self, name: str) -> float:
        """About how wide a text is."""
        return text_width(name, _font(self.dense))


def layout(rows: Sequence[str], columns: Sequence[str], texts: Sequence[str]) -> Layout:
    """A layout for cells that show these texts."""
    dense = len(columns) > 12
    font = _font(dense)
    widest = max((text_width(text, font) for text in texts), default=0) + (10 if dense else 18)
    cell = max(widest, 40 if dense else 60 if len(columns) > 6 else 76)
    names = max((text_width(name, font) for name in columns), default=0) + 10
    if len(columns) <= 6 and cell < names <= 150:
        cell = names
    return Layout(rows, columns, cell, names > cell, dense)


def _font(dense: bool) -> float:
    return 11.5 if dense else 13
