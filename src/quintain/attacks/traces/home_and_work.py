"""Home and work: the places of the night and of the office hours name a person."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.attacks.traces.matching import TraceMatching
from quintain.data import Trajectories
from quintain.data.arrays import Floats, Ints, Mask
from quintain.data.trajectories import DAY, CellGrid
from quintain.kernels.places import visit_counts
from quintain.registry import register

_MONDAY = 4  # 1970-01-01 was a Thursday
_OFFICE = (10, 16)


@register("home-and-work-v1")
class HomeAndWork(TraceMatching):
    """Recognises people by the cell where they spend the night and the one where they work.

    Home is the most frequent cell before ``morning`` and from ``evening`` on, work the most
    frequent one on weekdays from 10 to 16 o'clock. The nearer both are, the better people fit.

    Parameters
    ----------
    morning, evening : the hours of the day between which nobody is expected at home.

    References
    ----------
    Golle and Partridge, On the anonymity of home/work location pairs, Pervasive 2009.

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, _, release = exercise(q.part("pseudonym"), "trajectories")
    >>> attack = q.part("home-and-work")
    >>> guess = attack.infer(q.Knowledge(question), release, rng=np.random.default_rng(0))
    >>> right = guess.table.columns["pseudonym"] == truth.table.columns["pseudonym"]
    >>> f"{right.sum()} of {len(right)} people; chance is 1"
    '15 of 25 people; chance is 1'
    """

    morning: Annotated[float, Field(ge=0, le=12)] = 9.0
    evening: Annotated[float, Field(ge=12, le=24)] = 20.0

    def score(self, known: Trajectories, published: Trajectories) -> Floats:
        """How near the two cells of each pair are: the sum of both distances, turned around."""
        grid = known.grid
        gaps = [
            _gaps(
                grid,
                frequent_cells(known, chosen(known)),
                frequent_cells(published, chosen(published)),
            )
            for chosen in (self._at_home, _at_work)
        ]
        return np.asarray(-gaps[0] - gaps[1])

    def _at_home(self, traces: Trajectories) -> Mask:
        hours = traces.hours()
        return np.asarray((hours < self.morning) | (hours >= self.evening))


def _at_work(traces: Trajectories) -> Mask:
    hours, weekday = traces.hours(), (traces.times() // DAY - _MONDAY) % 7
    return np.asarray((hours >= _OFFICE[0]) & (hours < _OFFICE[1]) & (weekday < 5))


def frequent_cells(traces: Trajectories, points: Mask) -> Ints:
    """The cell in which each person is most often at these points, or -1."""
    counts = visit_counts(traces.keep(points))
    return np.where(counts.any(axis=1), counts.argmax(axis=1), -1)


def _gaps(grid: CellGrid, known: Ints, published: Ints) -> Floats:
    """The distances of all pairs of cells; half of the grid's width where one is not there."""
    gaps = grid.distances(known[:, None], published[None, :])
    unknown = (known[:, None] < 0) | (published[None, :] < 0)
    return np.where(unknown, grid.width / 2, gaps)
