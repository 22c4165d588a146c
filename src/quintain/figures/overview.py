"""Overview: a matrix with too many cells to read, as a picture and its most important part.

The picture has one small square per cell and no text, with the entries that leaked most at the top
and the strongest attackers at the left. The top left part of the matrix is also shown in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
from markupsafe import Markup

from quintain.data.arrays import Ints
from quintain.figures.colours import Colours, css
from quintain.figures.format import spaced
from quintain.figures.matrix import Matrix
from quintain.figures.svg import add, described, drawing, markup

MOST_CELLS = 1200
"""Matrices with more cells than this are shown as an overview."""
SHOWN = 20
"""How many entries and how many attackers an overview shows in full."""
_WIDTH = 900
_LARGEST = 12.0
_WHITE = -1000
"""Stands for a step where nothing was measured."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The picture of a whole matrix, and the part of it that is shown in full."""

    drawn: Markup
    shown: Matrix


def is_large(matrix: Matrix) -> bool:
    """Whether a matrix has too many cells to be read one by one."""
    return len(matrix.entries) * len(matrix.attackers) > MOST_CELLS


def overview(matrix: Matrix, colours: Colours, name: str) -> Overview:
    """Draw the picture and choose the part to show; ``name`` must be unique on the page."""
    entries, attackers = _order(matrix)
    drawn = _picture(matrix, entries, attackers, colours, name)
    first = tuple(matrix.entries[i] for i in entries[:SHOWN])
    strongest = tuple(matrix.attackers[j] for j in attackers[:SHOWN])
    results = replace(matrix.results, entries=first)
    return Overview(drawn, replace(matrix, results=results, attackers=strongest))


def _order(matrix: Matrix) -> tuple[list[int], list[int]]:
    """Entries from the one that leaked most, attackers from the strongest on average."""
    leaks, measured = matrix.leaks, matrix.grid.measured
    last = float("-inf")
    worst = np.where(measured, leaks, last).max(axis=1, initial=last)
    mean = [
        fmean(column[rows].tolist()) if rows.any() else last
        for column, rows in zip(leaks.T, measured.T, strict=True)
    ]
    return (
        sorted(range(len(matrix.entries)), key=lambda i: -worst[i]),
        sorted(range(len(matrix.attackers)), key=lambda j: -mean[j]),
    )


def _picture(
    matrix: Matrix,
    entries: Sequence[int],
    attackers: Sequence[int],
    colours: Colours,
    name: str,
) -> Markup:
    side = min(_LARGEST, _WIDTH / max(1, len(attackers)))
    root = described(
        drawing(side * len(attackers), side * len(entries), "overview"),
        name,
        f"{spaced(matrix.name)} of every attacker on every entry",
        "One square per cell. Rows are entries, those that leaked most at the top. Columns are "
        "attackers, the strongest at the left. White squares were not attacked or not measured.",
    )
    steps = _steps(matrix, colours)[np.ix_(entries, attackers)]
    across = [f"M{i * side:.4g} " for i in range(len(attackers))]
    wide = [f"{i * side:.4g}" for i in range(len(attackers) + 1)]
    shapes = [f"h{text}v{side:.4g}h-{text}z" for text in wide]
    paths: dict[str, list[str]] = {}
    for j, row in enumerate(steps):
        down = f"{j * side:.4g}"
        for step, start, length in _runs(row):
            paths.setdefault(css(step), []).append(across[start] + down + shapes[length])
    for style, parts in sorted(paths.items()):
        add(root, "path", css=style, d="".join(parts))
    return markup(root)


def _steps(matrix: Matrix, colours: Colours) -> Ints:
    """The steps of colour of all cells."""
    measured = matrix.grid.measured
    steps = np.full(measured.shape, _WHITE)
    steps[measured] = colours.steps(matrix.grid.value[measured])
    return steps


def _runs(steps: Ints) -> Iterator[tuple[int, int, int]]:
    """Neighbouring cells of one colour, as (step, first cell, number of cells)."""
    starts = np.flatnonzero(np.diff(steps, prepend=_WHITE - 1))
    lengths = np.diff(starts, append=len(steps))
    for run in zip(steps[starts].tolist(), starts.tolist(), lengths.tolist(), strict=True):
        if run[0] != _WHITE:
            yield run
