"""Survival times: how long each person was watched, and whether the event happened then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np

from quintain.data import Data, Schema, Table, as_table
from quintain.data.arrays import Floats, Mask
from quintain.errors import PartError
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Reading
from quintain.measures.utility.table.jackknife import GROUPS


class SurvivalTimes(NamedTuple):
    """The people of a table of whom time and event are known.

    Parameters
    ----------
    time : how long each of them was watched.
    event : whether the event ended that time; otherwise nobody knows when it came (censored).
    table : their records.
    """

    time: Floats
    event: Mask
    table: Table

    def take(self, rows: Mask) -> SurvivalTimes:
        """Some of these people."""
        return SurvivalTimes(self.time[rows], self.event[rows], self.table.take(rows))


class SurvivalMeasure(ReleaseMeasure):
    """A measure of tables in which one column is a time and another says what ended it."""

    about: ClassVar[About] = "utility"

    time: str
    event: str
    happened: str | int = 1

    def require(self, schema: Schema) -> None:
        """The time is a number, and the event has the value that says it happened."""
        super().require(schema)
        for name in (self.time, self.event, *self.other_columns()):
            if name not in schema:
                available = ", ".join(schema.names)
                raise PartError(f"{self.id}: unknown column {name!r}; available: {available}")
        time, event = schema[self.time], schema[self.event]
        if not time.numeric:
            raise PartError(
                f"{self.id}: the time {self.time!r} must be a number, not a {time.kind}"
            )
        if event.listed and str(self.happened) not in event.values:
            raise PartError(
                f"{self.id}: {self.event!r} has no value {str(self.happened)!r} that says that the "
                f'event happened; write happened = "{event.values[-1]}"'
            )
        if not event.listed and (event.whole, event.low, event.high) != (True, 0, 1):
            raise PartError(
                f"{self.id}: the event {self.event!r} must be a category, or a whole number from 0 "
                "(censored) to 1 (happened)"
            )

    def other_columns(self) -> tuple[str, ...]:
        """The columns that it needs beside time and event."""
        return ()

    def known_times(self, data: Data) -> SurvivalTimes:
        """The people of whom time, event and the other columns are known, sorted by content."""
        table = as_table(data)
        self.require(table.schema)
        table = table.take(table.order())
        names = (self.time, self.event, *self.other_columns())
        known = ~np.isnan([table.numbers(name) for name in names]).any(axis=0)
        table = table.take(known)
        time = table.numbers(self.time)
        event = table.schema[self.event]
        code = event.values.index(str(self.happened)) if event.listed else self.happened
        return SurvivalTimes(time, table.numbers(self.event) == code, table)

    def too_little(self, times: Mapping[str, SurvivalTimes]) -> str:
        """Why two tables cannot be compared, in words; empty if they can."""
        for table, people in times.items():
            if len(people.time) < GROUPS:
                return (
                    f"{len(people.time)} records of the {table} have a time and an event; at least "
                    f"{GROUPS} are needed"
                )
            if not people.event.any():
                return f"no event happened in the {table}: everybody is censored"
        return ""

    def not_measured(self, note: str) -> Readings:
        """No reading has a value, and why."""
        return {name: Reading.missing(better, note) for name, better in self.reads.items()}
