"""Reconstruction: which values do people have in several hidden columns, members and others?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from quintain.data import Schema, Table, as_table
from quintain.data.arrays import Array, Mask
from quintain.errors import PartError
from quintain.guesses.attribute import MEMBER, can_be_hidden
from quintain.guesses.goal import (
    TARGET,
    Guess,
    Question,
    Truth,
    answer_rows,
    entropy_bits,
    known_columns,
    target_table,
)
from quintain.guesses.hidden_columns import HiddenColumns, HiddenColumnsQuestion
from quintain.registry import register
from quintain.releases import Release
from quintain.samples import Sample


@dataclass(frozen=True, slots=True, eq=False)
class ReconstructionQuestion(HiddenColumnsQuestion):
    """The known columns of the targets, of whom attackers do not know who was in the data."""


@register("reconstruction-v1")
class Reconstruction(HiddenColumns):
    """The values of several hidden columns for each target, of whom other columns are known.

    This is ``attribute`` for several columns at once, and ``hidden-columns`` with a control group:
    targets who were not in the private data. What attackers rebuild of the controls shows
    correlation in the population, which the release teaches; what they rebuild of the members
    beyond that, the release remembers.

    Parameters
    ----------
    columns : the hidden columns; each must have a finite domain, or be a number with bounds.
    knows : the columns that attackers know; all others if not given.

    References
    ----------
    Allard et al., SNAKE challenge (2023), reconstruction as the third goal of attackers. NIST
    Collaborative Research Cycle 2025, and the comparison of attacks in arXiv:2606.08372, for the
    test of what is memorised.

    >>> import quintain as q
    >>> from quintain.testing.examples import experiment
    >>> question, truth = q.part("reconstruction", columns=["colour", "flag"]).ask(*experiment())
    >>> question.table.records()[0]
    {'target': 0, 'size': 1}
    >>> truth.table.records()[0]
    {'target': 0, 'member': 1, 'colour': 'green', 'flag': 'no'}
    """

    asks: ClassVar[type[Question]] = ReconstructionQuestion

    @classmethod
    def examples(cls) -> list[Self]:
        """Two columns of the example table, and a number with a single known column."""
        return [cls(columns=("colour", "flag")), cls(columns=("size",), knows=("flag",))]

    def hidden_bits(self, sample: Sample, *, half: bool = False) -> float:
        """The entropies of the hidden columns in the population, for every target record."""
        population = as_table(sample.population)
        bits = sum(entropy_bits(population.columns[name]) for name in self.columns)
        return len(sample.target_rows) * bits

    def wish(self) -> str:
        """Describe the hidden columns."""
        known = "other columns" if self.knows is None else ", ".join(self.knows)
        return f"the values of {', '.join(self.columns)} for each target, of whom {known} are known"

    def require(self, schema: Schema) -> None:
        """The hidden columns must have finite domains or bounds, and something must be known."""
        super(HiddenColumns, self).require(schema)
        names = [column.name for column in schema.attributes if can_be_hidden(column)]
        faults = [name for name in self.columns if name not in names]
        if faults:
            raise PartError(
                f"{', '.join(map(repr, faults))}: not a column with a finite domain or a bounded "
                f"number; available: {', '.join(names) or 'none'}"
            )
        known_columns(self.id, schema, self.knows, self.columns)

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Show the known columns of all targets; keep the hidden ones, and who is a member."""
        population = as_table(sample.population)
        self.require(population.schema)
        rows = sample.target_rows
        each = np.arange(len(rows))
        names = self.question_schema(population.schema).names
        shown = target_table(population, rows, each).select(names)
        truth = {"target": each, "member": sample.members[sample.target_of]}
        truth |= {name: population.columns[name][rows] for name in self.columns}
        question = self.question(shown, population.schema)
        return question, Truth(Table(self.truth_schema(population.schema), truth))

    def truth_schema(self, data: Schema) -> Schema:
        """The name of the target, whether it is a member, and its hidden values."""
        return Schema(columns=(TARGET, MEMBER, *self.secrets(data)))

    def question(self, table: Table, data: Schema) -> Question:
        """Rebuild the question from its file."""
        return ReconstructionQuestion(table, self.secrets(data))


@dataclass(frozen=True, slots=True, eq=False)
class RebuiltColumn:
    """One hidden column of a truth beside its guess, in the order of the truth.

    Parameters
    ----------
    width : how far the bounds of a number are apart; None for a category.
    """

    name: str
    values: Array
    guesses: Array
    width: float | None


def rebuilt_columns(truth: Truth, guess: Guess) -> tuple[Mask, tuple[RebuiltColumn, ...]]:
    """Who is a member, and each hidden column with its guesses."""
    position = answer_rows(truth.table, guess.table)
    columns = []
    for column in truth.table.schema.columns[2:]:
        width = None
        if column.numeric:
            assert column.low is not None and column.high is not None  # the goal refuses others
            width = float(column.high) - float(column.low)
        values, guesses = truth.table.columns[column.name], guess.table.columns[column.name]
        columns.append(RebuiltColumn(column.name, values, guesses[position], width))
    return np.asarray(truth.table.columns["member"] == 1), tuple(columns)
