"""An embedding that recognises people: a convolutional network, trained on pairs.

An image is the padded series of one person. The network learns to place two images of the same
person, one of them with noise, close together, and images of different persons at least 1 apart (a
Siamese network with contrastive loss).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quintain.kernels.networks import Adam, BestWeights
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
"""The share of persons that the network learns from."""
_WINDOW = 100
"""The number of iterations over which the loss is averaged to judge the training."""
_LOST = 0.2
"""A loss near 1/4 means that all persons are at one point, where training has no slope."""
_LOOK = {"cpu": 1 << 10, "cuda": 1 << 15}
"""How many images times channels fit into memory, per kind of device."""


@dataclass(frozen=True, slots=True)
class PairTraining:
    """The training of the embedding.

    A large network sometimes places all persons at one point and stays there. It is then reset to
    its best weights so far. The training also ends with the best weights.

    Parameters
    ----------
    width : the channels of the first two convolutions; the third has twice as many.
    iterations : training steps.
    batch : pairs of persons per step.
    """

    width: int
    iterations: int
    batch: int

    def run(self, images: Tensor, *, rng: np.random.Generator) -> Embedding:
        """Train on images, an array of persons x steps x columns."""
        import torch

        _, steps, columns = images.shape
        embedding = Embedding(self.width, steps, columns, images.device, rng=rng)
        adam, best = Adam(embedding.weights), BestWeights(embedding.weights)
        window, average = min(_WINDOW, self.iterations), torch.zeros((), device=images.device)
        dice = torch.Generator(images.device).manual_seed(int(rng.integers(2**62)))
        known = rng.permutation(len(images))[: max(1, int(_LEARNED * len(images)))]
        for turn in track(range(self.iterations), "embedding persons", self.iterations):
            left, right = rng.choice(known, (2, self.batch))
            same = rng.random(self.batch) < 0.5
            right = np.where(same, left, right)
            persons = torch.from_numpy(np.concatenate([left, right])).to(images.device)
            pairs = images[persons]
            fuzz = torch.randn(self.batch, steps, columns, generator=dice, device=images.device)
            pairs[self.batch :] += _NOISE * fuzz
            first, second = torch.chunk(embedding(pairs, dice), 2)
            alike = torch.from_numpy((left == right).astype(np.float32)).to(images.device)
            loss = contrast(first, second, alike)
            adam.step(loss)
            average += loss.detach() / window
            if (turn + 1) % window == 0:
                best.offer(float(average))
                if float(average) > _LOST > best.least:
                    best.restore()
                    adam = Adam(embedding.weights)
                average.zero_()
        best.restore()
        return embedding


def contrast(first: Tensor, second: Tensor, alike: Tensor) -> Tensor:
    """Half the mean of d**2 for pairs of one person, and of max(0, 1 - d)**2 for other pairs."""
    square = (first - second).square().sum(1)
    short = (1 - (square + 1e-12).sqrt()).clamp(min=0)
    return (alike * square + (1 - alike) * short.square()).mean() / 2


class Embedding:
    """A convolutional network that maps images to points.

    It has three convolutions, each followed by sigmoid, layer normalisation, dropout and pooling by
    2, then two full layers. The initial weights follow Glorot and Bengio (2010).

    Attributes
    ----------
    look : how many images fit into memory at once.
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
        self.weights: list[Tensor] = [weight for group in groups for weight in group]

    def __call__(self, images: Tensor, dice: torch.Generator | None) -> Tensor:
        """The points of images, images x 128; ``dice`` turns on dropout of a quarter."""
        from torch.nn import functional

        signal = images[:, None]
        for weight, bias, scale, shift in self._layers:
            signal = functional.conv2d(signal, weight, bias, padding="same").sigmoid()
            signal = functional.group_norm(signal, 1, scale, shift)
            if dice is not None:
                kept = (
                    signal.detach().new_empty(signal.shape).bernoulli_(1 - _DROPPED, generator=dice)
                )
                signal = signal * kept / (1 - _DROPPED)
            signal = functional.max_pool2d(signal, 2, ceil_mode=True)
        weight, bias, scale, shift = self._inner
        signal = functional.linear(signal.flatten(1), weight, bias).sigmoid()
        signal = functional.layer_norm(signal, signal.shape[1:], scale, shift)
        weight, bias = self._outer
        return functional.linear(signal, weight, bias).sigmoid()

    def points(self, images: Tensor, dice: torch.Generator | None = None) -> Tensor:
        """The points of many images, without training."""
        import torch

        with torch.no_grad():
            return torch.cat([self(part, dice) for part in torch.split(images, self.look)])


def _pooled(size: int) -> int:
    for _ in KERNELS:
        size = (size + 1) // 2
    return size
