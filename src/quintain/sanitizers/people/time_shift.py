"""Time shift: all times of a person move by the same number of days."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.data import Column, Schema
from quintain.data.arrays import Array
from quintain.data.codec import missing_cells
from quintain.data.people import People
from quintain.data.people_schema import PeopleSchema
from quintain.data.times import smallest_unit
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method
from quintain.sanitizers.people.tree_mask import TreeMask, flat_columns

_DAY = 86_400


@register("time-shift-v1")
class TimeShift(TreeMask):
    """Moves all times of a person by the same random number of days, earlier or later.

    The time between two rows of a person stays, unless a time would leave the bounds of its
    column: then it is at the bound.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> release = q.sanitize("time-shift", example("people"), days=30, seed=1)
    >>> release.methods[0].columns
    ('visits.day',)

    Parameters
    ----------
    days : the largest number of days.
    """

    days: Annotated[int, Field(ge=1, le=100_000)] = 30

    def require(self, schema: Schema) -> None:
        """Some table must have times that are written to the day."""
        super().require(schema)
        flat_columns(self.id, PeopleSchema.of_flat(schema), None, _has_days, "a day")

    def change(self, people: People, *, noise: Noise) -> tuple[People, Method]:
        """Draw a number of days for everybody, and move all their times by it."""
        chosen = flat_columns(self.id, people.schema, None, _has_days, "a day")
        shift = noise.integers(2 * self.days + 1, people.size) - self.days
        rows = 0
        for table, columns in chosen.items():
            branch = people.tables[table]
            seconds = _DAY * shift[branch.person]
            moved = {c.name: _move(c, branch.rows.columns[c.name], seconds) for c in columns}
            people = people.replace(table, moved)
            rows += int((seconds != 0).sum())
        names = tuple(f"{table}.{c.name}" for table, columns in chosen.items() for c in columns)
        detail = f"up to {self.days} days per person"
        return people, Method(name="time shift", columns=names, rows=rows, detail=detail)


def _has_days(column: Column) -> bool:
    return column.temporal and smallest_unit(column.time_format) not in "MY"


def _move(column: Column, times: Array, seconds: Array) -> Array:
    """Times moved by seconds, but not beyond the bounds; missing ones stay so."""
    low, high = column.bounds
    moved = np.clip(times + seconds, low, high) if (low, high) != (None, None) else times + seconds
    return np.where(missing_cells(column, times), times, moved)
