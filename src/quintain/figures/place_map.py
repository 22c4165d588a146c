"""Place maps: how often the cells of a grid are visited, and the way of one person.

A map is a drawing of cells without any picture of the ground. The stronger the colour of a cell,
the more points it has; colours are those of heat maps, for light and for dark pages.
"""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from quintain.data import CellGrid
from quintain.data.arrays import Floats, Ints
from quintain.figures.format import count
from quintain.figures.svg import Element, add, describe, drawing, markup, tooltip

_SIDE = 240
_STEPS = 5


def density_map(grid: CellGrid, cells: Ints, most: float, name: str, title: str) -> Markup:
    """Draw how many of these points are in each cell; ``name`` must be unique on the page.

    Parameters
    ----------
    most : the number of points of the strongest colour, the same for maps that are compared.
    """
    counts = visits(grid, cells)
    root, side = _paper(grid, name, title, _summary(grid, counts))
    _paint(root, grid, counts, most, side)
    return markup(root)


def way_map(grid: CellGrid, cells: Ints, name: str, title: str) -> Markup:
    """Draw where one person is, point after point; ``name`` must be unique on the page."""
    counts = visits(grid, cells)
    root, side = _paper(grid, name, title, _summary(grid, counts))
    _paint(root, grid, counts, max(1.0, float(counts.max(initial=0))), side)
    there = cells[cells >= 0]
    middles = [
        f"{(cell % grid.width + 0.5) * side:g},{(grid.height - cell // grid.width - 0.5) * side:g}"
        for cell in there.tolist()
    ]
    if len(middles) > 1:
        add(root, "polyline", css="way", points=" ".join(middles))
    return markup(root)


def visits(grid: CellGrid, cells: Ints) -> Floats:
    """How many points are in each cell."""
    return np.bincount(cells[cells >= 0], minlength=grid.size).astype(np.float64)


def _paper(grid: CellGrid, name: str, title: str, text: str) -> tuple[Element, float]:
    side = _SIDE / max(grid.width, grid.height)
    root = drawing(grid.width * side, grid.height * side, "map")
    describe(root, name, title, text)
    width, height = grid.width * side, grid.height * side
    add(root, "rect", css="ground", x=0, y=0, width=width, height=height)
    return root, side


def _paint(root: Element, grid: CellGrid, counts: Floats, most: float, side: float) -> None:
    """Colour the cells; colours follow the root of the counts, so that quiet cells are seen."""
    steps = np.ceil(_STEPS * np.sqrt(np.minimum(1, counts / max(most, 1)))).astype(np.int64)
    for cell in np.flatnonzero(counts).tolist():
        x, y = cell % grid.width, cell // grid.width
        top = (grid.height - 1 - y) * side
        square = add(
            root, "rect", css=f"leak-{steps[cell]}", x=x * side, y=top, width=side, height=side
        )
        tooltip(square, f"cell {x}, {y}", count(int(counts[cell]), "point"))


def _summary(grid: CellGrid, counts: Floats) -> str:
    """What somebody should know who does not see the map."""
    points = int(counts.sum())
    if not points:
        return "No point has a place."
    cell = int(counts.argmax())
    share = round(100 * counts[cell] / points)
    return (
        f"{count(points, 'point')} in {count(int((counts > 0).sum()), 'cell')} of {grid.size}; the "
        f"cell with most has x {cell % grid.width}, y {cell // grid.width} and {share} % of them."
    )
