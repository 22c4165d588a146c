"""Likeliest value: try each value of a hidden column, and ask the model which fits the label."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Table, as_model
from quintain.data.arrays import Floats
from quintain.errors import KnowledgeError
from quintain.guesses import AttributeQuestion, Guess, Question
from quintain.kernels.classifiers import label_confidence
from quintain.registry import register
from quintain.releases import Release


@register("likeliest-value-v1")
class LikeliestValue(Attack):
    """Guesses the value with which the model is surest of a target's known label.

    It asks about each target once per value of the hidden column, and multiplies the confidence in
    the label by the share of the value in the population, where attackers know it. They must know
    the label and every other column that the model reads.

    References
    ----------
    Fredrikson, Jha and Ristenpart (2015), Model inversion attacks that exploit confidence
    information and basic countermeasures.

    >>> import numpy as np
    >>> import quintain as q
    >>> everybody = q.part("adult", rows=400).data(np.random.default_rng(1))
    >>> release = q.sanitize("train-forest", everybody.take(range(200)), label="income", seed=1)
    >>> targets = everybody.take(range(100)).drop("relationship")
    >>> known = {"targets": targets, "population": everybody, "secret": "relationship"}
    >>> guess = q.attack("likeliest-value", release, **known, seed=0)
    >>> right = guess.table.columns["relationship"] == everybody.columns["relationship"][:100]
    >>> f"{right.mean():.0%} are right; the most common value would be in 38%"
    '44% are right; the most common value would be in 38%'
    """

    answers: ClassVar[tuple[type[Question], ...]] = (AttributeQuestion,)
    shapes: ClassVar[tuple[str, ...]] = ("model",)

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """The likeliest value for each target; the first of those that are equally likely."""
        question, model = knowledge.question_as(AttributeQuestion), as_model(release.data)
        names, secret = model.schema.records.names, question.secret
        unknown = [n for n in names if n not in question.table.schema.names and n != secret.name]
        if secret.name not in names or secret.name == model.form.label or unknown:
            raise KnowledgeError(
                f"{self.id}: the model reads {secret.name!r} only if it is one of its columns and "
                f"not its label, and attackers must know all others; unknown: {unknown or 'none'}"
            )
        sure = label_confidence(model, question.candidates().select(names))
        fits = sure.reshape(-1, secret.size)
        if knowledge.base is not None:
            fits = fits * _shares(knowledge.population(), secret.name, secret.size)
        return question.answer(fits.argmax(axis=1))


def _shares(population: Table, name: str, size: int) -> Floats:
    """How common each value is; one that nobody has counts as half a person."""
    codes = population.columns[name]
    counts = np.bincount(codes[codes >= 0].astype(np.int64), minlength=size)
    return np.asarray(np.maximum(counts, 0.5) / max(len(codes), 1))
