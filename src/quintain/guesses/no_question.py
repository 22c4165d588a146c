"""No question: a contest without attackers, in which measures, a jury or a report decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quintain.data import Schema, Table
from quintain.errors import Faults
from quintain.guesses.goal import TARGET, Goal, Guess, Question, Truth
from quintain.registry import register
from quintain.releases import Release
from quintain.samples import Sample
from quintain.wording.languages import say, tell

_EMPTY = Schema(columns=(TARGET,))


@dataclass(frozen=True, slots=True, eq=False)
class NoQuestion(Question):
    """Asks about nobody."""

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """An answer about nobody."""
        return Guess(self.table)


@register("none-v1")
class NoGoal(Goal):
    """Nobody attacks the releases.

    A track with this goal has no phase for guesses, and no measure that reads guesses. Its boards
    rank by measures of releases, by marks from outside, or by formulas over both.

    >>> from quintain.testing.examples import experiment
    >>> question, truth = NoGoal().ask(*experiment("table"))
    >>> len(question.table), len(truth.table)
    (0, 0)
    """

    shapes: ClassVar[tuple[str, ...]] = (
        "table",
        "transactions",
        "series",
        "people",
        "trajectories",
    )
    asks: ClassVar[type[Question]] = NoQuestion
    asks_nothing: ClassVar[bool] = True

    @classmethod
    def can_see(cls, schema: Schema) -> bool:  # noqa: ARG003 -- every schema
        """Whatever the data are, nobody is asked about them."""
        return True

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """A question about nobody, and its answer."""
        nobody = Table.of(_EMPTY, {"target": []})
        return NoQuestion(nobody), Truth(nobody)

    def question_schema(self, data: Schema) -> Schema:
        """A list of targets, which stays empty."""
        return _EMPTY

    def truth_schema(self, data: Schema) -> Schema:
        """A list of targets, which stays empty."""
        return _EMPTY

    def guess_schema(self, data: Schema) -> Schema:
        """A list of targets, which stays empty."""
        return _EMPTY

    def question(self, table: Table, data: Schema) -> Question:
        """The question about nobody."""
        return NoQuestion(table)

    def hidden_bits(self, sample: Sample, *, half: bool = False) -> float:
        """None: no answer is hidden."""
        return 0.0

    def wish(self) -> str:
        """What attackers want to know: there are none."""
        return say("nothing: nobody attacks the releases")

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Refuse every row of a guess."""
        if len(guess.table):
            faults.add(tell("nobody attacks in this track: leave the answer out"))
