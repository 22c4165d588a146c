"""Published row: which row of the release is this person's?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from quintain.data import Column, Schema, Table, as_table
from quintain.data.arrays import Rows
from quintain.data.column import LARGEST_DOMAIN
from quintain.data.schema import ColumnNames
from quintain.errors import Faults, PartError
from quintain.guesses.goal import (
    TARGET,
    Goal,
    Guess,
    Question,
    Truth,
    answer_rows,
    check_targets,
    known_columns,
    note_rows,
    published_places,
    target_table,
)
from quintain.registry import register
from quintain.releases import Publication, Release
from quintain.samples import Sample
from quintain.wording.languages import say, say_commas, tell

RELEASE_ROWS = Column(name="release_rows", kind="integer", low=0)
"""How many rows the release has, on every line of a question."""


@dataclass(frozen=True, slots=True, eq=False)
class PublishedRowQuestion(Question):
    """What the attacker knows of each target, and how many rows the release has.

    Parameters
    ----------
    absent : whether a target may have no row in the release.
    """

    absent: bool = False

    def records(self) -> Table:
        """The known columns of the targets."""
        return self.table.drop(TARGET.name, RELEASE_ROWS.name)

    @property
    def published(self) -> int:
        """How many rows the release has; 0 if there is no target."""
        rows = self.table.columns[RELEASE_ROWS.name]
        return int(rows[0]) if len(rows) else 0

    def answer(self, rows: npt.ArrayLike) -> Guess:
        """Make a guess from one row number per target, counted from 0; -1 for "not in here"."""
        columns = {"target": self.table.columns["target"], "row": np.asarray(rows, np.int64)}
        return Guess(Table(_answer_schema(self.absent), columns))

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Give every target a random row, each row to one target as long as there are enough."""
        targets, rows = len(self.table), self.published
        return self.answer(rng.choice(rows, targets, replace=targets > rows) if targets else [])


@register("published-row-v1")
class PublishedRow(Goal):
    """For each target, the number of the row of the release that is about this person.

    Rows of the release are counted from 0, in their published order, which reveals nothing. If
    several published rows are equal, chance decides which of them is whose, so nobody can do better
    than guess among them. Without ``absent``, attackers are asked only about persons who have a
    row. The sanitizer must make each row from at most one private record: synthetic records are
    about nobody.

    Parameters
    ----------
    knows : the columns of the targets that attackers know; all columns if not given.
    absent : also ask about targets without a row: persons who are not in the private data, or
        whose records were deleted. The right answer about them is an empty cell.

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, _, release = exercise(q.part("goal/published-row", knows=["size", "flag"]))
    >>> question.table.records()[0]
    {'target': 0, 'release_rows': 119, 'size': 1, 'flag': 'no'}
    >>> row = truth.table.records()[0]["row"]
    >>> release.data.records()[row]
    {'colour': 'green', 'size': 1, 'flag': 'no'}
    """

    asks: ClassVar[type[Question]] = PublishedRowQuestion
    by_target: ClassVar[bool] = True
    needs_origins: ClassVar[bool] = True

    knows: ColumnNames | None = None
    absent: bool = False

    @classmethod
    def examples(cls) -> list[Self]:
        """All columns are known, or two of them about people who may be absent."""
        return [cls(), cls(knows=("size", "flag"), absent=True)]

    def require(self, schema: Schema) -> None:
        """The known columns must exist, and must not be ids."""
        super().require(schema)
        known_columns(self.id, schema, self.knows)

    def hidden_bits(self, sample: Sample, *, half: bool = False) -> float:
        """One of the private records for each target that may be asked about."""
        members = sample.members[sample.target_of]
        chosen = len(members) if self.absent else int(members.sum())
        return chosen * math.log2(max(2, len(sample.private)))

    def wish(self) -> str:
        """Describe the answer: one row per target."""
        if self.absent:
            wish = say("which row of the release belongs to each target, or that it has none")
        else:
            wish = say("which row of the release belongs to each target")
        if self.knows is None:
            return wish
        return say("%(wish)s, of whom %(known)s are known", wish=wish, known=say_commas(self.knows))

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Ask about a release with one record per private record, published in their order."""
        if len(release.data) != len(sample.private):
            raise PartError(
                f"the release has {len(release.data)} records and the private data have "
                f"{len(sample.private)}: say with ask_published which record is whose"
            )
        published = Publication(release.data, np.arange(len(release.data)))
        return self._ask(sample, published)

    def ask_published(
        self,
        sample: Sample,
        release: Release,
        published: Publication,
        *,
        rng: np.random.Generator,
    ) -> tuple[Question, Truth]:
        """Ask about the targets; keep the published row of each."""
        return self._ask(sample, published)

    def _ask(self, sample: Sample, published: Publication) -> tuple[Question, Truth]:
        population = as_table(sample.population)
        self.require(population.schema)
        row = published_places(self.id, sample, published)[sample.target_rows]
        chosen = np.arange(len(row)) if self.absent else np.flatnonzero(row >= 0)
        targets = np.arange(len(chosen))
        known = known_columns(self.id, population.schema, self.knows)
        shown = target_table(population, sample.target_rows[chosen], targets).select(
            ["target", *known]
        )
        rows = np.full(len(chosen), len(published.data))
        columns = {"target": targets, RELEASE_ROWS.name: rows}
        columns |= {name: shown.columns[name] for name in known}
        question = Table(self.question_schema(population.schema), columns)
        truth = Table(_answer_schema(self.absent), {"target": targets, "row": row[chosen]})
        return PublishedRowQuestion(question, self.absent), Truth(truth)

    def question_schema(self, data: Schema) -> Schema:
        """The name of the target, the number of rows, and the known columns."""
        names = list(known_columns(self.id, data, self.knows))
        return data.select(names).extended(TARGET, RELEASE_ROWS)

    def truth_schema(self, data: Schema) -> Schema:
        """The name of the target and its row."""
        return _answer_schema(self.absent)

    def guess_schema(self, data: Schema) -> Schema:
        """The name of the target and its row; empty for "not in here", if that is allowed."""
        return _answer_schema(self.absent)

    def question(self, table: Table, data: Schema) -> Question:
        """Rebuild the question from its file."""
        return PublishedRowQuestion(table, self.absent)

    def question_behind(self, truth: Truth, data: Schema) -> Question | None:
        """Return None: the truth does not show how many rows the release has."""
        return None

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Check that every target is answered once, with a row that the release has."""
        assert isinstance(question, PublishedRowQuestion)
        check_targets(guess.table, question.table, faults)
        rows = guess.table.columns["row"]
        outside = np.flatnonzero(rows >= question.published)
        known = tell("the release has rows 0..%(last)s", last=question.published - 1)
        note_rows(faults, outside, "row", rows, lambda _: known)


def _answer_schema(absent: bool) -> Schema:
    high = LARGEST_DOMAIN - 2 if absent else None
    row = Column(name="row", kind="integer", low=0, high=high, nullable=absent)
    return Schema(columns=(TARGET, row))


def rows_and_guesses(truth: Truth, guess: Guess) -> tuple[Rows, Rows]:
    """The true and the guessed row of each target, -1 for none, in the order of the truth."""
    position = answer_rows(truth.table, guess.table)
    return truth.table.columns["row"], guess.table.columns["row"][position]
