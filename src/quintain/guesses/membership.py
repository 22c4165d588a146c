"""Membership: how likely is it that each target was in the private data?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from quintain.data import Column, Schema, Series, Table
from quintain.data.arrays import distinct
from quintain.data.columns import Columns
from quintain.data.people import People
from quintain.data.shape import find_shape
from quintain.errors import Faults
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
from quintain.guesses.known_people import known_people
from quintain.kernels.ranks import average_ranks
from quintain.registry import register
from quintain.releases import Release
from quintain.samples import Sample
from quintain.wording.languages import say

_MEMBER = Column(name="member", kind="integer", low=0, high=1)
_PROBABILITY = Column(name="probability", kind="real", low=0, high=1)
_TRUTH = Schema(columns=(TARGET, _MEMBER))
_GUESS = Schema(columns=(TARGET, _PROBABILITY))


@dataclass(frozen=True, slots=True, eq=False)
class MembershipQuestion(Question):
    """The target records, one or more rows per target."""

    def targets(self) -> npt.NDArray[np.str_]:
        """The names of the targets, sorted."""
        return distinct(self.table.columns["target"].astype(np.str_))

    def target_of_row(self) -> npt.NDArray[np.int64]:
        """The position in :meth:`targets` of each target record."""
        names = self.table.columns["target"].astype(np.str_)
        return np.unique(names, return_inverse=True)[1].astype(np.int64)

    def records(self) -> Table:
        """The target records without the names of the targets."""
        return self.table.drop("target")

    def candidates(self) -> Table:
        """The target records: to ask a model about them is to ask about the targets."""
        return self.records()

    def series(self) -> Series:
        """Arrange the records as one time series per target, in the order of :meth:`targets`."""
        person = TARGET.model_copy(update={"role": "person"})
        schema = Schema(shape="series", columns=(person, *self.records().schema.columns))
        order = np.argsort(self.target_of_row(), kind="stable")
        rows = Series.from_rows(Columns(schema, self.table.take(order).columns))
        # A person without rows was shown as one row in which everything is missing.
        empty = (rows.lengths == 1) & np.isnan(rows.values[rows.offsets[1:] - 1]).all(axis=1)
        offsets = np.concatenate([[0], np.cumsum(np.where(empty, 0, rows.lengths))])
        kept = ~np.repeat(empty, rows.lengths)
        return Series(rows.schema, rows.ids, offsets, rows.values[kept])

    def people(self, data: Schema) -> People:
        """The targets with all their rows, in the order of :meth:`targets`.

        Parameters
        ----------
        data : the schema of the data, which says how their tables belong together.
        """
        return known_people(self.table, data)

    def by_target(self, scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Average the scores of records over each target."""
        owner = self.target_of_row()
        return np.bincount(owner, np.asarray(scores, float)) / np.bincount(owner)

    def answer(self, probabilities: npt.ArrayLike) -> Guess:
        """Make a guess from one probability per target, in the order of :meth:`targets`."""
        clipped = np.clip(np.asarray(probabilities, float), 0.0, 1.0)
        return Guess(Table(_GUESS, {"target": self.targets(), "probability": clipped}))

    def answer_by_rank(self, scores: npt.ArrayLike) -> Guess:
        """Make a guess from scores on any scale: the upper half is guessed to be members.

        Half of the targets are members on average. Equal scores share a rank.
        """
        ranks = average_ranks(scores)
        return self.answer((ranks - 0.5) / len(ranks))

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Give each target a random probability."""
        return self.answer(rng.random(len(self.targets())))


@register("membership-v1")
class Membership(Goal):
    """For each target, the probability that its records were in the private data.

    >>> import quintain as q
    >>> from quintain.testing.examples import experiment
    >>> question, truth = q.part("goal/membership").ask(*experiment())
    >>> question.table.records()[0]
    {'target': 0, 'colour': 'green', 'size': 1, 'flag': 'no'}
    >>> truth.table.records()[0]
    {'target': 0, 'member': 1}
    """

    asks: ClassVar[type[Question]] = MembershipQuestion
    by_target: ClassVar[bool] = True
    shapes: ClassVar[tuple[str, ...]] = ("table", "series", "people")

    def wish(self) -> str:
        """Describe the answer: which targets are members."""
        return say("which targets were in the private data")

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Show the target records; keep who is a member."""
        shown = target_table(sample.population, sample.target_rows, sample.target_of)
        truth = {"target": np.arange(len(sample.members)), "member": sample.members}
        return MembershipQuestion(shown), Truth(Table(_TRUTH, truth))

    def question_schema(self, data: Schema) -> Schema:
        """The name of the target and all attributes; persons without rows miss all of these."""
        return Schema(columns=(TARGET, *find_shape(data.shape).shown_columns(data)))

    def truth_schema(self, data: Schema) -> Schema:
        """The name of the target, and 1 if it is a member, otherwise 0."""
        return _TRUTH

    def guess_schema(self, data: Schema) -> Schema:
        """The name of the target, and the probability that it is a member."""
        return _GUESS

    def question(self, table: Table, data: Schema) -> Question:
        """Rebuild the question from its file."""
        return MembershipQuestion(table)

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Check that every target is answered once; the schema checks the probabilities."""
        check_targets(guess.table, question.table, faults)


def members_and_scores(
    truth: Truth, guess: Guess
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """Who is a member, and the guessed probabilities, in the order of the truth."""
    position = answer_rows(truth.table, guess.table)
    return truth.table.columns["member"] == 1, guess.table.columns["probability"][position]
