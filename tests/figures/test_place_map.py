"""Place maps: cells have colours by their counts, and a text for people who do not see them."""

import re

import numpy as np

from quintain.data import CellGrid
from quintain.figures.place_map import density_map, way_map

GRID = CellGrid(4, 3, ("x", "y"))


def test_the_fullest_cell_has_the_strongest_colour_and_is_named() -> None:
    cells = np.array([5, 5, 5, 5, 0, -1])
    page = density_map(GRID, cells, 4, "m", "All points")
    assert sorted(re.findall(r"leak-\d", page)) == ["leak-3", "leak-5"]
    assert 'role="img"' in page and 'aria-labelledby="m-title m-desc"' in page
    assert "5 points in 2 cells of 12; the cell with most has x 1, y 1 and 80 % of them." in page


def test_the_origin_is_at_the_lower_left() -> None:
    page = density_map(GRID, np.array([0]), 1, "m", "One point")
    assert re.search(r'class="leak-5" x="0" y="120" width="60"', page)


def test_a_way_joins_the_points_that_have_a_place() -> None:
    page = way_map(GRID, np.array([0, -1, 5]), "w", "A way")
    assert '<polyline class="way" points="30,150 90,90"' in page
    assert "polyline" not in way_map(GRID, np.array([-1, 3]), "w", "One point")
    assert "No point has a place." in way_map(GRID, np.array([-1]), "w", "Nothing")
