"""Forecasters: recurrent networks that tell a feature from the others, or the next row.

The networks by which Hide-and-Seek judged whether a release is still good for something, many of
them at once: one for each task and seed. A network never sees more than the rows so far.
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
"""About how many inputs are looked at together where nothing is learned."""


@dataclass(frozen=True, slots=True)
class Task:
    """What to tell.

    Parameters
    ----------
    column : a column, told from the others of the same row and the rows before; None for all
        columns of the next row, told from all columns so far.
    """

    column: int | None = None

    def shown(self, columns: int) -> Flags:
        """1 for each column that a network may see."""
        return np.asarray(np.arange(columns) != self.column, np.float32)

    def asked(self, columns: int) -> Flags:
        """1 for each column that a network is to tell."""
        return np.ones(columns, np.float32) if self.column is None else 1 - self.shown(columns)


@dataclass(frozen=True, slots=True)
class Training:
    """How forecasters are trained.

    Parameters
    ----------
    hidden, layers : the size of each network.
    epochs : how often it sees every series.
    batch : how many series a step looks at.
    held_out : the share of series that tell which epoch was the best, and are not learned from.
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

        A seed decides which series are held out and in which order the others are seen; together
        the seeds decide the first weights.
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
        best_weights = [held.detach().clone() for held in models.weights]
        for _ in track(range(self.epochs), "training forecasters", self.epochs):
            for order, rng in zip(orders, rngs, strict=True):
                rng.shuffle(order[:kept])
            for start in range(0, kept, self.batch):
                some = orders[:, start : min(start + self.batch, kept)]
                adam.step(models.loss(data.take(models.asked_of(some))))
            missed = models.squares(data, unseen)[0].sum((1, 2))
            _keep(best_weights, models.weights, missed < best)
            best = torch.minimum(best, missed)
        _keep(models.weights, best_weights, torch.ones_like(best, dtype=torch.bool))
        return models


def _keep(held: Sequence[Tensor], offered: Sequence[Tensor], better: Tensor) -> None:
    """Take over the weights of those models that got better."""
    import torch

    with torch.no_grad():
        for mine, theirs in zip(held, offered, strict=True):
            mine.copy_(torch.where(better.view(-1, *[1] * (mine.dim() - 1)), theirs, mine))


class Forecasters:
    """Networks side by side, one for each task.

    Parameters
    ----------
    tasks : what each is to tell.
    mean : of each column; what they say before they have learned anything is around it.
    training : says how large they are.

    Attributes
    ----------
    count : how many networks there are.
    outputs : how many columns each tells.
    weights : what is learned.
    """

    def __init__(
        self, tasks: Sequence[Task], mean: Tensor, training: Training, *, rng: np.random.Generator
    ) -> None:
        import torch

        def there(array: npt.NDArray[np.float32]) -> Tensor:
            return torch.from_numpy(array).to(device)

        self.count, hidden = len(tasks), training.hidden
        columns, device = len(mean), mean.device
        self._gru = make_gru(self.count, columns, hidden, training.layers, device, rng=rng)
        bound = np.sqrt(6 / (hidden + columns))
        out = rng.uniform(-bound, bound, (self.count, hidden, columns)).astype(np.float32)
        self._out, self._bias = there(out), mean.repeat(self.count, 1, 1)
        self._shown = there(np.array([task.shown(columns) for task in tasks]))[:, None, None]
        self._asked = there(np.array([task.asked(columns) for task in tasks]))[:, None, None]
        self.outputs = self._asked.sum((1, 2, 3))
        self._ahead = torch.tensor([task.column is None for task in tasks], device=device)
        self.weights: list[Tensor] = [*self._gru.weights, self._out, self._bias]

    def asked_of(self, persons: Persons) -> Tensor:
        """The persons of each seed (seeds x persons) for each of its models."""
        import torch

        spread = persons.repeat(self.count // len(persons), axis=0)
        return torch.from_numpy(spread).to(self._out.device)

    def loss(self, given: Batch) -> Tensor:
        """The mean square error of each model over all cells, added up; what training lowers.

        ``given`` has an axis of models before that of persons.
        """
        cells = given.real[0].numel() * self.outputs
        return (self._squares(given).sum((1, 2, 3)) / cells).sum()

    def squares(self, data: Batch, persons: Persons | None = None) -> tuple[Tensor, Tensor]:
        """Sums of squared errors of each model, person and column; and how many rows were told.

        Parameters
        ----------
        persons : whom the models of each seed are asked about, seeds x persons; everybody if not
            given.
        """
        import torch

        everybody = np.arange(len(data))[None] if persons is None else persons
        size = max(1, _CELLS[self._out.device.type] // (self.count * data.values[0].numel()))
        missed, told = [], []
        with torch.no_grad():
            for start in range(0, everybody.shape[1], size):
                given = data.take(self.asked_of(everybody[:, start : start + size]))
                missed.append(self._squares(given).sum(2).double())
                told.append(self._target(given.real).sum(2).double())
        return torch.cat(missed, 1), torch.cat(told, 1)

    def _squares(self, given: Batch) -> Tensor:
        """Squared errors where there is something to tell, models x persons x rows x columns."""
        states = self._gru(given.values * self._shown)
        models, persons, rows, hidden = states.shape
        flat = states.reshape(models, persons * rows, hidden)
        said = (flat @ self._out + self._bias).view(models, persons, rows, -1)
        counts = self._target(given.real)[..., None] * self._asked
        return (said - self._target(given.values)).square() * counts

    def _target(self, held: Tensor) -> Tensor:
        """The same row, or the next one for models that look ahead."""
        import torch

        after = torch.cat([held[:, :, 1:], torch.zeros_like(held[:, :, :1])], dim=2)
        return torch.where(self._ahead.view(-1, *[1] * (held.dim() - 1)), after, held)
