"""Hidden columns: which values does each person have in several columns that are not known?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from quintain.data import Column, Schema, Table, as_table
from quintain.data.arrays import Codes
from quintain.data.schema import ColumnNames
from quintain.errors import Faults, PartError
from quintain.guesses.attribute import AttributeQuestion, random_values
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


@dataclass(frozen=True, slots=True, eq=False)
class HiddenColumnsQuestion(Question):
    """The known columns of the people in the private data.

    Parameters
    ----------
    secrets : the hidden columns and their domains.
    """

    secrets: tuple[Column, ...]

    def records(self) -> Table:
        """The known columns, without the names of the targets."""
        return self.table.drop("target")

    def about_one(self, secret: Column) -> AttributeQuestion:
        """Ask the same people about a single hidden column."""
        return AttributeQuestion(self.table, secret)

    def answer(self, codes: Mapping[str, npt.ArrayLike]) -> Guess:
        """Make a guess from one code per person, for each hidden column."""
        columns = {"target": self.table.columns["target"]}
        columns |= {secret.name: np.asarray(codes[secret.name]) for secret in self.secrets}
        return Guess(Table(Schema(columns=(TARGET, *self.secrets)), columns))

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Guess every value of a column with the same probability."""
        people = len(self.table)
        return self.answer({s.name: random_values(s, people, rng=rng) for s in self.secrets})


@register("hidden-columns-v1")
class HiddenColumns(Goal):
    """The values of several hidden columns for everybody in the private data.

    Attackers know the other columns of these people, or those in ``knows``. There is no control
    group: a part of the right guesses comes from correlation in the population, and chance alone
    gives some. To measure a leak against a control group, use the goal reconstruction.

    Parameters
    ----------
    columns : the hidden columns; each must have a finite domain.
    knows : the columns that attackers know; all others if not given.

    References
    ----------
    PWS Cup 2023: 6 known columns, 10 hidden ones.

    >>> import quintain as q
    >>> from quintain.testing.examples import experiment
    >>> question, truth = q.part("hidden-columns", columns=["colour", "flag"]).ask(*experiment())
    >>> question.table.records()[0]
    {'target': 0, 'size': 1}
    >>> truth.table.records()[0]
    {'target': 0, 'colour': 'green', 'flag': 'no'}
    """

    asks: ClassVar[type[Question]] = HiddenColumnsQuestion
    by_target: ClassVar[bool] = True
    in_population: ClassVar[bool] = True

    columns: ColumnNames
    knows: ColumnNames | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """Two columns of the example table, and one of them with a single known column."""
        return [cls(columns=("colour", "flag")), cls(columns=("flag",), knows=("size",))]

    def hidden_bits(self, sample: Sample, *, half: bool = False) -> float:
        """The entropies of the hidden columns in the private data, for every person."""
        private = as_table(sample.private)
        return len(private) * sum(entropy_bits(private.columns[name]) for name in self.columns)

    def wish(self) -> str:
        """Describe the hidden columns."""
        return say(
            "the values of %(columns)s for everybody in the private data",
            columns=say_commas(self.columns),
        )

    def require(self, schema: Schema) -> None:
        """The hidden columns must have finite domains, and something must be known."""
        super().require(schema)
        names = [column.name for column in schema.attributes if column.discrete]
        for name in self.columns:
            if name not in names:
                raise PartError(
                    f"{name!r} is not a column with a finite domain; "
                    f"available: {', '.join(names) or 'none'}"
                )
        known_columns(self.id, schema, self.knows, self.columns)

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Show the known columns of the members; keep their hidden values."""
        population = as_table(sample.population)
        self.require(population.schema)
        rows = sample.target_rows[sample.members[sample.target_of]]
        each = np.arange(len(rows))
        known = known_columns(self.id, population.schema, self.knows, self.columns)
        shown = target_table(population, rows, each).select(["target", *known])
        truth = {"target": each}
        truth |= {name: population.columns[name][rows] for name in self.columns}
        question = HiddenColumnsQuestion(shown, self.secrets(population.schema))
        return question, Truth(Table(self.truth_schema(population.schema), truth))

    def secrets(self, data: Schema) -> tuple[Column, ...]:
        """The hidden columns with their domains."""
        return tuple(data[name] for name in self.columns)

    def question_schema(self, data: Schema) -> Schema:
        """The name of the target and the known columns."""
        known = known_columns(self.id, data, self.knows, self.columns)
        return data.select(list(known)).extended(TARGET)

    def truth_schema(self, data: Schema) -> Schema:
        """The name of the target and its hidden values."""
        return self.guess_schema(data)

    def guess_schema(self, data: Schema) -> Schema:
        """The name of the target and the guessed values."""
        return Schema(columns=(TARGET, *self.secrets(data)))

    def question(self, table: Table, data: Schema) -> Question:
        """Rebuild the question from its file."""
        return HiddenColumnsQuestion(table, self.secrets(data))

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Check that everybody is answered once; the schema checks the values."""
        check_targets(guess.table, question.table, faults)


def cells_right(truth: Truth, guess: Guess) -> Codes:
    """For every person of the truth, how many of the hidden values are guessed right."""
    position = answer_rows(truth.table, guess.table)
    right = np.zeros(len(truth.table), np.int32)
    for name in guess.table.schema.names[1:]:
        right += truth.table.columns[name] == guess.table.columns[name][position]
    return right
