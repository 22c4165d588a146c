"""Binary classifier: a network learns to distinguish released series from targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
from pydantic import Field

from quintain.attacks.membership.series.series_attack import (
    PreparedSeriesAttack,
    Scores,
    prepare_robustly,
)
from quintain.data import Series
from quintain.jobs.progress import track
from quintain.kernels.networks import (
    Adam,
    Batch,
    BestWeights,
    Device,
    as_batch,
    computing,
    has_torch,
    make_gru,
    prepare_timed,
)
from quintain.kernels.series import PreparedSeries
from quintain.registry import register

if TYPE_CHECKING:
    from torch import Tensor

_LOOK = 512
"""How many persons the network reads at once when it does not learn."""


@register("binary-classifier-v1")
class BinaryClassifier(PreparedSeriesAttack):
    """Trains a recurrent network to distinguish released series from targets.

    Targets that the network mistakes for released series are guessed to be members.

    This is a baseline of Hide-and-Seek. Released series have the label 0 and all targets 1; the
    half of the targets that looks most like the release is guessed to be members. Time is scaled
    like a feature here. The network does not learn from a fifth of the series: they decide which
    epoch was the best.

    The defaults are small enough for a processor. In 2020 ``hidden`` was the number of columns and
    ``batch`` was 128. The attack needs PyTorch.

    Parameters
    ----------
    hidden : the size of the network's state; none means the number of columns.
    layers, epochs, batch, rate : of the network and its training.
    device : where to compute.
    steps, scaled_by : as for every attack on series.

    References
    ----------
    Jordon et al., Hide-and-Seek Privacy Challenge, arXiv:2007.12087.

    >>> import quintain as q
    >>> attack = q.attacks.BinaryClassifier(hidden=8, epochs=5)  # then q.attack(attack, ...)
    >>> attack.parameters()
    {'steps': None, 'scaled_by': 'own', 'hidden': 8, 'layers': 3, 'epochs': 5, 'batch': 64,
     'rate': 0.001, 'device': 'auto'}
    """

    hidden: Annotated[int, Field(ge=1, le=4096)] | None = 32
    layers: Annotated[int, Field(ge=1, le=10)] = 3
    epochs: Annotated[int, Field(ge=1, le=100_000)] = 20
    batch: Annotated[int, Field(ge=1, le=1_000_000)] = 64
    rate: Annotated[float, Field(gt=0, le=1)] = 1e-3
    device: Device = "auto"

    @classmethod
    def examples(cls) -> list[Self]:
        """A tiny network; no example without PyTorch, since it could not run."""
        return [cls(hidden=3, layers=2, epochs=1, device="cpu")] if has_torch() else []

    def prepare_sides(
        self, targets: Series, released: Series, steps: int
    ) -> tuple[PreparedSeries, PreparedSeries]:
        """Complete and scale both sides, the times as well."""
        if self.scaled_by == "robust":
            return prepare_robustly(targets, released, steps, timed=True)
        target_side = prepare_timed(targets, steps)
        scaling = None if self.scaled_by == "own" else target_side.scaling
        return target_side, prepare_timed(released, steps, scaling)

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Train on both sides, then let the network read the targets."""
        sides = self.prepare_sides(targets, released, steps)
        with computing(self.device, "the binary classifier") as device:
            import torch

            target_side, release_side = (as_batch(side, device) for side in sides)
            both = Batch(
                torch.cat([target_side.values, release_side.values]),
                torch.cat([target_side.real, release_side.real]),
            )
            labels = (torch.arange(len(both), device=device) < len(target_side)).float()
            network = self._train(both, labels, rng=rng)
            outputs = network.read(target_side).double().cpu().numpy()
        return -np.asarray(outputs)

    def _train(self, both: Batch, labels: Tensor, *, rng: np.random.Generator) -> Classifier:
        import torch

        network = Classifier(both, self.hidden, self.layers, rng=rng)
        adam = Adam(network.weights, self.rate)
        order = rng.permutation(len(both))
        kept = max(1, len(both) - len(both) // 5)
        unseen = torch.from_numpy(order[kept:] if kept < len(both) else order).to(labels.device)
        best = BestWeights(network.weights)
        for _ in track(range(self.epochs), "binary classifier", self.epochs):
            rng.shuffle(order[:kept])
            for start in range(0, kept, self.batch):
                batch = torch.from_numpy(order[start : min(start + self.batch, kept)])
                batch = batch.to(labels.device)
                adam.step(_surprise(network(both.take(batch)), labels[batch]))
            best.offer(float(_surprise(network.read(both.take(unseen)), labels[unseen])))
        best.restore()
        return network


class Classifier:
    """Recurrent layers, and one number computed from a person's last state.

    Parameters
    ----------
    data : series with the columns and the device of those that the network will read.
    hidden, layers : the size of the network; hidden may be none for the number of columns.
    """

    def __init__(
        self, data: Batch, hidden: int | None, layers: int, *, rng: np.random.Generator
    ) -> None:
        import torch

        columns, device = data.values.shape[2], data.values.device
        self._gru = make_gru(1, columns, hidden or columns, layers, device, rng=rng)
        bound = np.sqrt(6 / (self._gru.hidden + 1))
        first = rng.uniform(-bound, bound, self._gru.hidden).astype(np.float32)
        self._out = torch.from_numpy(first).to(device)
        self._bias = torch.zeros(1, device=device)
        self.weights: list[Tensor] = [*self._gru.weights, self._out, self._bias]

    def __call__(self, data: Batch) -> Tensor:
        """How much each person looks like label 1, as log odds."""
        import torch

        states = self._gru(data.values[None])[0]
        last = (data.real.sum(1).long() - 1).clamp(min=0)
        person = torch.arange(len(last), device=last.device)
        return states[person, last] @ self._out + self._bias

    def read(self, data: Batch) -> Tensor:
        """Compute the log odds of many persons, without learning."""
        import torch

        with torch.no_grad():
            parts = [
                self(Batch(data.values[start : start + _LOOK], data.real[start : start + _LOOK]))
                for start in range(0, len(data), _LOOK)
            ]
        return torch.cat(parts)


def _surprise(odds: Tensor, labels: Tensor) -> Tensor:
    """The mean of minus the log of the probability given to the right label."""
    import torch

    return torch.nn.functional.binary_cross_entropy_with_logits(odds, labels)
