"""Forecasters: recurrent networks that predict a feature from the others, or the next row.

Hide-and-Seek judged the utility of a release with these networks. Many are trained at once, one per
task and seed. A network sees only the rows so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from quintain.kernels.networks.adam import Adam
from quintain.kernels.networks.arrays import Batch
from quintain.kernels.networks.gru import make_gru
from quintain.progress import track

if TYPE_CHECKING:
    from torch import Tensor

Flags = npt.NDArray[np.float32]
Persons = npt.NDArray[np.int64]

_CELLS = {"cpu": 1 << 22, "cuda": 1 << 26}
"""The approximate number of inputs per block when nothing is learned."""


@dataclass(frozen=True, slots=True)
class Task:
    """The column or row that a network predicts.

    Parameters
    ----------
    column : a column, predicted from the others of the same row and the rows before; None for
        all columns of the next row, predicted from all columns so far.
    """

    column: int | None = None

    def inputs(self, columns: int) -> Flags:
        """1 for each column that a network may see."""
        return np.asarray(np.arange(columns) != self.column, np.float32)

    def targets(self, columns: int) -> Flags:
        """1 for each column that a network predicts."""
        return np.ones(columns, np.float32) if self.column is None else 1 - self.inputs(columns)


@dataclass(frozen=True, slots=True)
class Training:
    """How forecasters are trained.

    Parameters
    ----------
    hidden, layers : the size of each network.
    epochs : how often it sees every series.
    batch : the number of series per step.
    held_out : the share of series that select the best epoch and are not trained on.
    rate : the length of a step.
    """

    hidden: int
    layers: int = 3
    epochs: int = 20
    batch: int = 128
    held_out: float = 0.2
    rate: float = 1e-3

    def run(self, data: Batch, tasks: Sequence[Task], seeds: Sequence[int]) -> Forecasters:
        """Networks for every task and seed: all tasks of the first seed, then of the next.

        A seed decides which series are held out and the order of the others; all seeds together
        decide the initial weights.
        """
        import torch

        device = data.values.device
        first = np.random.default_rng([len(tasks), *seeds])
        models = Forecasters([*tasks] * len(seeds), data.mean(), self, rng=first)
        adam = Adam(models.weights, self.rate)
        rngs = [np.random.default_rng(seed) for seed in seeds]
        orders = np.array([rng.permutation(len(data)) for rng in rngs])
        kept = max(1, len(data) - int(len(data) * self.held_out))
        unseen = orders[:, kept:] if kept < len(data) else orders
        best = torch.full((models.count,), torch.inf, dtype=torch.float64, device=device)
        best_weights = [weight.detach().clone() for weight in models.weights]
        for _ in track(range(self.epochs), "training forecasters", self.epochs):
            for order, rng in zip(orders, rngs, strict=True):
                rng.shuffle(order[:kept])
            for start in range(0, kept, self.batch):
                batch = orders[:, start : min(start + self.batch, kept)]
                adam.step(models.loss(data.take(models.persons_per_model(batch))))
            missed = models.squares(data, unseen)[0].sum((1, 2))
            _keep(best_weights, models.weights, missed < best)
            best = torch.minimum(best, missed)
        _keep(models.weights, best_weights, torch.ones_like(best, dtype=torch.bool))
        return models


def _keep(best: Sequence[Tensor], offered: Sequence[Tensor], better: Tensor) -> None:
    """Copy the weights of the models that improved."""
    import torch

    with torch.no_grad():
        for current, candidate in zip(best, offered, strict=True):
            current.copy_(
                torch.where(better.view(-1, *[1] * (current.dim() - 1)), candidate, current)
            )


class Forecasters:
    """Networks side by side, one for each task.

    Parameters
    ----------
    tasks : what each network predicts.
    mean : of each column; untrained networks predict values around it.
    training : the size of the networks.

    Attributes
    ----------
    count : the number of networks.
    outputs : the number of columns that each predicts.
    weights : the trained tensors.
    """

    def __init__(
        self, tasks: Sequence[Task], mean: Tensor, training: Training, *, rng: np.random.Generator
    ) -> None:
        import torch

        def on_device(array: npt.NDArray[np.float32]) -> Tensor:
            return torch.from_numpy(array).to(device)

        self.count, hidden = len(tasks), training.hidden
        columns, device = len(mean), mean.device
        self._gru = make_gru(self.count, columns, hidden, training.layers, device, rng=rng)
        bound = np.sqrt(6 / (hidden + columns))
        out = rng.uniform(-bound, bound, (self.count, hidden, columns)).astype(np.float32)
        self._out, self._bias = on_device(out), mean.repeat(self.count, 1, 1)
        self._inputs = on_device(np.array([task.inputs(columns) for task in tasks]))[:, None, None]
        self._targets = on_device(np.array([task.targets(columns) for task in tasks]))[
            :, None, None
        ]
        self.outputs = self._targets.sum((1, 2, 3))
        self._ahead = torch.tensor([task.column is None for task in tasks], device=device)
        self.weights: list[Tensor] = [*self._gru.weights, self._out, self._bias]

    def persons_per_model(self, persons: Persons) -> Tensor:
        """The persons of each seed (seeds x persons) for each of its models."""
        import torch

        spread = persons.repeat(self.count // len(persons), axis=0)
        return torch.from_numpy(spread).to(self._out.device)

    def loss(self, given: Batch) -> Tensor:
        """The mean square error of each model over all cells, added up: the training loss.

        ``given`` has an axis of models before that of persons.
        """
        cells = given.real[0].numel() * self.outputs
        return (self._squares(given).sum((1, 2, 3)) / cells).sum()

    def squares(self, data: Batch, persons: Persons | None = None) -> tuple[Tensor, Tensor]:
        """Sum squared errors per model, person and column, and count the predicted rows.

        Parameters
        ----------
        persons : the persons for the models of each seed, seeds x persons; all by default.
        """
        import torch

        everybody = np.arange(len(data))[None] if persons is None else persons
        size = max(1, _CELLS[self._out.device.type] // (self.count * data.values[0].numel()))
        missed, counts = [], []
        with torch.no_grad():
            for start in range(0, everybody.shape[1], size):
                given = data.take(self.persons_per_model(everybody[:, start : start + size]))
                missed.append(self._squares(given).sum(2).double())
                counts.append(self._target(given.real).sum(2).double())
        return torch.cat(missed, 1), torch.cat(counts, 1)

    def _squares(self, given: Batch) -> Tensor:
        """Squared errors of predicted cells, models x persons x rows x columns."""
        states = self._gru(given.values * self._inputs)
        models, persons, rows, hidden = states.shape
        flat = states.reshape(models, persons * rows, hidden)
        predicted = (flat @ self._out + self._bias).view(models, persons, rows, -1)
        counts = self._target(given.real)[..., None] * self._targets
        return (predicted - self._target(given.values)).square() * counts

    def _target(self, rows: Tensor) -> Tensor:
        """The same row, or the next one for models that look ahead."""
        import torch

        after = torch.cat([rows[:, :, 1:], torch.zeros_like(rows[:, :, :1])], dim=2)
        return torch.where(self._ahead.view(-1, *[1] * (rows.dim() - 1)), after, rows)
