"""Membership set: name the records of the population you are surest were in the private data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Column, Schema, Table
from quintain.errors import Faults, PartError
from quintain.guesses.goal import Goal, Guess, Question, Truth, note_repeated, note_rows, rows_said
from quintain.registry import register
from quintain.releases import Release
from quintain.samples import Sample

_QUESTION = Schema(
    columns=(
        Column(name="population", kind="integer", low=1),
        Column(name="guesses", kind="integer", low=1),
    )
)
_ROWS = Schema(columns=(Column(name="row", kind="integer", low=0),))


@dataclass(frozen=True, slots=True, eq=False)
class MembershipSetQuestion(Question):
    """How many records of the population to name."""

    @property
    def population(self) -> int:
        """How many records the population has."""
        return int(self.table.records()[0]["population"])

    @property
    def guesses(self) -> int:
        """How many of them to name."""
        return int(self.table.records()[0]["guesses"])

    def answer(self, rows: npt.ArrayLike) -> Guess:
        """A guess from row numbers of the population, counted from 0."""
        return Guess(Table(_ROWS, {"row": np.asarray(rows, np.int64)}))

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Random rows."""
        return self.answer(rng.choice(self.population, self.guesses, replace=False))


@register("membership-set-v1")
class MembershipSet(Goal):
    """Row numbers, counted from 0, of population records that were in the private data.

    Parameters
    ----------
    guesses : how many rows an attacker names, no more and no less, all different.
    """

    asks: ClassVar[type[Question]] = MembershipSetQuestion

    guesses: Annotated[int, Field(ge=1)] = 100

    def wanted(self) -> str:
        """Name what the answer tells."""
        return "which records of the population were in the private data"

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Ask for rows; keep which were in."""
        if self.guesses > len(sample.population):
            raise PartError(
                f"{self.guesses} guesses in a population of {len(sample.population)} records"
            )
        asked = Table.of(
            _QUESTION, {"population": [len(sample.population)], "guesses": [self.guesses]}
        )
        inside = sample.target_rows[sample.members[sample.target_of]]
        return MembershipSetQuestion(asked), Truth(Table(_ROWS, {"row": np.sort(inside)}))

    def question_schema(self, data: Schema) -> Schema:
        """population, guesses."""
        return _QUESTION

    def truth_schema(self, data: Schema) -> Schema:
        """row."""
        return _ROWS

    def guess_schema(self, data: Schema) -> Schema:
        """row."""
        return _ROWS

    def question(self, table: Table, data: Schema) -> Question:
        """A question from its file."""
        return MembershipSetQuestion(table)

    def question_behind(self, truth: Truth, data: Schema) -> Question | None:
        """The answer does not show how many records the population has."""
        return None

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """As many rows as asked, all inside the population, none twice."""
        assert isinstance(question, MembershipSetQuestion)
        rows = guess.table.columns["row"]
        if len(rows) != question.guesses:
            faults.add(f"has {rows_said(len(rows))}; expected {question.guesses}")
        outside = np.flatnonzero(rows >= question.population)
        known = f"the population has rows 0..{question.population - 1}"
        note_rows(faults, outside, "row", rows, lambda _: known)
        note_repeated(faults, "row", rows, "named before")
