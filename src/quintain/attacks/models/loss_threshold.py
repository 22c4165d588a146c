"""Loss threshold: a model is surer of the labels of the records that it learned from."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import as_model
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.kernels.classifiers import label_confidence
from quintain.registry import register
from quintain.releases import Release


@register("loss-threshold-v1")
class LossThreshold(Attack):
    """Guesses that a target is a member if the model is sure of the target's true label.

    It needs nothing but the model and the targets.

    References
    ----------
    Yeom, Giacomelli, Fredrikson and Jha (2018), Privacy risk in machine learning: analyzing the
    connection to overfitting.

    >>> import numpy as np
    >>> import quintain as q
    >>> everybody = q.part("adult", rows=120).data(np.random.default_rng(1))
    >>> forest = q.part("train-forest", label="income", trees=10)
    >>> release = q.sanitize(forest, everybody.take(range(60)), seed=1)
    >>> known = {"targets": everybody.take(range(40, 80)), "population": everybody}
    >>> guess = q.attack("loss-threshold", release, **known, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 20 + [False] * 20)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.69; chance is 0.50'
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)
    shapes: ClassVar[tuple[str, ...]] = ("model",)

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Rank the targets by the confidence in their labels."""
        question = knowledge.question_as(MembershipQuestion)
        sure = label_confidence(as_model(release.data), question.records())
        return question.answer_by_rank(question.by_target(np.log(sure)))
