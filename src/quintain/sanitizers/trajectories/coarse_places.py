"""Coarse places: larger cells, and fewer times at which somebody may be elsewhere."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Trajectories
from quintain.data.arrays import Ints
from quintain.data.trajectories import HOUR, CellGrid
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.trajectories.moving import PlaceChange


@register("coarse-places-v1")
class CoarsePlaces(PlaceChange):
    """Writes the middle of a block of cells for every cell in it, and one place for some hours.

    A release has the columns of its original, so a block is written as its middle cell. Within a
    period of ``hours`` hours, all points of a person that have a place get the first of them.

    Parameters
    ----------
    block : the sides of a block, in cells.
    hours : the length of a period; 0 leaves every point its own place.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> traces = example("trajectories")
    >>> release = q.sanitize("coarse-places", traces, block=4, seed=1)
    >>> traces.cells()[:6].tolist(), sorted(set(release.data.cells().tolist()))
    ([21, 19, 19, 22, 21, 18], [-1, 18, 22, 50, 54])
    """

    method: ClassVar[str] = "generalisation"

    block: Annotated[int, Field(ge=1, le=256)] = 4
    hours: Annotated[float, Field(ge=0, le=24)] = 0.0

    def change(self, traces: Trajectories, *, noise: Noise) -> Ints:
        """The middles of blocks, after the times are made coarser."""
        cells = traces.cells()
        if self.hours:
            cells = _first_of_period(traces, self.hours)
        return np.where(cells >= 0, middle_cells(traces.grid, cells, self.block), -1)

    def detail(self) -> str:
        """Block and period in words."""
        times = f", one place per {self.hours:g} hours" if self.hours else ""
        return f"blocks of {self.block} x {self.block} cells{times}"


def middle_cells(grid: CellGrid, cells: Ints, block: int) -> Ints:
    """The middle cell of the block in which each cell lies.

    >>> middle_cells(CellGrid(5, 1, ("x", "y")), np.arange(5), 3).tolist()
    [1, 1, 1, 4, 4]
    """
    x, y = cells % grid.width, cells // grid.width
    x = np.minimum(x // block * block + block // 2, grid.width - 1)
    y = np.minimum(y // block * block + block // 2, grid.height - 1)
    return np.asarray(y * grid.width + x)


def _first_of_period(traces: Trajectories, hours: float) -> Ints:
    """The first place of each person in each period, for every point with a place."""
    cells = traces.cells()
    period = (traces.times() // (hours * HOUR)).astype(np.int64)
    _, period = np.unique(period, return_inverse=True)
    group = traces.person_of_point() * (period.max(initial=0) + 1) + period
    there = np.flatnonzero(cells >= 0)
    _, first, number = np.unique(group[there], return_index=True, return_inverse=True)
    out = cells.copy()
    out[there] = cells[there[first[number]]]
    return out
