"""Torch trainer: a network that PyTorch trains, with dropout and decay against remembering."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.data import Table, TrainedModel
from quintain.data.models import labels, variables
from quintain.errors import MissingExtra
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.models.plain_trainers import Width
from quintain.sanitizers.models.trainer import Trainer
from quintain.sanitizers.synthetic.pategan.generator import one_thread


@register("train-torch-v1")
class TrainTorch(Trainer):
    """Publishes a network of the label that PyTorch trained (extra ``torch``).

    Steps are those of AdamW. Dropout and decay make it remember less of single records, and promise
    nothing; ``train-dp-sgd`` does. The same seed gives the same weights on the same kind of
    machine.

    Parameters
    ----------
    label : the category that the model predicts from all other columns.
    hidden : the number of units in each hidden layer; none trains a logistic regression.
    epochs : how often every record is used.
    batch : how many records each step uses.
    speed : how far a step goes.
    dropout : the share of hidden units that are left out at random in each step.
    decay : how strongly each step pulls the weights towards zero.

    References
    ----------
    Srivastava and others (2014), Dropout: a simple way to prevent neural networks from overfitting.
    Loshchilov and Hutter (2019), Decoupled weight decay regularization.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> records = people(example_table())
    >>> q.sanitize("train-torch", records, label="flag", hidden=[8], epochs=2, seed=1).data
    <Model network: flag from 5 variables, 66 numbers>
    """

    hidden: Annotated[tuple[Width, ...], Field(max_length=3)] = (32,)
    epochs: Annotated[int, Field(ge=1, le=10_000)] = 30
    batch: Annotated[int, Field(ge=1, le=100_000)] = 32
    speed: Annotated[float, Field(gt=0, le=1)] = 0.005
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    decay: Annotated[float, Field(ge=0, le=1)] = 0.0

    def train(self, records: Table, *, rng: np.random.Generator, noise: Noise) -> TrainedModel:
        """Stochastic gradients from random weights, on one thread."""
        try:
            import torch
        except ImportError:
            raise MissingExtra(self.id, "torch", "torch") from None
        form = self.form(records.schema)
        sizes = [(inputs := variables(form, records)).shape[1], *self.hidden, len(form.classes)]
        points = torch.tensor(inputs, dtype=torch.float32)
        known = torch.tensor(labels(form, records))
        linear: list[torch.nn.Linear] = []
        with one_thread(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(rng.integers(2**31)))
            steps: list[torch.nn.Module] = []
            for before, after in pairwise(sizes):
                if linear:
                    steps += [torch.nn.ReLU(), torch.nn.Dropout(self.dropout)]
                linear.append(torch.nn.Linear(before, after))
                steps.append(linear[-1])
            network = torch.nn.Sequential(*steps)
            optimizer = torch.optim.AdamW(
                network.parameters(), lr=self.speed, weight_decay=self.decay
            )
            for _ in range(self.epochs):
                order = torch.randperm(len(known))
                for start in range(0, len(known), self.batch):
                    chosen = order[start : start + self.batch]
                    optimizer.zero_grad()
                    scores = network(points[chosen])
                    loss = torch.nn.functional.cross_entropy(scores, known[chosen])
                    loss.backward()  # type: ignore[no-untyped-call]
                    optimizer.step()
        tensors = {}
        for number, layer in enumerate(linear):
            tensors[f"layers.{number}.weight"] = layer.weight.detach().numpy()
            tensors[f"layers.{number}.bias"] = layer.bias.detach().numpy()
        return TrainedModel.from_tensors(form, tensors)

    def recipe(self) -> str:
        """The layers, the epochs, and what works against remembering."""
        layers = " and ".join(map(str, self.hidden)) or "no"
        against = f"dropout {self.dropout:g}, decay {self.decay:g}"
        return f"PyTorch network with {layers} hidden units, {self.epochs} epochs, {against}"
