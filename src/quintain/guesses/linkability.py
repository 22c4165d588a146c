"""Linkability: which two halves of records belong to the same person?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import model_validator

from quintain.data import Column, Schema, Table, as_table
from quintain.data.arrays import Mask, Rows
from quintain.data.schema import ColumnNames
from quintain.errors import Faults
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
)
from quintain.registry import register
from quintain.releases import Publication, Release
from quintain.samples import Sample
from quintain.wording.languages import say, say_commas, tell

_HALF = Column(name="half", kind="integer", low=0)
_MEMBER = Column(name="member", kind="integer", low=0, high=1)
_GUESS = Schema(columns=(TARGET, _HALF))
_TRUTH = Schema(columns=(TARGET, _MEMBER, _HALF))


@dataclass(frozen=True, slots=True, eq=False)
class LinkabilityQuestion(Question):
    """The left halves of the targets, and their right halves in another order.

    Parameters
    ----------
    left, right : the columns of the two halves.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]

    def left_halves(self) -> Table:
        """The left half of each target."""
        return self.table.select(self.left)

    def right_halves(self) -> Table:
        """The right halves by their numbers: that of half 0 first."""
        return self.table.select(self.right)

    def answer(self, halves: npt.ArrayLike) -> Guess:
        """Make a guess from the number of a right half for each target."""
        columns = {"target": self.table.columns["target"], "half": np.asarray(halves, np.int64)}
        return Guess(Table(_GUESS, columns))

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Give every target another half, at random."""
        return self.answer(rng.permutation(len(self.table)))


@register("linkability-v1")
class Linkability(Goal):
    """For each target, the number of the right half that belongs to its left half.

    Attackers get two lists about the same people, such as those of a hospital and of a shop, and
    want to join them with the help of the release. The left halves are numbered as targets, the
    right halves are in random order. Both lists are in one file: ``target`` with the columns of the
    left halves, then ``half`` with those of the right halves. What stands on one line belongs
    together only by chance. Targets who were not in the private data are controls: what attackers
    link among them shows correlation in the population, not a leak.

    Parameters
    ----------
    left, right : the columns of the two halves; no column is in both.

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> goal = q.part("goal/linkability", left=["size"], right=["colour", "flag"])
    >>> question, truth, *_ = exercise(goal)
    >>> question.table.records()[0]
    {'target': 0, 'size': 1, 'half': 0, 'colour': 'red', 'flag': 'yes'}
    >>> truth.table.records()[0]
    {'target': 0, 'member': 1, 'half': 10}
    """

    asks: ClassVar[type[Question]] = LinkabilityQuestion
    by_target: ClassVar[bool] = True
    asks_apart: ClassVar[bool] = False
    in_population: ClassVar[bool] = True

    left: ColumnNames
    right: ColumnNames

    @model_validator(mode="after")
    def _disjoint(self) -> Self:
        both = sorted(set(self.left) & set(self.right))
        if both:
            raise ValueError(f"these columns are in both halves: {', '.join(both)}")
        return self

    @classmethod
    def examples(cls) -> list[Self]:
        """The columns of the example table in two halves."""
        return [cls(left=("size",), right=("colour", "flag"))]

    def require(self, schema: Schema) -> None:
        """The columns of both halves must exist, and must not be ids."""
        super().require(schema)
        known_columns(self.id, schema, (*self.left, *self.right))

    def hidden_bits(self, sample: Sample, *, half: bool = False) -> float:
        """The order of the right halves."""
        return math.lgamma(len(sample.target_rows) + 1) / math.log(2)

    def wish(self) -> str:
        """Describe the answer: which halves belong together."""
        left, right = say_commas(self.left), say_commas(self.right)
        return say(
            "which half with %(right)s belongs to which half with %(left)s", right=right, left=left
        )

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Ask with the right halves in an order that is random, but always the same."""
        return self._ask(sample, np.random.default_rng(0))

    def ask_published(
        self,
        sample: Sample,
        release: Release,
        published: Publication,
        *,
        rng: np.random.Generator,
    ) -> tuple[Question, Truth]:
        """Show the left halves, and the right halves in random order; keep which is whose."""
        return self._ask(sample, rng)

    def _ask(self, sample: Sample, rng: np.random.Generator) -> tuple[Question, Truth]:
        population = as_table(sample.population)
        self.require(population.schema)
        records = population.take(sample.target_rows)
        numbers = np.arange(len(records))
        order = rng.permutation(len(records))  # half j belongs to target order[j]
        columns = {"target": numbers, "half": numbers}
        columns |= {name: records.columns[name] for name in self.left}
        columns |= {name: records.columns[name][order] for name in self.right}
        question = Table(self.question_schema(population.schema), columns)
        members = sample.members[sample.target_of]
        truth = {"target": numbers, "member": members, "half": np.argsort(order)}
        return LinkabilityQuestion(question, self.left, self.right), Truth(Table(_TRUTH, truth))

    def question_schema(self, data: Schema) -> Schema:
        """The left halves with the names of the targets, then the right halves with numbers."""
        left, right = ([data[name] for name in names] for names in (self.left, self.right))
        return Schema(columns=(TARGET, *left, _HALF, *right))

    def truth_schema(self, data: Schema) -> Schema:
        """The name of the target, whether it is a member, and the number of its right half."""
        return _TRUTH

    def guess_schema(self, data: Schema) -> Schema:
        """The name of the target, and the number of a right half."""
        return _GUESS

    def question(self, table: Table, data: Schema) -> Question:
        """Rebuild the question from its file."""
        return LinkabilityQuestion(table, self.left, self.right)

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Check that every target is answered once, with a half that exists."""
        check_targets(guess.table, question.table, faults)
        halves, count = guess.table.columns["half"], len(question.table)
        unknown = np.flatnonzero(halves >= count)
        words = tell("the right halves are 0..%(last)s", last=count - 1)
        note_rows(faults, unknown, "half", halves, lambda _: words)


def members_and_links(truth: Truth, guess: Guess) -> tuple[Mask, Rows, Rows]:
    """Who is a member, the true and the guessed right halves, in the order of the truth."""
    position = answer_rows(truth.table, guess.table)
    inside: Mask = truth.table.columns["member"] == 1
    return inside, truth.table.columns["half"], guess.table.columns["half"][position]
