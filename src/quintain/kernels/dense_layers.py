"""Dense layers: a chain of linear layers with rectifiers between them, and its gradients.

All parameters lie in one vector, so that an optimiser, a clipping and a noise treat them alike.
NumPy is enough for networks of the size that contests on tables allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from quintain.data.arrays import Floats, Rows
from quintain.data.models import Tensors


def count_parameters(sizes: Sequence[int]) -> int:
    """How many numbers a chain of layers has; ``sizes`` are those of its inputs and its layers.

    >>> count_parameters([5, 3, 2])
    26
    """
    return sum((before + 1) * after for before, after in pairwise(sizes))


def start_parameters(sizes: Sequence[int], *, rng: np.random.Generator) -> Floats:
    """Random weights to start from, which depend on no record (He and others 2015); no biases."""
    blocks = []
    for before, after in pairwise(sizes):
        blocks += [rng.normal(0, np.sqrt(2 / before), after * before), np.zeros(after)]
    return np.concatenate(blocks)


def split_layers(parameters: Floats, sizes: Sequence[int]) -> list[tuple[Floats, Floats]]:
    """The weights and biases of each layer."""
    layers, at = [], 0
    for before, after in pairwise(sizes):
        middle, end = at + before * after, at + (before + 1) * after
        layers.append((parameters[at:middle].reshape(after, before), parameters[middle:end]))
        at = end
    return layers


def layer_tensors(parameters: Floats, sizes: Sequence[int]) -> dict[str, Floats]:
    """The parameters under the names that a model has."""
    named: dict[str, Floats] = {}
    for number, (weight, bias) in enumerate(split_layers(parameters, sizes)):
        named |= {f"layers.{number}.weight": weight, f"layers.{number}.bias": bias}
    return named


def layer_sizes(tensors: Tensors) -> list[int]:
    """The sizes of the inputs and of the layers of a model."""
    weights = [tensors[f"layers.{number}.weight"] for number in range(len(tensors) // 2)]
    return [weights[0].shape[1], *(len(weight) for weight in weights)]


def run_layers(layers: Sequence[tuple[Floats, Floats]], inputs: Floats) -> list[Floats]:
    """What each layer reads, and at the end the scores of the classes."""
    reached = [inputs]
    for number, (weight, bias) in enumerate(layers, start=1):
        scores = reached[-1] @ weight.T + bias
        reached.append(scores if number == len(layers) else np.maximum(scores, 0))
    return reached


def softmax(scores: Floats) -> Floats:
    """Scores as shares that add up to one.

    >>> softmax(np.array([[0.0, 0.0], [1000.0, 0.0]])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _slopes(
    parameters: Floats, sizes: Sequence[int], inputs: Floats, labels: Rows
) -> list[tuple[Floats, Floats]]:
    """For each layer what it read, and how the loss of each record changes with its scores."""
    layers = split_layers(parameters, sizes)
    *reached, scores = run_layers(layers, inputs)
    slope = softmax(scores)
    slope[np.arange(len(labels)), labels] -= 1
    out = []
    for (weight, _), reads in zip(reversed(layers), reversed(reached), strict=True):
        out.append((reads, slope))
        slope = (slope @ weight) * (reads > 0)
    return out[::-1]


def mean_gradient(parameters: Floats, sizes: Sequence[int], inputs: Floats, labels: Rows) -> Floats:
    """The gradient of the mean cross-entropy of some records."""
    blocks = []
    for reads, slope in _slopes(parameters, sizes, inputs, labels):
        blocks += [(slope.T @ reads).ravel(), slope.sum(axis=0)]
    return np.concatenate(blocks) / len(labels)


def record_gradients(
    parameters: Floats, sizes: Sequence[int], inputs: Floats, labels: Rows
) -> Floats:
    """The gradient of the cross-entropy of each record, one row per record."""
    blocks = []
    for reads, slope in _slopes(parameters, sizes, inputs, labels):
        outer = np.einsum("no,ni->noi", slope, reads)
        blocks += [outer.reshape(len(labels), slope.shape[1] * reads.shape[1]), slope]
    return np.concatenate(blocks, axis=1)


@dataclass(slots=True)
class AdamSteps:
    """Steps whose length does not depend on the scale of the gradients.

    References
    ----------
    Kingma and Ba (2015), Adam: a method for stochastic optimization.
    """

    size: int
    rate: float
    count: int = 0
    mean: Floats = field(init=False)
    square: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.mean, self.square = np.zeros(self.size), np.zeros(self.size)

    def step(self, gradient: Floats) -> Floats:
        """What to add to the parameters."""
        self.count += 1
        self.mean = 0.9 * self.mean + 0.1 * gradient
        self.square = 0.999 * self.square + 0.001 * gradient**2
        mean, square = self.mean / (1 - 0.9**self.count), self.square / (1 - 0.999**self.count)
        return np.asarray(-self.rate * mean / (np.sqrt(square) + 1e-8))


def train_layers(
    sizes: Sequence[int],
    inputs: Floats,
    labels: Rows,
    *,
    epochs: int,
    batch: int,
    rate: float,
    decay: float,
    rng: np.random.Generator,
) -> Floats:
    """Parameters that fit the labels, by stochastic gradients.

    Parameters
    ----------
    epochs : how often every record is used.
    batch : how many records a step uses.
    rate : how far a step goes.
    decay : how strongly each step pulls the parameters towards zero.
    """
    parameters = start_parameters(sizes, rng=rng)
    adam = AdamSteps(len(parameters), rate)
    for _ in range(epochs):
        order = rng.permutation(len(labels))
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            gradient = mean_gradient(parameters, sizes, inputs[rows], labels[rows])
            parameters = parameters * (1 - rate * decay) + adam.step(gradient)
    return parameters
