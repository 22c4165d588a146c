"""Likeliest value: try each value of a hidden column, and ask the model which fits the label."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Schema, Table, as_model
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
    the label. Another column that they do not know gets its middle value in the population.

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
        if secret.name not in (column.name for column in model.form.inputs):
            raise KnowledgeError(f"{self.id}: the model does not read {secret.name!r}")
        tried = question.candidates()
        unknown = [name for name in names if name not in tried.schema.names]
        if model.form.label in unknown:
            raise KnowledgeError(f"{self.id}: attackers do not know {model.form.label!r}")
        if unknown:
            tried = _fill(tried, knowledge.population().select(unknown))
        sure = label_confidence(model, tried.select(names))
        fits = sure.reshape(-1, secret.size)
        if knowledge.base is not None:
            fits = fits * _shares(knowledge.population(), secret.name, secret.size)
        return question.answer(fits.argmax(axis=1))


def _fill(records: Table, population: Table) -> Table:
    """The records with more columns, each with the middle value of the population."""
    middle = (len(population) - 1) // 2
    more = {
        name: np.full(len(records), np.sort(values)[middle])
        for name, values in population.columns.items()
    }
    schema = Schema(columns=(*records.schema.columns, *population.schema.columns))
    return Table(schema, {**records.columns, **more})


def _shares(population: Table, name: str, size: int) -> Floats:
    """How common each value is; one that nobody has counts as half a person."""
    codes = population.columns[name]
    counts = np.bincount(codes[codes >= 0].astype(np.int64), minlength=size)
    return np.asarray(np.maximum(counts, 0.5) / max(len(codes), 1))
