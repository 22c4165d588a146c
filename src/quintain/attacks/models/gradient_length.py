"""Gradient length: training has stopped pulling at the records that a model learned from."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import as_model
from quintain.errors import KnowledgeError
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.kernels.classifiers import gradients_at
from quintain.registry import register
from quintain.releases import Release


@register("gradient-length-v1")
class GradientLength(Attack):
    """Guesses that a target is a member if its loss hardly changes with the weights.

    It needs the weights: it computes the gradient of the loss of each target at the released model
    and guesses by its length. A forest has no gradients.

    References
    ----------
    Nasr, Shokri and Houmansadr (2019), Comprehensive privacy analysis of deep learning: passive and
    active white-box inference attacks.

    >>> import numpy as np
    >>> import quintain as q
    >>> everybody = q.part("adult", rows=120).data(np.random.default_rng(1))
    >>> network = q.part("train-network", label="income")
    >>> release = q.sanitize(network, everybody.take(range(60)), seed=1)
    >>> known = {"targets": everybody.take(range(40, 80)), "population": everybody}
    >>> guess = q.attack("gradient-length", release, **known, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 20 + [False] * 20)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.64; chance is 0.50'
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)
    needs: ClassVar[frozenset[Fact]] = frozenset({"weights"})
    shapes: ClassVar[tuple[str, ...]] = ("model",)

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Rank the targets by the length of their gradients; the shortest comes first."""
        question, model = knowledge.question_as(MembershipQuestion), as_model(release.data)
        if model.architecture == "forest":
            raise KnowledgeError(f"{self.id}: a forest has no gradients; attack it by its answers")
        length = np.linalg.norm(gradients_at(model, question.records()), axis=1)
        return question.answer_by_rank(question.by_target(-length))
