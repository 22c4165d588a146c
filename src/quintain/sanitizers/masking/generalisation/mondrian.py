"""Mondrian: cut the records into ever smaller classes (local recoding).

All classes are cut at the same time, one cut per round. A class is cut in the column in which its
values spread over most records of the table, at the border nearest to its middle. If one half
would not satisfy the models, the next column is tried.

References
----------
LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE (2006).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Mask, Rows
from quintain.sanitizers.masking.generalisation.classes import Classes
from quintain.sanitizers.masking.generalisation.models import (
    Anonymous,
    Generalised,
    RecodingTask,
    all_hold,
)


def recode_locally(task: RecodingTask) -> Generalised:
    """Cut the records into small classes, and give each class one value per column."""
    label, count = mondrian(task)
    codes = tuple(values.representatives(label, count)[label] for values in task.columns)
    classes = "1 class" if count == 1 else f"{count} classes"
    return Generalised.everyone(codes, f"{classes}, cut at medians")


@dataclass(frozen=True, slots=True, eq=False)
class _Front:
    """The classes that may still be cut.

    Parameters
    ----------
    rows : the records of these classes, class by class.
    starts : where each class begins in ``rows``.
    closed : for each class and column whether the column cannot be cut any more, neither in this
        class nor in its parts.
    failed : for each class and column whether a cut failed in this class.
    """

    rows: Rows
    starts: Rows
    closed: Mask
    failed: Mask

    @property
    def sizes(self) -> Rows:
        """How many records each class has."""
        return np.diff(np.append(self.starts, len(self.rows)))

    def only(self, classes: Mask) -> _Front:
        """The front without the classes that are finished."""
        sizes = self.sizes
        rows = self.rows[np.repeat(classes, sizes)]
        starts = np.cumsum(sizes[classes]) - sizes[classes]
        return _Front(rows, starts, self.closed[classes], self.failed[classes])

    def sorted_by(self, ranks: list[Rows], column: Rows) -> tuple[_Front, Rows]:
        """The records of each class in the order of one column, and their ranks in it."""
        owner = np.repeat(np.arange(len(self.starts)), self.sizes)
        wanted, rank = column[owner], np.empty(len(self.rows), np.int64)
        for number in np.unique(column):
            here = wanted == number
            rank[here] = ranks[number][self.rows[here]]
        order = np.argsort(owner * (int(rank.max()) + 1) + rank)
        return _Front(self.rows[order], self.starts, self.closed, self.failed), rank[order]

    def cut(self, at: Rows, accepted: Mask) -> _Front:
        """The front in which the accepted classes are cut in two."""
        starts = np.sort(np.concatenate([self.starts, at[accepted]]))
        parent = np.repeat(np.arange(len(self.starts)), 1 + accepted)
        failed = self.failed[parent] & ~accepted[parent, None]
        return _Front(self.rows, starts, self.closed[parent], failed)


def mondrian(task: RecodingTask) -> tuple[Rows, int]:
    """The class of every record, and how many classes there are."""
    ranks = [h.ranks()[v.codes] for v, h in zip(task.columns, task.hierarchies, strict=True)]
    places = [_places(rank) for rank in ranks]
    label, count = np.zeros(len(task), np.int64), 1
    free = np.zeros((1, len(ranks)), bool)
    front = _Front(np.arange(len(task)), np.zeros(1, np.int64), free, free)
    while len(front.rows):
        spread = _spread(front, ranks, places)
        going = (spread.max(axis=1) > 0) & (front.sizes >= 2 * task.least)
        if not going.any():
            break
        front, column = front.only(going), spread[going].argmax(axis=1)
        front, rank = front.sorted_by(ranks, column)
        at = _borders(task, front, column, rank)
        accepted = at >= 0
        front.closed[np.arange(len(column)), column] |= ~accepted
        failing = ~_halves_hold(task, front, at, accepted)
        front.failed[np.arange(len(column)), column] |= failing
        accepted &= ~failing
        _name_halves(label, front, at, accepted, count)
        count += int(accepted.sum())
        front = front.cut(at, accepted)
    return label, count


def _places(rank: Rows) -> Floats:
    """For each rank the share of records below it, counting half of those that have it."""
    counts = np.bincount(rank)
    places: Floats = (np.cumsum(counts) - counts / 2) / len(rank)
    return places


def _spread(front: _Front, ranks: list[Rows], places: list[Floats]) -> Floats:
    """For each class and column the share of all records that lies between its extreme values."""
    out = np.empty(front.closed.shape)
    for number, (rank, place) in enumerate(zip(ranks, places, strict=True)):
        here = rank[front.rows]
        low = np.minimum.reduceat(here, front.starts)
        high = np.maximum.reduceat(here, front.starts)
        out[:, number] = place[high] - place[low]
    out[front.closed | front.failed] = 0
    return out


def _borders(task: RecodingTask, front: _Front, column: Rows, rank: Rows) -> Rows:
    """For each class the place in ``rows`` where its second half begins; -1 if there is none.

    A border lies between two different values, with enough records on both sides. Where somebody
    gave a hierarchy, borders between the groups of its coarsest level come first. Among these the
    border nearest to the middle is taken.
    """
    sizes = front.sizes
    owner = np.repeat(np.arange(len(sizes)), sizes)
    left = np.arange(len(rank)) - front.starts[owner]
    size = sizes[owner]
    allowed = (left >= task.least) & (size - left >= task.least)
    allowed[1:] &= rank[1:] != rank[:-1]
    border = np.flatnonzero(allowed)
    none = np.iinfo(np.int64).max
    order = np.full(len(rank), none)
    off_middle = np.abs(2 * left[border] - size[border])
    worse = _merge_levels(task, column[owner[border]], rank[border - 1], rank[border])
    order[border] = (worse * (2 * len(rank)) + off_middle) * len(rank) + border
    best = np.minimum.reduceat(order, front.starts)
    return np.where(best == none, -1, best % len(rank))


def _merge_levels(task: RecodingTask, column: Rows, one: Rows, other: Rows) -> Rows:
    """How many levels of a given hierarchy have both ranks in one group; 0 without a hierarchy."""
    together = np.zeros(len(column), np.int64)
    for number, hierarchy in enumerate(task.hierarchies):
        if hierarchy.given:
            here = column == number
            code_of = np.argsort(hierarchy.ranks())
            for groups in hierarchy.levels:
                grouped = groups[code_of]
                together[here] += grouped[one[here]] == grouped[other[here]]
    return together


def _halves_hold(task: RecodingTask, front: _Front, at: Rows, cut: Mask) -> Mask:
    """For each class whether both halves satisfy the models that do not only count records."""
    models = [model for model in task.models if not isinstance(model, Anonymous)]
    if not models:
        return np.ones(len(at), bool)
    # Records outside the front are one class, because t-closeness compares with all records.
    label, halves = np.zeros(len(task), np.int64), 1 + 2 * np.cumsum(cut) - 2
    owner = np.repeat(np.arange(len(at)), front.sizes)
    second = np.arange(len(owner)) >= at[owner]
    label[front.rows] = np.where(cut[owner], halves[owner] + second, 0)
    ones = np.ones(len(task), np.int64)
    holds = all_hold(models, Classes(label, 1 + 2 * int(cut.sum()), ones, task.sensitive))
    out = np.ones(len(at), bool)
    out[cut] = holds[1::2] & holds[2::2]
    return out


def _name_halves(label: Rows, front: _Front, at: Rows, accepted: Mask, count: int) -> None:
    """Give the second half of every class that is cut a new number."""
    owner = np.repeat(np.arange(len(at)), front.sizes)
    second = accepted[owner] & (np.arange(len(owner)) >= at[owner])
    names = count + np.cumsum(accepted) - 1
    label[front.rows[second]] = names[owner[second]]
