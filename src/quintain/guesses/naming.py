"""Naming: which pseudonym of the release is this person?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from typing import Annotated, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Column, Schema, Table, Trees, as_trees
from quintain.data.arrays import Array, distinct
from quintain.data.people import People
from quintain.data.people_schema import PeopleSchema
from quintain.data.schema import ColumnNames
from quintain.data.shape import find_shape
from quintain.errors import Faults, PartError
from quintain.guesses.goal import (
    TARGET,
    Goal,
    Guess,
    Question,
    Truth,
    answer_rows,
    check_targets,
    note_rows,
    published_places,
    target_table,
)
from quintain.guesses.known_people import known_people
from quintain.kernels.histories import keep_rows
from quintain.registry import register
from quintain.releases import Publication, Release
from quintain.samples import Sample
from quintain.wording.languages import say, tell, to_say, write_number

PSEUDONYMS = Column(name="pseudonyms", kind="integer", low=0)
"""How many pseudonyms the release has, on every line of a question."""


@dataclass(frozen=True, slots=True, eq=False)
class NamingQuestion(Question):
    """The rows that the attacker knows of each target, and how many pseudonyms there are.

    Parameters
    ----------
    absent : whether a target may have no pseudonym in the release.
    whole : whether all rows of the targets are known.
    """

    absent: bool = False
    whole: bool = True

    def targets(self) -> npt.NDArray[np.str_]:
        """The names of the targets, sorted."""
        return distinct(self.table.columns["target"].astype(np.str_))

    def people(self, data: Schema) -> People:
        """The targets with their known rows, in the order of :meth:`targets`.

        Parameters
        ----------
        data : the schema of the data, which says how their tables belong together.
        """
        return known_people(self.table, data)

    @property
    def published(self) -> int:
        """How many pseudonyms the release has; 0 if there is no target."""
        numbers = self.table.columns[PSEUDONYMS.name]
        return int(numbers[0]) if len(numbers) else 0

    def answer(self, pseudonyms: npt.ArrayLike) -> Guess:
        """Make a guess from one pseudonym per target; an empty text says "not in here"."""
        names = np.asarray(pseudonyms).astype(np.str_)
        return Guess(Table(_answer(self.absent), {"target": self.targets(), "pseudonym": names}))

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Give every target a random pseudonym, each to one target as long as there are enough."""
        targets, names = len(self.targets()), self.published
        drawn = rng.choice(names, targets, replace=targets > names) if targets else np.zeros(0, int)
        return self.answer(drawn + 1)


