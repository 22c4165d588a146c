"""Places: how often people are in which cells, and how they go from cell to cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quintain.data.arrays import Floats, Ints, Rows
from quintain.data.trajectories import DAY, CellGrid, Trajectories

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def visit_counts(traces: Trajectories, slots: int = 1) -> Floats:
    """How many points each person has in each cell: people x (parts of the day x cells).

    Parameters
    ----------
    slots : into how many equal parts the day is cut; each is counted apart.
    """
    size = traces.grid.size
    cells, person = traces.cells(), traces.person_of_point()
    slot = np.minimum(traces.times() % DAY * slots // DAY, slots - 1)
    seen = cells >= 0
    keys = (person[seen] * slots + slot[seen]) * size + cells[seen]
    counts = np.bincount(keys, minlength=len(traces) * slots * size)
    return counts.reshape(len(traces), slots * size).astype(np.float64)


def blur_counts(counts: Floats, grid: CellGrid, reach: float) -> Floats:
    """Counts of cells, spread over the cells around: a bell as wide as ``reach`` cells.

    >>> blur_counts(np.array([[0.0, 3, 0, 0]]), CellGrid(4, 1, ("x", "y")), 0.5).round(2).tolist()
    [[0.32, 2.36, 0.32, 0.0]]
    """
    if reach == 0:
        return counts
    stack = counts.reshape(-1, grid.height, grid.width)
    return np.asarray(
        (_bells(grid.height, reach) @ stack @ _bells(grid.width, reach).T).reshape(counts.shape)
    )


def _bells(size: int, reach: float) -> Floats:
    """How much of each place goes to each other one; nothing is lost at the ends."""
    gaps = np.arange(size)[:, None] - np.arange(size)
    bells = np.exp(-0.5 * (gaps / reach) ** 2)
    return np.asarray(bells / bells.sum(axis=0))


def steps_of(traces: Trajectories) -> tuple[Rows, Ints, Ints]:
    """The person, the cell before and the cell after, for each step between recorded points.

    A step joins two points that follow each other on one day.
    """
    cells, person, day = traces.cells(), traces.person_of_point(), traces.times() // DAY
    joined = (person[1:] == person[:-1]) & (day[1:] == day[:-1])
    joined &= (cells[1:] >= 0) & (cells[:-1] >= 0)
    at = np.flatnonzero(joined)
    return person[at], cells[at], cells[at + 1]


def step_counts(traces: Trajectories) -> csr_array:
    """How often each person goes from which cell to which: people x (cells x cells)."""
    from scipy.sparse import csr_array

    size = traces.grid.size
    person, before, after = steps_of(traces)
    ones = np.ones(len(person))
    shape = (len(traces), size * size)
    return csr_array((ones, (person, before * size + after)), shape=shape)


def cells_at(traces: Trajectories, person: Rows, times: Ints) -> Ints:
    """The cell of a person at a time, or -1 if there is no such point or place."""
    owner, own = traces.person_of_point(), traces.times()
    moments, number = np.unique(np.concatenate([own, times]), return_inverse=True)
    keys = owner * len(moments) + number[: len(own)]  # rising: persons, then times
    wanted = person * len(moments) + number[len(own) :]
    at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    if not len(keys):
        return np.full(len(wanted), -1)
    return np.where(keys[at] == wanted, traces.cells()[at], -1)


def usual_cells(known: Trajectories, sought: Trajectories) -> Ints:
    """For each sought point the cell in which its person was most often at that time of the day.

    Somebody without a point at that time gets the own cell that is most frequent, and somebody
    without any place that of all people. Of equally frequent cells the first is taken.
    """
    size = known.grid.size
    times, slot = np.unique(
        np.concatenate([known.times() % DAY, sought.times() % DAY]), return_inverse=True
    )
    known_slot, sought_slot = np.split(slot, [int(known.offsets[-1])])
    cells, person = known.cells(), known.person_of_point()
    seen = cells >= 0
    wanted = sought.person_of_point()

    def modes(group: Rows, groups: int) -> Ints:
        pairs, counts = np.unique(group[seen] * size + cells[seen], return_counts=True)
        order = np.lexsort((pairs % size, -counts, pairs // size))
        groups_in_order = pairs[order] // size
        first = np.append(True, groups_in_order[1:] != groups_in_order[:-1])[: len(order)]
        out = np.full(groups, -1)
        out[groups_in_order[first]] = pairs[order][first] % size
        return out

    at_time = modes(person * len(times) + known_slot, len(known) * len(times))
    own, all_people = modes(person, len(known)), modes(np.zeros(len(person), np.int64), 1)
    usual = at_time[wanted * len(times) + sought_slot]
    usual = np.where(usual >= 0, usual, own[wanted])
    return np.where(usual >= 0, usual, max(0, int(all_people[0])))
