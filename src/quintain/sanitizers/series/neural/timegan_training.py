"""The three phases of the training of TimeGAN: embedding, supervision, all together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quintain.kernels.networks.adam import Adam
from quintain.kernels.networks.arrays import Batch
from quintain.progress import track
from quintain.sanitizers.series.neural.timegan_networks import (
    GAMMA,
    Networks,
    distance,
    doubt,
    make_networks,
    moments_apart,
    next_row,
)

if TYPE_CHECKING:
    from torch import Generator, Tensor

_GOOD_ENOUGH = 0.15
"""Below this loss the discriminator is not trained, so that the generator can catch up."""


@dataclass(frozen=True, slots=True)
class GanTraining:
    """The size of the networks and the length of their training.

    Parameters
    ----------
    hidden, layers : the size of the state and the number of layers of each network.
    iterations : training steps of each phase.
    batch : persons per step.
    """

    hidden: int
    layers: int
    iterations: int
    batch: int

    def run(self, data: Batch, *, rng: np.random.Generator) -> Networks:
        """Train new networks in three phases."""
        import torch

        columns, device = data.values.shape[2], data.values.device
        nets = make_networks(columns, self.hidden, self.layers, device, rng=rng)
        dice = torch.Generator(device).manual_seed(int(rng.integers(2**62)))
        self._embed(nets, data, rng)
        self._supervise(nets, data, rng)
        self._together(nets, data, dice, rng)
        return nets

    def _batches(self, label: str) -> Iterator[int]:
        return track(range(self.iterations), f"TimeGAN: {label}", self.iterations)

    def _draw(self, data: Batch, rng: np.random.Generator) -> Batch:
        import torch

        rows = rng.choice(len(data), min(self.batch, len(data)), replace=False)
        return data.take(torch.from_numpy(rows).to(data.values.device))

    def _embed(self, nets: Networks, data: Batch, rng: np.random.Generator) -> None:
        adam = Adam([*nets.embedder.weights, *nets.recovery.weights])
        for _ in self._batches("embedding"):
            drawn = self._draw(data, rng)
            adam.step(_recovery_loss(nets, drawn, nets.embedder(drawn.values)))

    def _supervise(self, nets: Networks, data: Batch, rng: np.random.Generator) -> None:
        import torch

        adam = Adam(nets.supervisor.weights)
        for _ in self._batches("supervision"):
            drawn = self._draw(data, rng)
            with torch.no_grad():
                latent = nets.embedder(drawn.values)
            adam.step(next_row(latent, nets.supervisor(latent), drawn.real))

    def _together(
        self, nets: Networks, data: Batch, dice: Generator, rng: np.random.Generator
    ) -> None:
        import torch

        make = Adam([*nets.generator.weights, *nets.supervisor.weights])
        embed = Adam([*nets.embedder.weights, *nets.recovery.weights])
        judge = Adam(nets.discriminator.weights)
        for _ in self._batches("all together"):
            for _ in range(2):
                drawn = self._draw(data, rng)
                make.step(_generator_loss(nets, drawn, _noise(drawn, dice)))
                latent = nets.embedder(drawn.values)
                error = next_row(latent, nets.supervisor(latent), drawn.real)
                embed.step(_recovery_loss(nets, drawn, latent) + 0.1 * error)
            drawn = self._draw(data, rng)
            with torch.no_grad():
                rough = nets.generator(_noise(drawn, dice))
                parts = nets.embedder(drawn.values), nets.supervisor(rough), rough
            loss = _discriminator_loss(nets, parts, drawn.real)
            if float(loss.detach()) > _GOOD_ENOUGH:
                judge.step(loss)


def _noise(drawn: Batch, dice: Generator) -> Tensor:
    import torch

    return torch.rand(drawn.values.shape, generator=dice, device=drawn.values.device)


def _recovery_loss(nets: Networks, drawn: Batch, latent: Tensor) -> Tensor:
    """The loss of embedder and recovery: the error of the recovered series."""
    return 10 * (distance(drawn.values, nets.recovery(latent), drawn.real) + 1e-12).sqrt()


def _generator_loss(nets: Networks, drawn: Batch, noise: Tensor) -> Tensor:
    """The loss of generator and supervisor: series that look synthetic."""
    import torch

    persons, real = len(drawn), drawn.real
    with torch.no_grad():
        latent = nets.embedder(drawn.values)
    rough = nets.generator(noise)
    smooth, predicted = torch.split(nets.supervisor(torch.cat([rough, latent])), persons)
    odds, rough_odds = torch.split(nets.discriminator(torch.cat([smooth, rough])), persons)
    adversarial_loss = doubt(odds, 1.0, real) + GAMMA * doubt(rough_odds, 1.0, real)
    prediction_loss = 100 * (next_row(latent, predicted, real) + 1e-12).sqrt()
    return (
        adversarial_loss
        + prediction_loss
        + 100 * moments_apart(nets.recovery(smooth), drawn.values, real)
    )


def _discriminator_loss(
    nets: Networks, parts: tuple[Tensor, Tensor, Tensor], real: Tensor
) -> Tensor:
    """The loss of the discriminator on real, smoothed and rough latent series."""
    import torch

    true, smooth, rough = torch.split(nets.discriminator(torch.cat(parts)), len(real))
    loss = doubt(true, 1.0, real) + doubt(smooth, 0.0, real)
    return loss + GAMMA * doubt(rough, 0.0, real)
