"""The three phases in which TimeGAN is trained: embedding, supervision, and all together."""

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
"""A discriminator whose loss is below is not trained on, so that the generator can follow."""


@dataclass(frozen=True, slots=True)
class GanTraining:
    """How large the networks are and how long they train.

    Parameters
    ----------
    hidden, layers : of each network.
    iterations : of each phase.
    batch : persons of a step.
    """

    hidden: int
    layers: int
    iterations: int
    batch: int

    def run(self, data: Batch, *, rng: np.random.Generator) -> Networks:
        """Train the networks, phase after phase."""
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

        some = rng.choice(len(data), min(self.batch, len(data)), replace=False)
        return data.take(torch.from_numpy(some).to(data.values.device))

    def _embed(self, nets: Networks, data: Batch, rng: np.random.Generator) -> None:
        adam = Adam([*nets.embedder.weights, *nets.recovery.weights])
        for _ in self._batches("embedding"):
            seen = self._draw(data, rng)
            adam.step(_lost(nets, seen, nets.embedder(seen.values)))

    def _supervise(self, nets: Networks, data: Batch, rng: np.random.Generator) -> None:
        import torch

        adam = Adam(nets.supervisor.weights)
        for _ in self._batches("supervision"):
            seen = self._draw(data, rng)
            with torch.no_grad():
                latent = nets.embedder(seen.values)
            adam.step(next_row(latent, nets.supervisor(latent), seen.real))

    def _together(
        self, nets: Networks, data: Batch, dice: Generator, rng: np.random.Generator
    ) -> None:
        import torch

        make = Adam([*nets.generator.weights, *nets.supervisor.weights])
        embed = Adam([*nets.embedder.weights, *nets.recovery.weights])
        judge = Adam(nets.discriminator.weights)
        for _ in self._batches("all together"):
            for _ in range(2):
                seen = self._draw(data, rng)
                make.step(_made_badly(nets, seen, _noise(seen, dice)))
                latent = nets.embedder(seen.values)
                told = next_row(latent, nets.supervisor(latent), seen.real)
                embed.step(_lost(nets, seen, latent) + 0.1 * told)
            seen = self._draw(data, rng)
            with torch.no_grad():
                rough = nets.generator(_noise(seen, dice))
                parts = nets.embedder(seen.values), nets.supervisor(rough), rough
            loss = _judged_badly(nets, parts, seen.real)
            if float(loss.detach()) > _GOOD_ENOUGH:
                judge.step(loss)


def _noise(seen: Batch, dice: Generator) -> Tensor:
    import torch

    return torch.rand(seen.values.shape, generator=dice, device=seen.values.device)


def _lost(nets: Networks, seen: Batch, latent: Tensor) -> Tensor:
    """What embedder and recovery lose of the series."""
    return 10 * (distance(seen.values, nets.recovery(latent), seen.real) + 1e-12).sqrt()


def _made_badly(nets: Networks, seen: Batch, noise: Tensor) -> Tensor:
    """What generator and supervisor are blamed for."""
    import torch

    persons, real = len(seen), seen.real
    with torch.no_grad():
        latent = nets.embedder(seen.values)
    rough = nets.generator(noise)
    smooth, told = torch.split(nets.supervisor(torch.cat([rough, latent])), persons)
    odds, rough_odds = torch.split(nets.discriminator(torch.cat([smooth, rough])), persons)
    caught = doubt(odds, 1.0, real) + GAMMA * doubt(rough_odds, 1.0, real)
    told_badly = 100 * (next_row(latent, told, real) + 1e-12).sqrt()
    return caught + told_badly + 100 * moments_apart(nets.recovery(smooth), seen.values, real)


def _judged_badly(nets: Networks, parts: tuple[Tensor, Tensor, Tensor], real: Tensor) -> Tensor:
    """What the discriminator is blamed for: real, smoothed and rough latent series."""
    import torch

    true, smooth, rough = torch.split(nets.discriminator(torch.cat(parts)), len(real))
    found = doubt(true, 1.0, real) + doubt(smooth, 0.0, real)
    return found + GAMMA * doubt(rough, 0.0, real)