@register("naming-v1")
class Naming(Goal):
    """For each target, the pseudonym of the release whose rows are about this person.

    The release has pseudonyms 1, 2, 3 ..., in an order that reveals nothing, and tells which rows
    belong to each. Without ``absent``, attackers are asked only about people who have a pseudonym.
    The sanitizer must make each pseudonym from at most one person.

    Parameters
    ----------
    rows_known : how many rows of each table attackers know of a target, drawn at random; all of
        them if not given. Which rows belong to which row of another table is then not known.
    tables_known : the tables of which attackers know rows; all if not given.
    absent : also ask about targets without a pseudonym. The right answer about them is an empty
        cell.

    References
    ----------
    de Montjoye, Hidalgo, Verleysen and Blondel, Unique in the crowd, Scientific Reports 3 (2013).

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, _, release = exercise(q.part("goal/naming", rows_known=2), "people")
    >>> truth.table.records()[0]
    {'target': 0, 'pseudonym': '1'}
    >>> lines = question.table.columns["target"] == 0
    >>> question.table.take(lines).select(["target", "pseudonyms", "table"]).records()[:2]
    [{'target': 0, 'pseudonyms': 15, 'table': 'patients'},
     {'target': 0, 'pseudonyms': 15, 'table': 'visits'}]
    """

    asks: ClassVar[type[Question]] = NamingQuestion
    shapes: ClassVar[tuple[str, ...]] = ("people",)
    by_target: ClassVar[bool] = True
    needs_origins: ClassVar[bool] = True

    rows_known: Annotated[int, Field(ge=1)] | None = None
    tables_known: ColumnNames | None = None
    absent: bool = False

    @classmethod
    def examples(cls) -> list[Self]:
        """Everything is known, or three rows of one table about people who may be absent."""
        return [cls(), cls(rows_known=3, tables_known=("visits",), absent=True)]

    def require(self, schema: Schema) -> None:
        """The known tables must exist."""
        super().require(schema)
        names = [table.name for table in PeopleSchema.of_flat(schema).tables]
        for name in self.tables_known or ():
            if name not in names:
                raise PartError(f"{self.id}: no table {name!r}; available: {', '.join(names)}")

    def hidden_bits(self, sample: Sample, *, half: bool = False) -> float:
        """One of the private people for each target that may be asked about."""
        chosen = len(sample.members) if self.absent else int(sample.members.sum())
        return chosen * math.log2(max(2, len(sample.private)))

    def wish(self) -> str:
        """Describe the answer: one pseudonym per target."""
        if self.absent:
            text = to_say(
                "which pseudonym is each target, or that it has none; "
                "known are %(rows)s of %(tables)s"
            )
        else:
            text = to_say("which pseudonym is each target; known are %(rows)s of %(tables)s")
        rows, tables = say("all rows"), say("each table")
        if self.rows_known is not None:
            rows = say("%(n)s rows", n=write_number(self.rows_known))
        if self.tables_known is not None:
            tables = reduce(_and_of, self.tables_known)
        return say(text, rows=rows, tables=tables)

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Refuse: who has which pseudonym is decided when a release is published."""
        raise PartError(f"{self.id} asks about a release that is published; use ask_published")

    def ask_published(
        self,
        sample: Sample,
        release: Release,
        published: Publication,
        *,
        rng: np.random.Generator,
    ) -> tuple[Question, Truth]:
        """Ask about the targets; keep the pseudonym of each."""
        population, shown = as_trees(sample.population), as_trees(published.data)
        self.require(population.schema)
        place = published_places(self.id, sample, published)[sample.target_rows]
        chosen = np.arange(len(place)) if self.absent else np.flatnonzero(place >= 0)
        targets = np.arange(len(chosen))
        known = self._known_part(population.take(sample.target_rows[chosen]), rng)
        rows = target_table(known, targets, targets)
        count = {PSEUDONYMS.name: np.full(len(rows), len(shown))}
        question = Table(self.question_schema(population.schema), {**rows.columns, **count})
        assert shown.people.keys is not None  # trees have keys
        names = np.where(place[chosen] >= 0, shown.people.keys[place[chosen]], "")
        truth = Table(_answer(self.absent), {"target": targets, "pseudonym": names})
        return NamingQuestion(question, self.absent, self._whole), Truth(truth)

    @property
    def _whole(self) -> bool:
        return self.rows_known is None and self.tables_known is None

    def _known_part(self, targets: Trees, rng: np.random.Generator) -> Trees:
        """The targets with the rows that attackers know."""
        if self._whole:
            return targets
        people = targets.people.only(self.tables_known or targets.people.tables)
        if self.rows_known is not None:
            people = keep_rows(people, self.rows_known, rng=rng, each_table=True)
        return Trees.of(people)

    def question_schema(self, data: Schema) -> Schema:
        """The name of the target, the number of pseudonyms, and the rows of the target."""
        shown = find_shape(data.shape).shown_columns(data)
        return Schema(columns=(TARGET, PSEUDONYMS, *shown))

    def truth_schema(self, data: Schema) -> Schema:
        """The name of the target and its pseudonym."""
        return _answer(self.absent)

    def guess_schema(self, data: Schema) -> Schema:
        """The name of the target and its pseudonym; empty for "not in here", if allowed."""
        return _answer(self.absent)

    def question(self, table: Table, data: Schema) -> Question:
        """Rebuild the question from its file."""
        return NamingQuestion(table, self.absent, self._whole)

    def question_behind(self, truth: Truth, data: Schema) -> Question | None:
        """Return None: the truth does not show how many pseudonyms the release has."""
        return None

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Check that every target is answered once, with a pseudonym that the release has."""
        assert isinstance(question, NamingQuestion)
        check_targets(guess.table, question.table, faults)
        names = guess.table.columns["pseudonym"].astype(np.str_)
        known = np.arange(1, question.published + 1).astype(np.str_)
        unknown = np.flatnonzero(~np.isin(names, known) & (names != ""))
        message = tell(
            "the release has the pseudonyms 1..%(published)s", published=question.published
        )
        note_rows(faults, unknown, "pseudonym", names, lambda _: message)


def _answer(absent: bool) -> Schema:
    return Schema(columns=(TARGET, Column(name="pseudonym", kind="id", nullable=absent)))


def pseudonyms_and_guesses(truth: Truth, guess: Guess) -> tuple[Array, Array]:
    """The true and the guessed pseudonym of each target as texts, empty for none."""
    position = answer_rows(truth.table, guess.table)
    true, given = (answers.table.columns["pseudonym"].astype(np.str_) for answers in (truth, guess))
    return true, given[position]


def _and_of(before: str, table: str) -> str:
    return say("%(before)s and of %(table)s", before=before, table=table)
