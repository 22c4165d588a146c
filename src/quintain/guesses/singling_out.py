"""Singling out: which descriptions fit exactly one person in the private data?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Column, Schema, Table, as_table
from quintain.data.codec import format_texts
from quintain.data.plain import plain_schema, plain_view
from quintain.errors import Faults, PartError
from quintain.guesses.goal import Goal, Guess, Question, Truth, log2_choose
from quintain.guesses.predicates import (
    Condition,
    Conditions,
    Predicate,
    predicate_schema,
    predicate_table,
)
from quintain.registry import register
from quintain.releases import Release
from quintain.samples import Sample
from quintain.wording.languages import say

_QUESTION = Schema(
    columns=(
        Column(name="records", kind="integer", low=1),
        Column(name="predicates", kind="integer", low=1),
    )
)
_MEMBER = Column(name="member", kind="integer", low=0, high=1)


@dataclass(frozen=True, slots=True, eq=False)
class SinglingOutQuestion(Question):
    """How many records the private data have, and how many predicates attackers must name.

    Parameters
    ----------
    data : the columns of the data.
    """

    data: Schema

    @property
    def records(self) -> int:
        """How many records the private data have."""
        return int(self.table.records()[0]["records"])

    @property
    def predicates(self) -> int:
        """How many predicates attackers must name."""
        return int(self.table.records()[0]["predicates"])

    def answer(self, predicates: Sequence[Predicate]) -> Guess:
        """Make a guess from predicates."""
        return Guess(predicate_table(predicates, self.data))

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Name random values of random columns, until a predicate should fit about one record."""
        return self.answer(self.random_predicates(self.predicates, rng=rng))

    def random_predicates(self, count: int, *, rng: np.random.Generator) -> list[Predicate]:
        """Predicates with random values of random columns, each of which should fit one record."""
        records = self.records
        return [self._random_predicate(records, rng) for _ in range(count)]

    def _random_predicate(self, records: int, rng: np.random.Generator) -> Predicate:
        columns = [column for column in self.data.attributes if _can_be_drawn(column)]
        predicate, weight = [], 1.0
        for place in rng.permutation(len(columns)).tolist():
            condition, share = _random_condition(columns[place], rng)
            predicate.append(condition)
            weight *= share
            if weight * records < 1:
                break
        return predicate


@register("singling-out-v1")
class SinglingOut(Goal):
    """Predicates, each of which should fit exactly one record of the private data.

    A predicate is one or more rows with the same number; all its conditions must hold. A row names
    a column and the values ``from`` one end ``to`` the other, both included. For a category, both
    are the same value. An empty end has no limit; if both are empty, the value is missing. The
    records of the population that are not in the private data are controls, and there must be at
    least as many of them.

    Parameters
    ----------
    predicates : how many predicates an attacker must name, numbered from 0.

    References
    ----------
    Cohen and Nissim, Towards formalizing the GDPR's notion of singling out, PNAS 117 (2020).

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, *_ = exercise(q.part("goal/singling-out", predicates=2))
    >>> question.table.records()
    [{'records': 119, 'predicates': 2}]
    >>> truth.table.records()[1]  # the population, and who is in the private data
    {'member': 1, 'colour': 'red', 'size': 0, 'flag': 'yes'}
    """

    asks: ClassVar[type[Question]] = SinglingOutQuestion

    predicates: Annotated[int, Field(ge=1, le=100_000)] = 100

    def require(self, schema: Schema) -> None:
        """No column has the name that marks members, and blind guesses can be drawn from one."""
        super().require(schema)
        if _MEMBER.name in [column.name for column in schema.attributes]:
            raise PartError(f"{self.id} needs the name {_MEMBER.name!r}: rename this column")
        if not any(map(_can_be_drawn, schema.attributes)):
            raise PartError(f"{self.id} needs a column with a finite domain or with bounds")

    def hidden_bits(self, sample: Sample, *, half: bool = False) -> float:
        """Which records of the population are in the private data, if everybody knows how many."""
        return log2_choose(len(sample.population), len(sample.private))

    def wish(self) -> str:
        """Describe the answer: descriptions of single people."""
        return say("descriptions that fit exactly one person in the private data")

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Ask for predicates; keep the population, and who is in the private data."""
        population = plain_view(as_table(sample.population))
        self.require(population.schema)
        if sample.private_rows is None:
            raise PartError(f"{self.id}: the sample design does not tell who is in the data")
        inside = np.zeros(len(population), bool)
        inside[sample.private_rows] = True
        members, others = int(inside.sum()), int((~inside).sum())
        if others < members:
            raise PartError(
                f"{self.id} needs as many records outside the private data as inside; the "
                f"population has {others} and {members}"
            )
        counts = {"records": [members], "predicates": [self.predicates]}
        attributes = [column.name for column in population.schema.attributes]
        truth = {"member": inside, **population.select(attributes).columns}
        return (
            SinglingOutQuestion(Table.of(_QUESTION, counts), population.schema),
            Truth(Table(self.truth_schema(population.schema), truth)),
        )

    def question_schema(self, data: Schema) -> Schema:
        """The number of private records, and how many predicates to name."""
        return _QUESTION

    def truth_schema(self, data: Schema) -> Schema:
        """Whether a record of the population is in the private data, and its attributes."""
        return Schema(columns=(_MEMBER, *plain_schema(data).attributes))

    def guess_schema(self, data: Schema) -> Schema:
        """The number of a predicate, and one of its conditions."""
        return predicate_schema(plain_schema(data))

    def question(self, table: Table, data: Schema) -> Question:
        """Rebuild the question from its file."""
        return SinglingOutQuestion(table, plain_schema(data))

    def question_behind(self, truth: Truth, data: Schema) -> Question | None:
        """Rebuild the question: the truth has the private records."""
        counts = [int((truth.table.columns["member"] == 1).sum())], [self.predicates]
        table = Table.of(_QUESTION, dict(zip(_QUESTION.names, counts, strict=True)))
        return SinglingOutQuestion(table, plain_schema(data))

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Check that all predicates are there, and that each condition can be met."""
        assert isinstance(question, SinglingOutQuestion)
        Conditions.of(guess.table, question.data).faults(question.predicates, faults)


def _can_be_drawn(column: Column) -> bool:
    low, high = column.bounds
    return column.discrete or (low is not None and high is not None)


def _random_condition(column: Column, rng: np.random.Generator) -> tuple[Condition, float]:
    """A random value, or a hundredth of the range of a number; and its share of the domain."""
    if column.discrete:
        (text,) = format_texts(column, rng.integers(column.size, size=1))
        return Condition(column.name, text, text), 1 / column.size
    low, high = column.bounds
    assert low is not None and high is not None  # columns without bounds are not drawn
    width = (high - low) / 100
    start = low + rng.random() * 99 * width
    ends = np.array([start, start + width])
    stored = ends if column.fractional else ends.astype(np.int64) - column.offset
    first, last = format_texts(column, stored)
    return Condition(column.name, first, last), 0.01
