"""Attribute: which hidden value does each target have, if the rest of its record is known?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from quintain.data import Column, Schema, Table, as_table
from quintain.data.arrays import Array, Mask
from quintain.data.schema import ColumnNames
from quintain.errors import Faults, KnowledgeError, PartError
from quintain.guesses.goal import (
    TARGET,
    Goal,
    Guess,
    Question,
    Truth,
    answer_rows,
    check_targets,
    entropy_bits,
    known_columns,
    target_table,
)
from quintain.registry import register
from quintain.releases import Release
from quintain.samples import Sample
from quintain.wording.languages import say, say_commas

MEMBER = Column(name="member", kind="integer", low=0, high=1)
"""The column of a truth that says who was in the private data."""


@dataclass(frozen=True, slots=True, eq=False)
class AttributeQuestion(Question):
    """The target records without the hidden column, which attackers must guess.

    Parameters
    ----------
    secret : the hidden column and its domain.
    """

    secret: Column

    def records(self) -> Table:
        """The known columns of the target records, without the names of the targets."""
        return self.table.drop("target")

    def candidates(self) -> Table:
        """Every target record once with each value that the hidden column may have.

        The records of the first target come first, in the order of the values.
        """
        if not self.secret.discrete:
            raise KnowledgeError(f"{self.secret.name!r} has no list of values to try one by one")
        known, size = self.records(), self.secret.size
        each = known.take(np.repeat(np.arange(len(known)), size))
        codes = np.tile(np.arange(size), len(known))
        schema = Schema(columns=(*known.schema.columns, self.secret))
        return Table(schema, {**each.columns, self.secret.name: codes})

    def answer(self, codes: npt.ArrayLike) -> Guess:
        """Make a guess from one code of the hidden column per target record."""
        schema = Schema(columns=(TARGET, self.secret))
        columns = {"target": self.table.columns["target"], self.secret.name: np.asarray(codes)}
        return Guess(Table(schema, columns))

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Guess every value of the hidden column with the same probability."""
        return self.answer(random_values(self.secret, len(self.table), rng=rng))


@register("attribute-v1")
class Attribute(Goal):
    """The value of a hidden column for each target, of whom other columns are known.

    Half of the targets are members. The others are controls: what attackers guess right about them
    shows correlation in the population, not a leak.

    Parameters
    ----------
    column : the name of the hidden column; it must have a finite domain, or be a number with
        bounds.
    knows : the columns that attackers know; all columns except the hidden one if not given.

    >>> import quintain as q
    >>> from quintain.testing.examples import experiment
    >>> question, truth = q.part("goal/attribute", column="colour").ask(*experiment())
    >>> question.table.records()[0]
    {'target': 0, 'size': 1, 'flag': 'no'}
    >>> truth.table.records()[0]
    {'target': 0, 'member': 1, 'colour': 'green'}
    """

    asks: ClassVar[type[Question]] = AttributeQuestion
    by_target: ClassVar[bool] = True
    in_population: ClassVar[bool] = True

    column: str
    knows: ColumnNames | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """A category of the example table, and a number of which one column is known."""
        return [cls(column="colour"), cls(column="size", knows=("flag",))]

    def hidden_bits(self, sample: Sample, *, half: bool = False) -> float:
        """The entropy of the hidden column in the population, for every target record."""
        values = as_table(sample.population).columns[self.column]
        return len(sample.target_rows) * entropy_bits(values)

    def wish(self) -> str:
        """Describe the hidden column."""
        known = say("other columns") if self.knows is None else say_commas(self.knows)
        return say(
            "the value of %(column)s for each target, of whom %(known)s are known",
            column=repr(self.column),
            known=known,
        )

    def require(self, schema: Schema) -> None:
        """The hidden column must exist and have a finite domain or bounds; the known ones exist."""
        super().require(schema)
        names = [c.name for c in schema.attributes if can_be_hidden(c)]
        if self.column not in names:
            raise PartError(
                f"{self.column!r} is not a column with a finite domain or a bounded number; "
                f"available: {', '.join(names) or 'none'}"
            )
        known_columns(self.id, schema, self.knows, hidden=(self.column,))

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Show the targets without the column; keep its values, and who is a member."""
        population = as_table(sample.population)
        self.require(population.schema)
        secret = population.schema[self.column]
        each = np.arange(len(sample.target_rows))
        shown = target_table(population, sample.target_rows, each, hidden=self.column).select(
            self.question_schema(population.schema).names
        )
        truth = {
            "target": each,
            "member": sample.members[sample.target_of],
            self.column: population.columns[self.column][sample.target_rows],
        }
        schema = self.truth_schema(population.schema)
        return AttributeQuestion(shown, secret), Truth(Table(schema, truth))

    def question_schema(self, data: Schema) -> Schema:
        """The name of the target and the known columns."""
        shown = known_columns(self.id, data, self.knows, hidden=(self.column,))
        return data.select(list(shown)).extended(TARGET)

    def truth_schema(self, data: Schema) -> Schema:
        """The name of the target, whether it is a member, and its hidden value."""
        return Schema(columns=(TARGET, MEMBER, data[self.column]))

    def guess_schema(self, data: Schema) -> Schema:
        """The name of the target and the guessed value."""
        return Schema(columns=(TARGET, data[self.column]))

    def question(self, table: Table, data: Schema) -> Question:
        """Rebuild the question from its file."""
        return AttributeQuestion(table, data[self.column])

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Check that every target is answered once; the schema checks the values."""
        check_targets(guess.table, question.table, faults)


def can_be_hidden(column: Column) -> bool:
    """Whether the values of a column can be guessed: from a list, or between two bounds."""
    number = column.numeric
    return column.discrete or (number and column.low is not None and column.high is not None)


def random_values(column: Column, count: int, *, rng: np.random.Generator) -> Array:
    """Values of a column that can be hidden, each as likely as any other, as a table stores them.

    >>> flag = Column(name="flag", kind="category", values=("no", "yes"))
    >>> random_values(flag, 4, rng=np.random.default_rng(0)).tolist()
    [1, 1, 1, 0]
    """
    if column.discrete:
        return rng.integers(column.size, size=count)
    low, high = column.low, column.high
    assert low is not None and high is not None  # goals refuse a column without bounds
    drawn = rng.uniform(low, high, count)
    return np.rint(drawn).astype(np.int64) - column.offset if column.whole else drawn


def values_and_guesses(truth: Truth, guess: Guess) -> tuple[Mask, Array, Array]:
    """Who is a member, the hidden values and the guessed values, in the order of the truth."""
    secret = truth.table.schema.names[-1]
    position = answer_rows(truth.table, guess.table)
    inside: Mask = truth.table.columns["member"] == 1
    return inside, truth.table.columns[secret], guess.table.columns[secret][position]
