"""Record scores: attacks that give every record of the population a number."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.shadows import without_ids
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Schema, Table, as_table
from quintain.data.arrays import Floats
from quintain.errors import PartError
from quintain.guesses import Guess, MembershipQuestion, MembershipSetQuestion, Question
from quintain.releases import Release


class RecordScores(Attack):
    """Believes in the records with the highest scores.

    Asked how likely targets were in the data, a target's records are averaged and targets are
    ranked. Asked for rows of the population, those with the highest scores are named; equal ones
    at random.

    Attributes
    ----------
    counts_values : it needs a finite domain for every column.
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion, MembershipSetQuestion)
    needs: ClassVar[frozenset[Fact]] = frozenset({"base"})
    counts_values: ClassVar[bool] = True

    @abstractmethod
    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """For each record, the higher the likelier it was in the private data.

        ``records`` is ``base`` itself where rows of the population are asked for. All three have
        the same columns, ids left out.
        """

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Score, then rank."""
        question, released = knowledge.question, as_table(release.data)
        base = without_ids(knowledge.population()).select(released.schema.names)
        self._require_domains(base.schema)
        if isinstance(question, MembershipQuestion):
            records = question.records().select(released.schema.names)
            scores = self.scores(released, base, records, rng=rng)
            return question.answer_by_rank(question.by_target(scores))
        question = knowledge.asked(MembershipSetQuestion)
        scores = self.scores(released, base, base, rng=rng)
        best = np.lexsort((rng.random(len(scores)), -scores))
        return question.answer(best[: question.guesses])

    def _require_domains(self, schema: Schema) -> None:
        advice = schema.open_domains()
        if self.counts_values and advice:
            raise PartError(f"{self.id} needs a finite domain for every column: {advice}")
