"""An example plugin: importing this module registers its attack."""

from typing import ClassVar

import numpy as np

from quintain.attacks import Attack, Knowledge
from quintain.data import as_table
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.registry import register
from quintain.releases import Release


@register("popular-v1")
class Popular(Attack):
    """Says that people with a rare combination in the release were in the data."""

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)

    columns: int = 2

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Score a target by how often its first columns occur among the released ones."""
        question, released = knowledge.question_as(MembershipQuestion), as_table(release.data)
        names = released.schema.names[: self.columns]
        both = question.records().select(names).concat(released.select(names)).row_keys()
        counts = np.bincount(both[len(question.table) :], minlength=int(both.max()) + 1)
        seen = counts[both[: len(question.table)]]
        return question.answer_by_rank(question.by_target(np.where(seen > 0, 1 / (1 + seen), 0.0)))
