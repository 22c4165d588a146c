"""Membership: how likely is it that each target was in the private data?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from quintain.data import Column, Schema, Series, Table
from quintain.data.schema import Shape
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
from quintain.kernels.ranks import average_ranks
from quintain.registry import register
from quintain.releases import Release
from quintain.samples import Sample

_MEMBER = Column(name="member", kind="integer", low=0, high=1)
_PROBABILITY = Column(name="probability", kind="real", low=0, high=1)
_TRUTH = Schema(columns=(TARGET, _MEMBER))
_GUESS = Schema(columns=(TARGET, _PROBABILITY))


@dataclass(frozen=True, slots=True, eq=False)
class MembershipQuestion(Question):
    """The target records: one or more rows a target."""

    def targets(self) -> npt.NDArray[np.str_]:
        """The names of the targets, sorted."""
        return np.unique(self.table.columns["target"].astype(np.str_))

    def target_of_row(self) -> npt.NDArray[np.int64]:
        """For every target record its position in :meth:`targets`."""
        names = self.table.columns["target"].astype(np.str_)
        return np.unique(names, return_inverse=True)[1].astype(np.int64)

    def records(self) -> Table:
        """The target records without their names."""
        return self.table.drop("target")

    def series(self) -> Series:
        """The target records as one time series a target, in the order of :meth:`targets`."""
        person = TARGET.model_copy(update={"role": "person"})
        schema = Schema(shape="series", columns=(person, *self.records().schema.columns))
        order = np.argsort(self.target_of_row(), kind="stable")
        return Series.from_rows(Table(schema, self.table.take(order).columns))

    def by_target(self, scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Scores of records averaged over each target."""
        owner = self.target_of_row()
        return np.bincount(owner, np.asarray(scores, float)) / np.bincount(owner)

    def answer(self, probabilities: npt.ArrayLike) -> Guess:
        """A guess from one probability a target, in the order of :meth:`targets`."""
        clipped = np.clip(np.asarray(probabilities, float), 0.0, 1.0)
        return Guess(Table(_GUESS, {"target": self.targets(), "probability": clipped}))

    def answer_by_rank(self, scores: npt.ArrayLike) -> Guess:
        """A guess from scores of any scale: the upper half is said to be in.

        Coins are fair, so half of the targets are members on average; ties share a rank.
        """
        ranks = average_ranks(scores)
        return self.answer((ranks - 0.5) / len(ranks))

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Uniform random probabilities."""
        return self.answer(rng.random(len(self.targets())))


@register("membership-v1")
class Membership(Goal):
    """For each target, the probability that its records were in the private data."""

    asks: ClassVar[type[Question]] = MembershipQuestion
    shapes: ClassVar[tuple[Shape, ...]] = ("table", "series")

    def wanted(self) -> str:
        """Name what the answer tells."""
        return "which targets were in the private data"

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Show the target records; keep who was in."""
        shown = target_table(sample.population, sample.target_rows, sample.target_of)
        truth = {"target": np.arange(len(sample.members)), "member": sample.members}
        return MembershipQuestion(shown), Truth(Table(_TRUTH, truth))

    def question_schema(self, data: Schema) -> Schema:
        """The target's name and every attribute."""
        return Schema(columns=(TARGET, *data.attributes))

    def truth_schema(self, data: Schema) -> Schema:
        """target, member (0 or 1)."""
        return _TRUTH

    def guess_schema(self, data: Schema) -> Schema:
        """target, probability."""
        return _GUESS

    def question(self, table: Table, data: Schema) -> Question:
        """A question from its file."""
        return MembershipQuestion(table)

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Every target once; the probabilities are in range by the schema."""
        check_targets(guess.table, question.table, faults)


def members_and_scores(
    truth: Truth, guess: Guess
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """Truth and guess of one release, side by side in the order of the truth."""
    position = answer_rows(truth.table, guess.table)
    return truth.table.columns["member"] == 1, guess.table.columns["probability"][position]
