"""Movement: are people in the same cells, and do they go the same ways?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data, Trajectories
from quintain.data.arrays import Floats
from quintain.kernels.places import steps_of
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.registry import register

Distribution = Callable[[Trajectories], Floats]


@register("movement-v1")
class Movement(ReleaseMeasure):
    r"""How far the distributions of places, of steps and of trip lengths are off.

    $$ TV = 1/2 sum_v |p_{original}(v) - p_{release}(v)| $$

    0 means equal distributions, 1 means nothing in common; lower is better. ``cells_off`` compares
    the cells of all points, ``steps_off`` the steps from block to block, and ``lengths_off`` how
    long steps are, in whole cells. It needs no names, so people may be made up.

    Parameters
    ----------
    block : the sides of the blocks between which steps are counted, in cells.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> traces = example("trajectories")
    >>> release = q.sanitize("place-swap", traces, share=1, seed=1).data
    >>> for name, reading in q.measure("movement", traces, release).items():
    ...     print(name, reading)
    cells_off 0
    steps_off 0.2815
    lengths_off 0.2519
    """

    shapes: ClassVar[tuple[str, ...]] = ("trajectories",)
    about: ClassVar[About] = "utility"
    within: ClassVar[tuple[float, float]] = (0.0, 1.0)
    reads: ClassVar[Mapping[str, Direction]] = {
        "cells_off": "lower",
        "steps_off": "lower",
        "lengths_off": "lower",
    }
    captions: ClassVar[Mapping[str, str]] = {
        "cells_off": "How far the distribution of cells is off.",
        "steps_off": "How far the distribution of steps between blocks is off.",
        "lengths_off": "How far the distribution of lengths of steps is off.",
    }

    block: Annotated[int, Field(ge=1, le=256)] = 4

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Compare the three distributions."""
        sides: tuple[Trajectories, Trajectories] = self.see(original), self.see(release)
        ways: dict[str, Distribution] = {
            "cells_off": _cells,
            "steps_off": self._steps,
            "lengths_off": _lengths,
        }
        return {name: _compare(sides, way) for name, way in ways.items()}

    def _steps(self, traces: Trajectories) -> Floats:
        grid = traces.grid
        across, along = -(-grid.width // self.block), -(-grid.height // self.block)
        _, before, after = steps_of(traces)
        blocks = [
            cells // grid.width // self.block * across + cells % grid.width // self.block
            for cells in (before, after)
        ]
        count = across * along
        return np.bincount(blocks[0] * count + blocks[1], minlength=count**2).astype(float)


def _cells(traces: Trajectories) -> Floats:
    cells = traces.cells()
    return np.bincount(cells[cells >= 0], minlength=traces.grid.size).astype(float)


def _lengths(traces: Trajectories) -> Floats:
    grid = traces.grid
    _, before, after = steps_of(traces)
    lengths = np.round(grid.distances(before, after)).astype(np.int64)
    return np.bincount(lengths, minlength=grid.width + grid.height + 1).astype(float)


def _compare(sides: tuple[Trajectories, Trajectories], distribution: Distribution) -> Reading:
    counts = [distribution(traces) for traces in sides]
    if not all(count.sum() for count in counts):
        return Reading.missing("lower", "the original or the release has none")
    one, other = (count / count.sum() for count in counts)
    gap = min(1.0, float(np.abs(one - other).sum()) / 2)
    return Reading.exact(gap, int(sides[1].offsets[-1]), "lower")
