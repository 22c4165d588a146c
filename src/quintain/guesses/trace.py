"""Trace: where was each person at each time?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from quintain.data import CellGrid, Column, Schema, Table, Trajectories, as_trajectories
from quintain.data.arrays import Ints, Rows, distinct
from quintain.data.trajectories import person_column, time_column
from quintain.errors import Faults
from quintain.guesses.goal import Guess, Question, Truth, note_rows
from quintain.guesses.known_traces import (
    KnownTracesGoal,
    KnownTracesQuestion,
    point_schema,
    target_points,
    traces_of,
)
from quintain.kernels.places import cells_at, usual_cells
from quintain.registry import register
from quintain.releases import Release
from quintain.samples import Sample
from quintain.wording.languages import say, tell

_SOUGHT = Column(name="sought", kind="integer", low=0, high=1)


@dataclass(frozen=True, slots=True, eq=False)
class TraceQuestion(KnownTracesQuestion):
    """Where each target was before, and the times at which the place is sought."""

    def known_traces(self) -> Trajectories:
        """The known trajectories, one per target, in the order of the targets."""
        return traces_of(self._part(0))

    def sought_points(self) -> Trajectories:
        """The points whose place is sought, in the order of the targets."""
        return traces_of(self._part(1))

    def _part(self, sought: int) -> Table:
        chosen = self.table.columns[_SOUGHT.name] == sought
        return self.table.take(np.flatnonzero(chosen)).drop(_SOUGHT.name)

    def answer(self, cells: npt.ArrayLike) -> Guess:
        """Make a guess from one cell per sought point, in the order of :meth:`sought_points`."""
        points = self.sought_points().with_cells(np.asarray(cells, np.int64))
        return Guess(target_points(points, missing=False))

    def habits(self) -> Ints:
        """For each sought point the cell where the target usually was at that time of the day."""
        known, sought = self.known_traces(), self.sought_points()
        return usual_cells(known, sought)

    def answer_by_pseudonym(
        self, published: Trajectories, pseudonyms: npt.ArrayLike, *, rng: np.random.Generator
    ) -> Guess:
        """Copy the published trajectory; where it has no place, take the target's usual one."""
        sought, names = self.sought_points(), np.asarray(pseudonyms, np.int64)
        cells = cells_at(published, names[sought.person_of_point()], sought.times())
        return self.answer(np.where(cells >= 0, cells, self.habits()))

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Take a cell at random at each time."""
        sought = self.sought_points()
        return self.answer(rng.integers(sought.grid.size, size=int(sought.offsets[-1])))


@register("trace-v1")
class TraceGoal(KnownTracesGoal):
    """For each target and each time of the private data, the cell in which the target was.

    Attackers know where each target was in an earlier period. They are asked about all times at
    which anybody has a point, so that the question does not show whose points are missing; points
    without a true place do not count.

    References
    ----------
    Murakami et al., Designing a location trace anonymization contest, arXiv:2107.10407 (PWS Cup
    2019: trace inference).

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, *_ = exercise(q.part("goal/trace"), "trajectories")
    >>> len(question.known_traces()), int(question.sought_points().lengths[0])
    (25, 8)
    >>> {name: truth.table.records()[0][name] for name in ("target", "x", "y")}
    {'target': 0, 'x': 5, 'y': 2}
    """

    asks: ClassVar[type[Question]] = TraceQuestion

    def hidden_bits(self, sample: Sample, *, half: bool = False) -> float:
        """One of the cells for each private point."""
        private = as_trajectories(sample.private)
        return float(private.offsets[-1]) * math.log2(max(2, private.grid.size))

    def wish(self) -> str:
        """Describe the answer: one cell per target and time."""
        return say("where each target was at each time, whose earlier places are known")

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Show the earlier places and the times that are sought; keep the true places."""
        known, private = self.known_points(sample), as_trajectories(sample.private)
        question = self.about(known, private)
        sought = question.sought_points()
        true = cells_at(private, sought.person_of_point(), sought.times())
        return question, Truth(target_points(sought.with_cells(true)))

    def about(self, known: Trajectories, published: Trajectories) -> TraceQuestion:
        """Show the known points, and ask for the place of each person at all published times."""
        numbered = known.with_ids(np.arange(len(known)))
        sought = _at_all_times(numbered, distinct(published.times()))
        tables = [target_points(numbered), target_points(sought)]
        columns = {
            name: np.concatenate([table.columns[name] for table in tables])
            for name in tables[0].schema.names
        }
        columns[_SOUGHT.name] = np.repeat([0, 1], [len(table) for table in tables])
        return TraceQuestion(Table(self.question_schema(known.schema), columns))

    def trace_behind(self, guess: Guess, published: Trajectories, target: int) -> Trajectories:
        """The guessed places themselves."""
        row = np.flatnonzero(guess.table.columns["target"].astype(np.str_) == str(target))
        return traces_of(guess.table.take(row))

    def question_schema(self, data: Schema) -> Schema:
        """The target, whether the place is sought, time and place; sought places are empty."""
        target, *others = point_schema(data).columns
        return Schema(columns=(target, _SOUGHT, *others))

    def truth_schema(self, data: Schema) -> Schema:
        """The target, the time, and the place, which may be missing."""
        return point_schema(data)

    def guess_schema(self, data: Schema) -> Schema:
        """The target, the time, and a place."""
        return point_schema(data, missing=False)

    def question(self, table: Table, data: Schema) -> Question:
        """Rebuild the question from its file."""
        return TraceQuestion(table)

    def question_behind(self, truth: Truth, data: Schema) -> Question | None:
        """Return the question without the known points: enough to check a guess."""
        sought = {_SOUGHT.name: np.ones(len(truth.table), np.int64)}
        return TraceQuestion(Table(self.question_schema(data), {**truth.table.columns, **sought}))

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Check that the place of every target at every sought time is given once."""
        assert isinstance(question, TraceQuestion)
        sought = target_points(question.sought_points())
        wanted_keys, given = (_keys(table) for table in (sought, guess.table))
        _, place = np.unique(np.concatenate([wanted_keys, given]), return_inverse=True)
        wanted, answered = np.split(place, [len(wanted_keys)])
        unknown = np.flatnonzero(~np.isin(answered, wanted))
        texts = guess.table.columns["target"].astype(np.str_)
        message = tell("the place of this target at this time was not asked for")
        note_rows(faults, unknown, "target", texts, lambda _: message)
        _, first, number = np.unique(answered, return_index=True, return_inverse=True)
        before = first[number]
        again = np.flatnonzero(before != np.arange(len(answered)))
        note_rows(
            faults,
            again,
            "target",
            texts,
            lambda row: tell(
                "answered before for this time, on line %(line)s", line=faults.line_of(before[row])
            ),
        )
        missing = len(distinct(wanted)) - len(distinct(answered[np.isin(answered, wanted)]))
        if missing:
            faults.add(
                tell(
                    "has %(n)s rows; expected %(expected)s, one per target and time (%(missing)s "
                    "not answered)",
                    n=len(answered),
                    expected=len(wanted_keys),
                    missing=missing,
                )
            )


def _at_all_times(traces: Trajectories, moments: Ints) -> Trajectories:
    """Everybody at all of these times, without places."""
    people, count = len(traces), len(moments)
    columns = traces.grid.places(np.full(people * count, -1))
    columns[time_column(traces.schema).name] = np.tile(moments, people)
    names = (person_column(traces.schema).name, *columns)
    schema = traces.schema.select([name for name in traces.schema.names if name in names])
    return Trajectories(schema, np.arange(people), count * np.arange(people + 1), columns)


def _keys(points: Table) -> npt.NDArray[np.str_]:
    """One text per point, the same for the same target and time."""
    target = points.columns["target"].astype(np.str_)
    time = points.columns[time_column(points.schema).name].astype(np.str_)
    return np.char.add(np.char.add(time, " "), target)


def true_and_guessed_cells(truth: Truth, guess: Guess) -> tuple[CellGrid, Rows, Ints, Ints]:
    """The grid, and for each point with a true place its target, the true and the guessed cell."""
    grid = CellGrid.of(truth.table.schema)
    wanted_keys, given = (_keys(side.table) for side in (truth, guess))
    order = np.argsort(given, kind="stable")
    row = order[np.searchsorted(given, wanted_keys, sorter=order)]
    true, guessed = grid.cells(truth.table.columns), grid.cells(guess.table.columns)[row]
    _, target = np.unique(truth.table.columns["target"].astype(np.str_), return_inverse=True)
    there = np.flatnonzero(true >= 0)
    return grid, target[there], true[there], guessed[there]
