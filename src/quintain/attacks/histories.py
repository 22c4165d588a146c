"""Histories: recognises people by all their rows together."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import as_trees
from quintain.guesses import Guess, MembershipQuestion, NamingQuestion, Question
from quintain.kernels.histories import recognise
from quintain.registry import register
from quintain.releases import Release


@register("histories-v1")
class WholeHistories(Attack):
    """Finds for each target the pseudonym whose rows are most like the rows of the target.

    Rows become counts of values, and the score of a target beside a pseudonym is the logarithm of a
    Bayes factor: how much more probable the known rows are if both are the same person. Which
    columns help is learned from the release alone. For membership, the answer is how clearly one
    pseudonym stands out. If targets may be absent, a target gets a pseudonym only if it fits better
    than nobody.

    References
    ----------
    Fellegi and Sunter, A theory for record linkage, JASA 64 (1969). de Montjoye et al., Unique in
    the crowd, Scientific Reports 3 (2013).

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, _, release = exercise(q.part("naming"), "people")
    >>> attack = q.part("attack/histories")
    >>> guess = attack.infer(q.Knowledge(question), release, rng=np.random.default_rng(0))
    >>> right = guess.table.columns["pseudonym"] == truth.table.columns["pseudonym"]
    >>> f"{right.sum()} of {len(right)} people named"
    '10 of 10 people named'
    """

    shapes: ClassVar[tuple[str, ...]] = ("people",)
    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion, NamingQuestion)

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Compare every target with every pseudonym."""
        shown = as_trees(release.data)
        question = knowledge.question
        if isinstance(question, NamingQuestion):
            known = question.people(shown.schema)
            if not known.size or not len(shown):
                return question.blind(rng=rng)
            best = recognise(known, shown.people.loose(), rng=rng, whole=question.whole)
            assert shown.people.keys is not None  # trees have keys
            names = shown.people.keys[best.first]
            return question.answer(np.where((best.margin > 0) | (not question.absent), names, ""))
        targets = knowledge.question_as(MembershipQuestion)
        known = targets.people(shown.schema)
        return targets.answer_by_rank(recognise(known, shown.people.loose(), rng=rng).margin)
