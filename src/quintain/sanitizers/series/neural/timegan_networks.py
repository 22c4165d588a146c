"""The five networks of TimeGAN and what each is blamed for.

Embedder and recovery go from series to a small latent space and back; the generator makes latent
series from noise, the supervisor tells the next latent row, and the discriminator tells real latent
series from made ones, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quintain.kernels.networks.gru import make_gru

if TYPE_CHECKING:
    import torch
    from torch import Tensor

GAMMA = 1.0
"""How much latent series count that the supervisor has not smoothed."""


class Net:
    """Recurrent layers and a full layer on each row.

    Parameters
    ----------
    columns, hidden, out : sizes of what comes in, of a state, and of what comes out.
    layers : how many recurrent layers.
    squash : whether what comes out is between 0 and 1.
    """

    def __init__(
        self,
        columns: int,
        hidden: int,
        out: int,
        layers: int,
        device: torch.device,
        *,
        squash: bool,
        rng: np.random.Generator,
    ) -> None:
        import torch

        self._gru = make_gru(1, columns, hidden, layers, device, rng=rng)
        bound = np.sqrt(6 / (hidden + out))
        first = rng.uniform(-bound, bound, (hidden, out)).astype(np.float32)
        self._full = torch.from_numpy(first).to(device)
        self._bias = torch.zeros(out, device=device)
        self._squash = squash
        self.weights: list[Tensor] = [*self._gru.weights, self._full, self._bias]

    def __call__(self, series: Tensor) -> Tensor:
        """Persons x rows x columns in, persons x rows x out."""
        held = self._gru(series[None])[0] @ self._full + self._bias
        return held.sigmoid() if self._squash else held


@dataclass(frozen=True, slots=True, eq=False)
class Networks:
    """All five."""

    embedder: Net
    recovery: Net
    generator: Net
    supervisor: Net
    discriminator: Net

    def made(self, noise: Tensor) -> Tensor:
        """Series made from noise."""
        return self.recovery(self.supervisor(self.generator(noise)))


def make_networks(
    columns: int, hidden: int, layers: int, device: torch.device, *, rng: np.random.Generator
) -> Networks:
    """Networks with random weights; the supervisor has a layer less."""

    def net(entry: int, out: int, depth: int, *, squash: bool) -> Net:
        return Net(entry, hidden, out, depth, device, squash=squash, rng=rng)

    return Networks(
        embedder=net(columns, hidden, layers, squash=True),
        recovery=net(hidden, columns, layers, squash=False),
        generator=net(columns, hidden, layers, squash=True),
        supervisor=net(hidden, hidden, max(1, layers - 1), squash=True),
        discriminator=net(hidden, 1, layers, squash=False),
    )


def distance(mine: Tensor, other: Tensor, real: Tensor) -> Tensor:
    """The mean square difference over rows that are there."""
    cells = real.sum().clamp(min=1) * mine.shape[2]
    return ((mine - other).square() * real[..., None]).sum() / cells


def next_row(latent: Tensor, told: Tensor, real: Tensor) -> Tensor:
    """How far the supervisor is off: the mean square error of the next latent row."""
    return distance(latent[:, 1:], told[:, :-1], real[:, 1:])


def doubt(odds: Tensor, label: float, real: Tensor) -> Tensor:
    """The discriminator's surprise at a label, over rows that are there."""
    import torch

    wanted = torch.full_like(odds, label)
    missed = torch.nn.functional.binary_cross_entropy_with_logits(odds, wanted, reduction="none")
    return (missed[..., 0] * real).sum() / real.sum().clamp(min=1)


def moments_apart(mine: Tensor, other: Tensor, real: Tensor) -> Tensor:
    """How far means and standard deviations over persons differ, for each row and column."""
    count = real.sum(0).clamp(min=1)[:, None]
    there = (real.sum(0) > 0).float()[:, None]

    def moments(held: Tensor) -> tuple[Tensor, Tensor]:
        mean = (held * real[..., None]).sum(0) / count
        spread = ((held - mean).square() * real[..., None]).sum(0) / count
        return mean, (spread + 1e-6).sqrt()

    cells = there.sum().clamp(min=1) * mine.shape[2]
    pairs = zip(moments(mine), moments(other), strict=True)
    first, second = (((a - b).abs() * there).sum() / cells for a, b in pairs)
    return first + second
