"""Membership set: which records of the population were in the private data?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Column, Data, Schema, Table
from quintain.errors import Faults, PartError
from quintain.guesses.goal import (
    Goal,
    Guess,
    Question,
    Truth,
    log2_choose,
    note_repeated,
    note_rows,
    rows_in_words,
)
from quintain.registry import register
from quintain.releases import Release
from quintain.samples import Sample
from quintain.wording.languages import say, tell

_QUESTION = Schema(
    columns=(
        Column(name="population", kind="integer", low=1),
        Column(name="guesses", kind="integer", low=1),
    )
)
_ROWS = Schema(columns=(Column(name="row", kind="integer", low=0),))


@dataclass(frozen=True, slots=True, eq=False)
class MembershipSetQuestion(Question):
    """How many records of the population attackers must name."""

    @property
    def population(self) -> int:
        """How many records the population has."""
        return int(self.table.records()[0]["population"])

    @property
    def guesses(self) -> int:
        """How many of these records attackers must name."""
        return int(self.table.records()[0]["guesses"])

    def answer(self, rows: npt.ArrayLike) -> Guess:
        """Make a guess from row numbers of the population, counted from 0."""
        return Guess(Table(_ROWS, {"row": np.asarray(rows, np.int64)}))

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Name random rows, all different."""
        return self.answer(rng.choice(self.population, self.guesses, replace=False))


@register("membership-set-v1")
class MembershipSet(Goal):
    """Row numbers, counted from 0, of population records that were in the private data.

    Parameters
    ----------
    guesses : how many rows an attacker must name, all different.

    >>> import quintain as q
    >>> from quintain.testing.examples import experiment
    >>> sample, release = experiment()
    >>> question, truth = q.part("goal/membership-set", guesses=5).ask(sample, release)
    >>> question.table.records()
    [{'population': 400, 'guesses': 5}]
    >>> [record["row"] for record in truth.table.records()[:4]]  # members
    [1, 13, 28, 108]
    """

    asks: ClassVar[type[Question]] = MembershipSetQuestion

    guesses: Annotated[int, Field(ge=1)] = 100

    def hidden_bits(self, sample: Sample, *, half: bool = False) -> float:
        """Which records of the population are members, if everybody knows how many are."""
        return log2_choose(len(sample.members), int(sample.members.sum()))

    def wish(self) -> str:
        """Describe the answer: rows of the population."""
        return say("which records of the population were in the private data")

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Ask for rows; keep the rows of the members."""
        inside = sample.target_rows[sample.members[sample.target_of]]
        return self.question_about(sample.population), Truth(Table(_ROWS, {"row": np.sort(inside)}))

    def question_about(self, population: Data) -> Question:
        """Ask for rows of the population."""
        if self.guesses > len(population):
            raise PartError(
                f"cannot ask for {self.guesses} guesses: the population has "
                f"{rows_in_words(len(population))}"
            )
        sizes = {"population": [len(population)], "guesses": [self.guesses]}
        return MembershipSetQuestion(Table.of(_QUESTION, sizes))

    def question_schema(self, data: Schema) -> Schema:
        """The size of the population, and how many rows to name."""
        return _QUESTION

    def truth_schema(self, data: Schema) -> Schema:
        """One row number of the population per line."""
        return _ROWS

    def guess_schema(self, data: Schema) -> Schema:
        """One row number of the population per line."""
        return _ROWS

    def question(self, table: Table, data: Schema) -> Question:
        """Rebuild the question from its file."""
        return MembershipSetQuestion(table)

    def question_behind(self, truth: Truth, data: Schema) -> Question | None:
        """Return None: the truth does not show how many records the population has."""
        return None

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Check that the rows are as many as required, inside the population and all different."""
        assert isinstance(question, MembershipSetQuestion)
        rows = guess.table.columns["row"]
        if len(rows) != question.guesses:
            faults.add(
                tell(
                    "has %(rows)s; expected %(expected)s",
                    rows=rows_in_words(len(rows)),
                    expected=question.guesses,
                )
            )
        outside = np.flatnonzero(rows >= question.population)
        known = tell("the population has rows 0..%(last)s", last=question.population - 1)
        note_rows(faults, outside, "row", rows, lambda _: known)
        note_repeated(faults, "row", rows, tell("named before"))
