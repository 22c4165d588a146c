"""Exact match: targets whose records are in the release word for word are called members."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Table, as_table
from quintain.guesses import Guess, MembershipQuestion, MembershipSetQuestion, Question
from quintain.registry import register
from quintain.releases import Release


@register("exact-match-v1")
class ExactMatch(Attack):
    """Says that a target was in the private data if its very records are in the release."""

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion, MembershipSetQuestion)

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Look every target record up in the release."""
        question = knowledge.question
        released = as_table(release.data)
        if isinstance(question, MembershipQuestion):
            return question.answer(question.by_target(occurs(question.records(), released)))
        question = knowledge.asked(MembershipSetQuestion)
        base = knowledge.population()
        hits = rng.permutation(np.flatnonzero(occurs(base, released)))
        others = rng.permutation(np.setdiff1d(np.arange(len(base)), hits))
        return question.answer(np.concatenate([hits, others])[: question.guesses])


def occurs(records: Table, release: Table) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which records occur in the release, value for value."""
    both = records.select(release.schema.names).concat(release)
    keys = both.row_keys()
    return np.isin(keys[: len(records)], keys[len(records) :])
