"""Exact match: targets with exactly the same records in the release are guessed to be members."""

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
    """Guesses that a target is a member if the release contains exactly the same records.

    Real numbers and times must be equal to the last digit. Two missing values are equal.

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> release = pa.table({"sex": ["f", "m"], "age": [30, 61]})
    >>> targets = pa.table({"sex": ["m", "f"], "age": [61, 31]})
    >>> guess = q.attack("exact-match", release, targets=targets, seed=0)
    >>> guess.table.columns["probability"].tolist()  # only the first target is released
    [1.0, 0.0]
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion, MembershipSetQuestion)

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Look up each target record in the release."""
        question = knowledge.question
        released = as_table(release.data)
        if isinstance(question, MembershipQuestion):
            return question.answer(question.by_target(occurs(question.records(), released)))
        question = knowledge.question_as(MembershipSetQuestion)
        base = knowledge.population()
        hits = rng.permutation(np.flatnonzero(occurs(base, released)))
        others = rng.permutation(np.setdiff1d(np.arange(len(base)), hits))
        return question.answer(np.concatenate([hits, others])[: question.guesses])


def occurs(records: Table, release: Table) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which records occur in the release with all values equal."""
    both = records.select(release.schema.names).concat(release)
    keys = both.row_keys()
    return np.isin(keys[: len(records)], keys[len(records) :])
