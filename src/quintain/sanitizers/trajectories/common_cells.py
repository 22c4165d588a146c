"""Common cells: only cells in which several people were are published."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Trajectories
from quintain.data.arrays import Ints, Mask
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import ClaimedModel
from quintain.sanitizers.trajectories.moving import PlaceChange


@register("common-cells-v1")
class CommonCells(PlaceChange):
    """Moves places out of cells in which fewer than k people were, to the nearest other cell.

    Every published cell then has at least k people. That is k-anonymity of single cells, not of
    trajectories: which cells somebody visits together may still be unique.

    Parameters
    ----------
    k : in how many people's trajectories a cell must be.
    move : move the places; if not, they are left out.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> release = q.sanitize("common-cells", example("trajectories"), k=5, seed=1)
    >>> print(release.facts())
    claimed: k-anonymity of single cells with value = 5 of x, y; a test that protects nobody
    """

    method: ClassVar[str] = "k-anonymization"

    k: Annotated[int, Field(ge=2, le=10_000)] = 5
    move: bool = True

    def change(self, traces: Trajectories, *, noise: Noise) -> Ints:
        """Find the cells with enough people, and the nearest of them for all others."""
        cells, grid = traces.cells(), traces.grid
        common = np.flatnonzero(people_in_cells(traces) >= self.k)
        target = np.full(grid.size, -1)
        target[common] = common
        if self.move and len(common):
            every = np.arange(grid.size)
            nearest = grid.distances(every[:, None], common[None, :]).argmin(axis=1)
            target = common[nearest]
        return np.where(cells >= 0, target[cells], -1)

    def detail(self) -> str:
        """What happens to rare cells, in words."""
        rare = "moved to the nearest other cell" if self.move else "left out"
        return f"places in cells with fewer than {self.k} people {rare}"

    def models(self, traces: Trajectories) -> tuple[ClaimedModel, ...]:
        """How many people each published cell has."""
        name = "k-anonymity of single cells"
        return (ClaimedModel(name=name, value=self.k, columns=traces.grid.columns),)


def people_in_cells(traces: Trajectories) -> Ints:
    """How many people have a point in each cell."""
    cells, size = traces.cells(), traces.grid.size
    there: Mask = cells >= 0
    visited = np.unique(traces.person_of_point()[there] * size + cells[there])
    return np.bincount(visited % size, minlength=size)
