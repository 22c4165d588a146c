"""Place utility: how far are people moved from where they were?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data, Trajectories
from quintain.data.trajectories import Sides
from quintain.kernels.places import cells_at
from quintain.measures.intervals import mean_of_records
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@register("place-utility-v1")
class PlaceUtility(ReleaseMeasure):
    r"""How near released places are to those of the same person and time in the original.

    $$ U = 1 - mean_i min(1, d_i / reach) $$

    where $d_i$ is the distance between the middles of the two cells; a place that is left out
    counts as lost. The mean is over the points of each person, then over people. Higher is better.
    The ids of the release say for whom a trajectory stands, so it is measured before pseudonyms are
    given. It cannot be measured for people who are made up.

    Parameters
    ----------
    reach : the distance from which on a place is worth nothing.
    sides : the sides of a cell, in the unit of ``reach``.

    References
    ----------
    Murakami et al., Designing a location trace anonymization contest, arXiv:2107.10407, and the
    evaluation program of PWS Cup 2019: a reach of 2 km, cells of 0.34125 x 0.346875 km.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> traces = example("trajectories")
    >>> release = q.sanitize("drop-points", traces, share=0.25, seed=1).data
    >>> print(q.measure("place-utility", traces, release)["place_utility"])
    0.7528 [0.6754, 0.8302]
    """

    shapes: ClassVar[tuple[str, ...]] = ("trajectories",)
    about: ClassVar[About] = "utility"
    within: ClassVar[tuple[float, float]] = (0.0, 1.0)
    reads: ClassVar[Mapping[str, Direction]] = {"place_utility": "higher"}

    reach: Annotated[float, Field(gt=0)] = 6.0
    sides: Sides = (1.0, 1.0)

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Find each point of the original in the release."""
        before: Trajectories = self.see(original)
        after: Trajectories = self.see(release)
        names = {name: number for number, name in enumerate(after.ids.astype(np.str_).tolist())}
        person = np.array([names.get(name, -1) for name in before.ids.astype(np.str_).tolist()])
        if (person < 0).all():
            note = "the release names nobody of the original"
            return {"place_utility": Reading.missing("higher", note)}
        owner, true = before.person_of_point(), before.cells()
        shown = cells_at(after, person[owner], before.times())
        gaps = before.grid.distances(true, shown, self.sides)
        loss = np.where(shown >= 0, np.minimum(1, gaps / self.reach), 1.0)
        there = true >= 0
        points = np.bincount(owner[there], minlength=len(before))
        lost = np.bincount(owner[there], loss[there], minlength=len(before))
        kept = 1 - lost[points > 0] / points[points > 0]
        if len(kept) < 2:
            return {"place_utility": Reading.missing("higher", "fewer than two people")}
        method = "normal interval over people"
        return {"place_utility": mean_of_records(kept, "higher", self.within, method)}
