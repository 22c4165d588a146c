"""DP-SGD: a network whose training hides every single record in noise."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.accounting.subsampled_gaussian import sigma_of_steps
from quintain.data import Schema, Table, TrainedModel
from quintain.data.arrays import Floats, Ints
from quintain.data.models import labels, variables
from quintain.kernels.dense_layers import (
    AdamSteps,
    count_parameters,
    layer_tensors,
    record_gradients,
    start_parameters,
)
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Claim
from quintain.sanitizers.models.plain_trainers import Width
from quintain.sanitizers.models.trainer import Trainer

_FINENESS = 1 << 16
"""How many steps of the grid the length of a clipped gradient has. Gradients are rounded to whole
numbers on it, so that their sum and the noise are exact."""


@register("train-dp-sgd-v1")
class TrainDpSgd(Trainer):
    """Publishes a network that was trained with differential privacy (DP-SGD).

    In each step every record takes part with probability ``rate``, by a secret coin. The gradient
    of each record is cut to length ``clip`` and rounded to a grid; the sum gets discrete Gaussian
    noise. The noise is the smallest with which all steps cost ``epsilon`` and ``delta``
    (:mod:`quintain.accounting.subsampled_gaussian`). Rounding can lengthen a gradient by half the
    square root of the number of weights, in steps of the grid, and the noise covers it. Steps are
    Adam's, which do not depend on the number of records. The claim is for adding or removing one
    record, with the domain of the schema.

    Parameters
    ----------
    label : the category that the model predicts from all other columns.
    epsilon, delta : the privacy loss of the whole training.
    hidden : the number of units in each hidden layer; none trains a logistic regression.
    steps : how many steps.
    rate : the probability that a record takes part in a step.
    clip : the length to which the gradient of a record is cut.
    speed : how far a step goes.

    References
    ----------
    Abadi and others (2016), Deep learning with differential privacy.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> release = q.sanitize("train-dp-sgd", people(example_table()), label="flag", steps=5, seed=1)
    >>> print(release.facts())
    claimed: epsilon 1, delta 1e-05, one row added or removed, public domain; a test that ...
    """

    epsilon: Annotated[float, Field(gt=0, le=1000)] = 1.0
    delta: Annotated[float, Field(gt=0, lt=0.1)] = 1e-5
    hidden: Annotated[tuple[Width, ...], Field(max_length=3)] = (16,)
    steps: Annotated[int, Field(ge=1, le=100_000)] = 150
    rate: Annotated[float, Field(gt=0, le=1)] = 0.1
    clip: Annotated[float, Field(gt=0, le=1000)] = 1.0
    speed: Annotated[float, Field(gt=0, le=1)] = 0.01

    def claim_for(self, schema: Schema) -> Claim:
        """Claim approximate differential privacy, one record added or removed."""
        return Claim(epsilon=self.epsilon, delta=self.delta)

    def train(self, records: Table, *, rng: np.random.Generator, noise: Noise) -> TrainedModel:
        """Noisy steps; every coin that protects people comes from the noise."""
        form = self.form(records.schema)
        inputs, known = variables(form, records), labels(form, records)
        sizes = [inputs.shape[1], *self.hidden, len(form.classes)]
        longest = _FINENESS + np.sqrt(count_parameters(sizes)) / 2
        sigma = longest * sigma_of_steps(self.rate, self.epsilon, self.steps, self.delta)
        parameters = start_parameters(sizes, rng=rng)
        adam = AdamSteps(len(parameters), self.speed)
        for _ in range(self.steps):
            chosen = np.flatnonzero(noise.bernoulli(self.rate, len(known)))
            gradients = record_gradients(parameters, sizes, inputs[chosen], known[chosen])
            total = self._clip(gradients).sum(axis=0)
            noisy = total + noise.gaussian(sigma, len(parameters))
            parameters = parameters + adam.step(noisy / _FINENESS)
        return TrainedModel.from_tensors(form, layer_tensors(parameters, sizes))

    def _clip(self, gradients: Floats) -> Ints:
        """Cut gradients to the length of the grid, in its whole steps."""
        length = np.sqrt((gradients**2).sum(axis=1, keepdims=True))
        scale = _FINENESS / np.maximum(length, self.clip)
        whole: Ints = np.rint(gradients * scale).astype(np.int64)
        return whole

    def recipe(self) -> str:
        """The layers, the steps and the clipping."""
        layers = " and ".join(map(str, self.hidden)) or "no"
        used = f"each record in a step with probability {self.rate:g}"
        return (
            f"DP-SGD: {layers} hidden units, {self.steps} steps, {used}, clipped at {self.clip:g}"
        )
