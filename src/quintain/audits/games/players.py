"""Players: the people whose presence is decided by coins, and what stands in for the absent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from quintain.data import Table
from quintain.data.arrays import Mask, Rows
from quintain.data.codec import missing_cells

Neighbours = Literal["add-remove", "replace"]


@dataclass(frozen=True, slots=True, eq=False)
class Players:
    """The records of a game, and for each target what is in the data if the coin falls either way.

    Parameters
    ----------
    records : all records: those of the data, then made-up ones.
    size : how many of the records are the data.
    inside : for each target the record that is in the data if its coin says so.
    outside : for each target the record that is in the data otherwise; -1 for none.
    slot : for each target the row of the data that it takes, if records are replaced.
    worst : how many of the targets stand out; they come first. The rest are average people.
    canary : whether the first target is a made-up record.
    """

    records: Table
    size: int
    inside: Rows
    outside: Rows
    slot: Rows
    worst: int
    canary: bool

    def __len__(self) -> int:
        return len(self.inside)

    @property
    def names(self) -> tuple[str, ...]:
        """What to call the targets that stand out."""
        people = (f"row {row}" for row in self.inside[: self.worst].tolist())
        return tuple("canary" if self.canary and i == 0 else p for i, p in enumerate(people))

    def targets(self) -> Table:
        """The records of the targets, one per target."""
        return self.records.take(self.inside)

    def private_rows(self, coins: Mask) -> Rows:
        """The records that the sanitizer gets, for one coin per target."""
        rows = np.arange(self.size)
        kept = np.ones(self.size, bool)
        real = self.inside < self.size
        if (self.outside >= 0).any():
            rows[self.slot] = np.where(coins, self.inside, self.outside)
            return rows
        kept[self.inside[real & ~coins]] = False
        return np.concatenate([rows[kept], self.inside[~real & coins]])


def make_players(
    data: Table,
    exposed: Rows,
    *,
    average: int,
    neighbours: Neighbours,
    canary: bool,
    rng: np.random.Generator,
) -> Players:
    """Choose the targets of a game.

    Parameters
    ----------
    exposed : the rows of the most exposed people, who become the targets that stand out.
    average : how many further people are drawn at random.
    neighbours : what makes data sets neighbours: the record of an absent person is left out, or
        the record of another person stands in its place.
    canary : add a made-up record with the rarest value of every column.
    """
    free = np.setdiff1d(np.arange(len(data)), exposed)
    drawn = rng.choice(free, min(average, len(free)), replace=False)
    # The made-up record must not hide what an exposed person alone has.
    records = data.concat(rarest_record(data, free)) if canary else data
    odd = np.array([len(data)] if canary else [], np.int64)
    inside = np.concatenate([odd, exposed, drawn]).astype(np.int64)
    outside, slot = np.full(len(inside), -1), np.full(len(inside), -1)
    if neighbours == "replace":
        others = np.setdiff1d(free, drawn)
        stand_ins = rng.choice(others if len(others) else free, len(inside))
        outside = stand_ins.astype(np.int64)
        slot = inside.copy()
        if canary:  # it takes the place of a person who is not a target
            slot[0] = outside[0]
    return Players(records, len(data), inside, outside, slot, len(odd) + len(exposed), bool(canary))


def most_alone(data: Table, count: int) -> Rows:
    """The rows of those who are most often the only ones: with a value, or beyond all others.

    >>> from quintain.data import Column, Schema
    >>> pay = Column(name="pay", kind="integer", low=0, high=99)
    >>> town = Column(name="town", kind="category", values=("bath", "york"))
    >>> cells = {"pay": [5, 7, 90, 5], "town": ["bath", "bath", "york", "bath"]}
    >>> most_alone(Table.of(Schema(columns=(pay, town)), cells), 2).tolist()
    [2]
    """
    alone = np.zeros(len(data), np.int64)
    for column in data.schema.columns:
        contents = data.columns[column.name]
        known = np.flatnonzero(~missing_cells(column, contents))
        if column.listed:
            counts = np.bincount(contents[known], minlength=column.size)
            alone[known[counts[contents[known]] == 1]] += 1
        elif len(known) > 1:
            order = known[np.argsort(contents[known], kind="stable")]
            for outermost, next_ in ((order[-1], order[-2]), (order[0], order[1])):
                alone[outermost] += contents[outermost] != contents[next_]
    first = np.argsort(-alone, kind="stable")[:count]
    return np.asarray(first[alone[first] > 0], np.int64)


def rarest_record(data: Table, rows: Rows | None = None) -> Table:
    """A record with the rarest value of each column; a value of the domain that nobody has, first.

    In columns with too many possible values it has a value of these rows; by default, of any.

    >>> from quintain.data import Column, Schema
    >>> schema = Schema(columns=(Column(name="size", kind="integer", low=1, high=3),))
    >>> rarest_record(Table.of(schema, {"size": [1, 1, 2, 3, 3]})).records()
    [{'size': 2}]
    """
    rarest = {}
    for column in data.schema.columns:
        values = data.columns[column.name]
        if column.discrete and column.size <= MOST_VALUES:
            counts = np.bincount(values[values >= 0], minlength=column.size)
            rarest[column.name] = np.array([int(counts.argmin())])
        else:
            known = values if rows is None else values[rows]
            present, counts = np.unique(known, return_counts=True)
            last = len(counts) - 1 - int(counts[::-1].argmin())
            rarest[column.name] = present[last : last + 1]
    return Table(data.schema, rarest)


MOST_VALUES = 10_000
"""Of columns with more possible values than this, the canary has one that somebody has."""
