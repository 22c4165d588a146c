"""The five networks of TimeGAN and their losses.

The embedder maps series to a small latent space, and the recovery network maps them back. The
generator makes latent series from noise. The supervisor predicts the next latent row. The
discriminator tells real latent series from synthetic ones, row by row.
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
"""The weight of latent series that the supervisor has not smoothed."""


class Net:
    """A network of recurrent layers, with a full layer on each row.

    Parameters
    ----------
    columns, hidden, out : the sizes of the input, of the state and of the output.
    layers : the number of recurrent layers.
    squash : whether the output is squashed to values between 0 and 1.
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
        """Map an array of persons x rows x columns to persons x rows x out."""
        signal = self._gru(series[None])[0] @ self._full + self._bias
        return signal.sigmoid() if self._squash else signal


@dataclass(frozen=True, slots=True, eq=False)
class Networks:
    """All five networks of TimeGAN."""

    embedder: Net
    recovery: Net
    generator: Net
    supervisor: Net
    discriminator: Net

    def generate(self, noise: Tensor) -> Tensor:
        """Generate series from noise."""
        return self.recovery(self.supervisor(self.generator(noise)))


def make_networks(
    columns: int, hidden: int, layers: int, device: torch.device, *, rng: np.random.Generator
) -> Networks:
    """Make networks with random weights; the supervisor has one layer less."""

    def net(entry: int, out: int, depth: int, *, squash: bool) -> Net:
        return Net(entry, hidden, out, depth, device, squash=squash, rng=rng)

    return Networks(
        embedder=net(columns, hidden, layers, squash=True),
        recovery=net(hidden, columns, layers, squash=False),
        generator=net(columns, hidden, layers, squash=True),
        supervisor=net(hidden, hidden, max(1, layers - 1), squash=True),
        discriminator=net(hidden, 1, layers, squash=False),
    )


def distance(first: Tensor, second: Tensor, real: Tensor) -> Tensor:
    """The mean square difference over real rows, without padding."""
    cells = real.sum().clamp(min=1) * first.shape[2]
    return ((first - second).square() * real[..., None]).sum() / cells


def next_row(latent: Tensor, predicted: Tensor, real: Tensor) -> Tensor:
    """The error of the supervisor: the mean square error of the next latent row."""
    return distance(latent[:, 1:], predicted[:, :-1], real[:, 1:])


def doubt(odds: Tensor, label: float, real: Tensor) -> Tensor:
    """The cross-entropy of the discriminator for a label, over real rows."""
    import torch

    wanted = torch.full_like(odds, label)
    missed = torch.nn.functional.binary_cross_entropy_with_logits(odds, wanted, reduction="none")
    return (missed[..., 0] * real).sum() / real.sum().clamp(min=1)


def moments_apart(first: Tensor, second: Tensor, real: Tensor) -> Tensor:
    """How far the means and standard deviations over persons differ, per row and column."""
    count = real.sum(0).clamp(min=1)[:, None]
    present = (real.sum(0) > 0).float()[:, None]

    def moments(signal: Tensor) -> tuple[Tensor, Tensor]:
        mean = (signal * real[..., None]).sum(0) / count
        spread = ((signal - mean).square() * real[..., None]).sum(0) / count
        return mean, (spread + 1e-6).sqrt()

    cells = present.sum().clamp(min=1) * first.shape[2]
    pairs = zip(moments(first), moments(second), strict=True)
    means, spreads = (((a - b).abs() * present).sum() / cells for a, b in pairs)
    return means + spreads
