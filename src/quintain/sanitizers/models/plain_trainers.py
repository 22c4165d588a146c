"""Plain trainers: a logistic regression, a network and a forest, without any protection."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.data import Table, TrainedModel
from quintain.kernels.classifiers import train_forest, train_logistic, train_network
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.models.trainer import Trainer

Width = Annotated[int, Field(ge=1, le=512)]


@register("train-logistic-v1")
class TrainLogistic(Trainer):
    """Publishes a logistic regression of the label; few weights remember little of single people.

    Parameters
    ----------
    label : the category that the model predicts from all other columns.
    ridge : how strongly the weights are pulled towards zero; more pull remembers less.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> release = q.sanitize("train-logistic", people(example_table()), label="flag", seed=1)
    >>> release.data
    <Model logistic: flag from 5 variables, 12 numbers>
    """

    ridge: Annotated[float, Field(ge=0, le=1e6)] = 1.0

    def train(self, records: Table, *, rng: np.random.Generator, noise: Noise) -> TrainedModel:
        """The weights with the smallest loss; no draw is made."""
        return train_logistic(self.form(records.schema), records, ridge=self.ridge)

    def recipe(self) -> str:
        """The penalty on the weights."""
        return f"logistic regression, ridge {self.ridge:g}"


@register("train-network-v1")
class TrainNetwork(Trainer):
    """Publishes a network of the label; many epochs make it remember the records it learned from.

    Parameters
    ----------
    label : the category that the model predicts from all other columns.
    hidden : the number of units in each hidden layer.
    epochs : how often every record is used.
    decay : how strongly each step pulls the weights towards zero.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> release = q.sanitize("train-network", people(example_table()), label="flag", seed=1)
    >>> release.data
    <Model network: flag from 5 variables, 258 numbers>
    """

    hidden: Annotated[tuple[Width, ...], Field(min_length=1, max_length=3)] = (32,)
    epochs: Annotated[int, Field(ge=1, le=10_000)] = 30
    decay: Annotated[float, Field(ge=0, le=1)] = 0.0

    def train(self, records: Table, *, rng: np.random.Generator, noise: Noise) -> TrainedModel:
        """Stochastic gradients from random weights."""
        form, hidden = self.form(records.schema), self.hidden
        return train_network(
            form, records, hidden=hidden, epochs=self.epochs, decay=self.decay, rng=rng
        )

    def recipe(self) -> str:
        """The layers and the epochs."""
        layers = " and ".join(map(str, self.hidden))
        return f"network with {layers} hidden units, {self.epochs} epochs"


@register("train-forest-v1")
class TrainForest(Trainer):
    """Publishes a random forest of the label; deep trees keep single records in their leaves.

    The trees are scikit-learn's (extra ``ml``), published as plain arrays.

    Parameters
    ----------
    label : the category that the model predicts from all other columns.
    trees : how many trees.
    depth : the largest depth of a tree.
    smallest : how many records a leaf has, at least; more remember less.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> forest = q.sanitize("train-forest", people(example_table()), label="flag", trees=3, seed=1)
    >>> forest.data.architecture
    'forest'
    """

    trees: Annotated[int, Field(ge=1, le=500)] = 20
    depth: Annotated[int, Field(ge=1, le=64)] = 16
    smallest: Annotated[int, Field(ge=1)] = 1

    def train(self, records: Table, *, rng: np.random.Generator, noise: Noise) -> TrainedModel:
        """Trees on samples of the records, each split on some of the variables."""
        form, size = self.form(records.schema), self.smallest
        return train_forest(
            form, records, trees=self.trees, depth=self.depth, smallest=size, rng=rng
        )

    def recipe(self) -> str:
        """The number of trees, their depth, and the size of leaves."""
        leaves = f"at least {self.smallest} records per leaf"
        return f"random forest of {self.trees} trees, depth at most {self.depth}, {leaves}"
