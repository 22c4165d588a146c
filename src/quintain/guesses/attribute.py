"""Attribute: what is the hidden value of each target, given the rest of its record?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from quintain.data import Column, Schema, Table, as_table
from quintain.data.arrays import Codes, Mask
from quintain.errors import Faults, PartError
from quintain.guesses.goal import (
    TARGET,
    Goal,
    Guess,
    Question,
    Truth,
    answer_rows,
    check_targets,
    target_table,
)
from quintain.registry import register
from quintain.releases import Release
from quintain.samples import Sample

_MEMBER = Column(name="member", kind="integer", low=0, high=1)


@dataclass(frozen=True, slots=True, eq=False)
class AttributeQuestion(Question):
    """The target records without the hidden column.

    Parameters
    ----------
    secret : the hidden column and its domain.
    """

    secret: Column

    def records(self) -> Table:
        """The target records without their names."""
        return self.table.drop("target")

    def answer(self, codes: npt.ArrayLike) -> Guess:
        """A guess from one code of the hidden column for each target record."""
        schema = Schema(columns=(TARGET, self.secret))
        held = {"target": self.table.columns["target"], self.secret.name: np.asarray(codes)}
        return Guess(Table(schema, held))

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Uniform random values."""
        return self.answer(rng.integers(self.secret.size, size=len(self.table)))


@register("attribute-v1")
class Attribute(Goal):
    """The value of a hidden column for each target, whose other columns are known.

    Half of the targets are in the private data; the others are controls: what can be told of
    them is correlation in the population, not leakage.

    Parameters
    ----------
    column : the name of the hidden column; it must have a finite domain.
    """

    asks: ClassVar[type[Question]] = AttributeQuestion

    column: str

    @classmethod
    def examples(cls) -> list[Self]:
        """The battery's table has a column called colour."""
        return [cls(column="colour")]

    def wanted(self) -> str:
        """Say which column is hidden."""
        return f"the value of {self.column!r} for each target, whose other columns are known"

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Show the targets without the column; keep its values, and who was in."""
        population = as_table(sample.population)
        if self.column not in population.schema or not population.schema[self.column].discrete:
            raise PartError(f"{self.column!r} is no column with a finite domain")
        secret = population.schema[self.column]
        each = np.arange(len(sample.target_rows))
        shown = target_table(population, sample.target_rows, each, hidden=self.column)
        truth = {
            "target": each,
            "member": sample.members[sample.target_of],
            self.column: population.columns[self.column][sample.target_rows],
        }
        schema = self.truth_schema(population.schema)
        return AttributeQuestion(shown, secret), Truth(Table(schema, truth))

    def question_schema(self, data: Schema) -> Schema:
        """The target's name and every attribute but the hidden one."""
        shown = [c.name for c in data.attributes if c.name != self.column]
        return data.select(shown).extended(TARGET)

    def truth_schema(self, data: Schema) -> Schema:
        """target, member, and the hidden column."""
        return Schema(columns=(TARGET, _MEMBER, data[self.column]))

    def guess_schema(self, data: Schema) -> Schema:
        """target and the hidden column."""
        return Schema(columns=(TARGET, data[self.column]))

    def question(self, table: Table, data: Schema) -> Question:
        """A question from its file."""
        return AttributeQuestion(table, data[self.column])

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Every target once; the values are in the domain by the schema."""
        check_targets(guess.table, question.table, faults)


def values_and_guesses(truth: Truth, guess: Guess) -> tuple[Mask, Codes, Codes]:
    """Who was in, the hidden values and the guesses at them, in the order of the truth."""
    secret = truth.table.schema.names[-1]
    position = answer_rows(truth.table, guess.table)
    inside: Mask = truth.table.columns["member"] == 1
    return inside, truth.table.columns[secret], guess.table.columns[secret][position]
