"""Overview: a matrix with too many cells to read, as a picture and its most important part.

The picture has one small square per cell and no text, with the entries that leaked most at the top
and the strongest attackers at the left. The top left part of the matrix is also shown in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import fmean

from markupsafe import Markup

from quintain.figures.colours import Colours
from quintain.figures.format import spaced
from quintain.figures.matrix import Matrix
from quintain.figures.svg import add, described, drawing, markup
from quintain.measures import Reading
from quintain.rankings import Contestant, Entry

MOST_CELLS = 1200
"""Matrices with more cells than this are shown as an overview."""
SHOWN = 20
"""How many entries and how many attackers an overview shows in full."""
_WIDTH = 900
_LARGEST = 12.0


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
    results = replace(matrix.results, entries=tuple(entries[:SHOWN]))
    return Overview(drawn, replace(matrix, results=results, attackers=tuple(attackers[:SHOWN])))


def _order(matrix: Matrix) -> tuple[list[Entry], list[Contestant]]:
    """Entries from the one that leaked most, attackers from the strongest on average."""
    by_entry: dict[str, list[float]] = {}
    by_attacker: dict[str, list[float]] = {}
    for entry, attacker, reading in matrix.measured:
        by_entry.setdefault(entry.id, []).append(matrix.leak(reading))
        by_attacker.setdefault(attacker.id, []).append(matrix.leak(reading))
    worst = {key: max(values) for key, values in by_entry.items()}
    mean = {key: fmean(values) for key, values in by_attacker.items()}
    last = float("-inf")
    return (
        sorted(matrix.entries, key=lambda entry: -worst.get(entry.id, last)),
        sorted(matrix.attackers, key=lambda attacker: -mean.get(attacker.id, last)),
    )


def _picture(
    matrix: Matrix,
    entries: Sequence[Entry],
    attackers: Sequence[Contestant],
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
    paths: dict[str, list[str]] = {}
    for j, entry in enumerate(entries):
        readings = [matrix.reading(entry, attacker) for attacker in attackers]
        for css, start, length in _runs(readings, colours):
            path = f"M{start * side:.4g} {j * side:.4g}h{length * side:.4g}v{side:.4g}"
            paths.setdefault(css, []).append(f"{path}h-{length * side:.4g}z")
    for css, parts in sorted(paths.items()):
        add(root, "path", css=css, d="".join(parts))
    return markup(root)


def _runs(readings: Sequence[Reading | None], colours: Colours) -> Iterator[tuple[str, int, int]]:
    """Neighbouring cells of one colour, as (colour, first cell, number of cells)."""
    styles = [
        colours.css(reading.value) if reading is not None and reading.measured else ""
        for reading in readings
    ]
    start = 0
    for css, group in groupby(styles):
        length = sum(1 for _ in group)
        if css:
            yield css, start, length
        start += length
