"""An embedding that knows people again: a convolutional network, trained in pairs.

Two images of the same person, one with noise, shall be near to each other, and those of different
persons at least 1 apart (a Siamese network with contrastive loss).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quintain.kernels.networks.adam import Adam
from quintain.kernels.networks.best_weights import BestWeights
from quintain.progress import track

if TYPE_CHECKING:
    import torch
    from torch import Tensor

KERNELS = 5, 3, 3
INNER, OUTER = 256, 128
"""The sizes of the last two layers."""

_DROPPED = 0.25
_NOISE = 0.075
_LEARNED = 0.9
"""The share of persons that are learned from."""
_WINDOW = 100
"""Iterations over which the loss is averaged, to see how training goes."""
_LOST = 0.2
"""A loss near a quarter: all persons are at one point, where there is no slope to learn from."""
_LOOK = {"cpu": 1 << 10, "cuda": 1 << 15}
"""Images times channels that fit into the memory together."""


@dataclass(frozen=True, slots=True)
class PairTraining:
    """How the embedding is trained.

    A large network at times puts all persons at one point and stays there. It then goes back to
    where it knew them best, and so it does at the end.

    Parameters
    ----------
    width : channels of the first two convolutions; the third has twice as many.
    iterations : training steps.
    batch : pairs of a step.
    """

    width: int
    iterations: int
    batch: int

    def run(self, images: Tensor, *, rng: np.random.Generator) -> Embedding:
        """Train on images, persons x steps x columns."""
        import torch

        _, steps, columns = images.shape
        embedding = Embedding(self.width, steps, columns, images.device, rng=rng)
        adam, best = Adam(embedding.weights), BestWeights(embedding.weights)
        window, lost = min(_WINDOW, self.iterations), torch.zeros((), device=images.device)
        dice = torch.Generator(images.device).manual_seed(int(rng.integers(2**62)))
        known = rng.permutation(len(images))[: max(1, int(_LEARNED * len(images)))]
        for turn in track(range(self.iterations), "embedding persons", self.iterations):
            left, right = rng.choice(known, (2, self.batch))
            same = rng.random(self.batch) < 0.5
            right = np.where(same, left, right)
            persons = torch.from_numpy(np.concatenate([left, right])).to(images.device)
            seen = images[persons]
            fuzz = torch.randn(self.batch, steps, columns, generator=dice, device=images.device)
            seen[self.batch :] += _NOISE * fuzz
            mine, other = torch.chunk(embedding(seen, dice), 2)
            alike = torch.from_numpy((left == right).astype(np.float32)).to(images.device)
            loss = contrast(mine, other, alike)
            adam.step(loss)
            lost += loss.detach() / window
            if (turn + 1) % window == 0:
                best.offer(float(lost))
                if float(lost) > _LOST > best.least:
                    best.restore()
                    adam = Adam(embedding.weights)
                lost.zero_()
        best.restore()
        return embedding


def contrast(mine: Tensor, other: Tensor, alike: Tensor) -> Tensor:
    """Half the mean of d squared for pairs that are alike, max(0, 1 - d) squared for others."""
    square = (mine - other).square().sum(1)
    short = (1 - (square + 1e-12).sqrt()).clamp(min=0)
    return (alike * square + (1 - alike) * short.square()).mean() / 2


class Embedding:
    """A convolutional network from images to points.

    Three convolutions, each followed by sigmoid, layer normalisation, dropout and pooling by 2,
    then two full layers. Weights are drawn as Glorot and Bengio (2010) do.

    Attributes
    ----------
    look : how many images fit into the memory together.
    """

    def __init__(
        self,
        width: int,
        steps: int,
        columns: int,
        device: torch.device,
        *,
        rng: np.random.Generator,
    ) -> None:
        import torch

        def draw(*shape: int) -> Tensor:
            around = int(np.prod(shape[2:]))
            bound = np.sqrt(6 / ((shape[0] + shape[1]) * around))
            return torch.from_numpy(rng.uniform(-bound, bound, shape).astype(np.float32)).to(device)

        def norm(size: int) -> list[Tensor]:
            zeros = torch.zeros(size, device=device)
            return [zeros, zeros + 1, zeros.clone()]  # bias; scale and shift of the normalisation

        channels = 1, width, width, 2 * width
        self._layers = [
            [draw(after, before, kernel, kernel), *norm(after)]
            for before, after, kernel in zip(channels, channels[1:], KERNELS, strict=False)
        ]
        flat = 2 * width * _pooled(steps) * _pooled(columns)
        self._inner = [draw(INNER, flat), *norm(INNER)]
        self._outer = [draw(OUTER, INNER), torch.zeros(OUTER, device=device)]
        self.look = max(1, _LOOK[device.type] // width)
        groups = [*self._layers, self._inner, self._outer]
        self.weights: list[Tensor] = [held for group in groups for held in group]

    def __call__(self, images: Tensor, dice: torch.Generator | None) -> Tensor:
        """Points, images x 128; with ``dice``, a quarter of what is inside is dropped."""
        from torch.nn import functional

        held = images[:, None]
        for weight, bias, scale, shift in self._layers:
            held = functional.conv2d(held, weight, bias, padding="same").sigmoid()
            held = functional.group_norm(held, 1, scale, shift)
            if dice is not None:
                kept = held.detach().new_empty(held.shape).bernoulli_(1 - _DROPPED, generator=dice)
                held = held * kept / (1 - _DROPPED)
            held = functional.max_pool2d(held, 2, ceil_mode=True)
        weight, bias, scale, shift = self._inner
        held = functional.linear(held.flatten(1), weight, bias).sigmoid()
        held = functional.layer_norm(held, held.shape[1:], scale, shift)
        weight, bias = self._outer
        return functional.linear(held, weight, bias).sigmoid()

    def points(self, images: Tensor, dice: torch.Generator | None = None) -> Tensor:
        """The points of many images, without learning."""
        import torch

        with torch.no_grad():
            return torch.cat([self(some, dice) for some in torch.split(images, self.look)])


def _pooled(size: int) -> int:
    for _ in KERNELS:
        size = (size + 1) // 2
    return size
