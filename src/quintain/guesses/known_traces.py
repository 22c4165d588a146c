"""Known traces: where the targets were before the private data begin, which attackers know."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from quintain.data import CellGrid, Schema, Table, Trajectories, as_trajectories
from quintain.data.arrays import Rows
from quintain.data.columns import Columns
from quintain.data.trajectories import person_column, time_column
from quintain.errors import PartError
from quintain.guesses.goal import TARGET, Goal, Guess, Question
from quintain.releases import Publication, Release
from quintain.samples import Sample


@dataclass(frozen=True, slots=True, eq=False)
class KnownTracesQuestion(Question):
    """A question that shows where each target was in an earlier period."""

    @abstractmethod
    def known_traces(self) -> Trajectories:
        """The known trajectories, one per target, in the order of the targets."""

    @abstractmethod
    def answer_by_pseudonym(
        self, published: Trajectories, pseudonyms: npt.ArrayLike, *, rng: np.random.Generator
    ) -> Guess:
        """Answer on the assumption that target i is the published person ``pseudonyms[i]``."""


class KnownTracesGoal(Goal):
    """A goal about people whose earlier trajectories attackers know."""

    shapes: ClassVar[tuple[str, ...]] = ("trajectories",)

    @abstractmethod
    def about(self, known: Trajectories, published: Trajectories) -> KnownTracesQuestion:
        """The question about people with these earlier trajectories, and about this release."""

    @abstractmethod
    def trace_behind(self, guess: Guess, published: Trajectories, target: int) -> Trajectories:
        """Where the target was, if the guess is right: one trajectory."""

    def known_points(self, sample: Sample) -> Trajectories:
        """What the population has of each target before the first time of the private data."""
        everybody, private = as_trajectories(sample.population), as_trajectories(sample.private)
        before = everybody.times() < private.times().min(initial=np.iinfo(np.int64).max)
        known = everybody.keep(before).take(sample.target_rows)
        if not len(known) or not known.lengths.all():
            raise PartError(
                f"{self.id}: attackers must know where each target was before; use the sample "
                "design later"
            )
        return known.with_ids(np.arange(len(known)))


def target_points(traces: Trajectories, *, missing: bool = True) -> Table:
    """Trajectories as a table of points, numbered by target."""
    rows = traces.to_rows().columns
    target = rows[person_column(traces.schema).name]
    schema = point_schema(traces.schema, missing=missing)
    return Table(schema, {n: target if n == TARGET.name else rows[n] for n in schema.names})


def point_schema(data: Schema, *, missing: bool = True) -> Schema:
    """The target, the time and the place, which may be missing or not."""
    time, places = time_column(data), CellGrid.of(data).columns
    columns = [
        c.model_copy(update={"nullable": missing, "missing": ""}) if c.name in places else c
        for c in data.columns
        if c.name == time.name or c.name in places
    ]
    return Schema(columns=(TARGET, *columns))


def traces_of(table: Table) -> Trajectories:
    """The trajectories in a table of :func:`target_points`."""
    person = TARGET.model_copy(update={"role": "person"})
    others = (column for column in table.schema.columns if column.name != TARGET.name)
    schema = Schema(shape="trajectories", columns=(person, *others))
    return Trajectories.from_rows(Columns(schema, table.columns))


def published_place(sample: Sample, release: Release, published: Publication) -> Rows:
    """For each private person the place among the published people, or -1.

    Before a release is published, its ids say for whom a trajectory stands.
    """
    private, released = as_trajectories(sample.private), as_trajectories(release.data)
    names = released.ids if published.records is None else released.ids[published.records]
    names, wanted = names.astype(np.str_), private.ids.astype(np.str_)
    order = np.argsort(names, kind="stable")
    at = order[np.minimum(np.searchsorted(names, wanted, sorter=order), len(names) - 1)]
    return np.where(names[at] == wanted, at, -1)
