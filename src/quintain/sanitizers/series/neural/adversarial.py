"""Adversarial noise: change series until a network mistakes each person for another.

The network is an embedding that recognises people. An image is the padded series of one person. The
network learns to place two images of the same person, one of them with noise, close together, and
images of different persons at least 1 apart (a Siamese network with contrastive loss).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Series, as_series
from quintain.data.arrays import Floats
from quintain.jobs.progress import track
from quintain.kernels.networks import Adam, BestWeights, computing, has_torch
from quintain.kernels.series import complete, longest, within_bounds
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.series.neural.genetic import k_means, most_central
from quintain.sanitizers.series.neural.neural_sanitizer import NeuralSanitizer
from quintain.sanitizers.series.noise import in_random_order

if TYPE_CHECKING:
    import torch
    from torch import Tensor


_START = 0.0075
"""The noise starts as this share of the other person's image."""

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


# Perturbation: a small change that makes a network see a person as somebody else.


@dataclass(frozen=True, slots=True)
class Dragging:
    r"""The training of adversarial noise by gradient descent.

    The noise $\delta$ of an image x minimises

    $$ ||F(x + \delta) - F(t)|| + p ||\delta||, $$

    where F is the embedding and t the image of somebody else.

    Parameters
    ----------
    steps, rate : the number of steps and the learning rate of the descent.
    penalty : the weight p of the size of the noise.
    """

    steps: int
    rate: float
    penalty: float

    def run(
        self,
        embedding: Embedding,
        images: Tensor,
        others: Tensor,
        dice: torch.Generator | None = None,
    ) -> Tensor:
        """The noise that drags each image towards its other image; many images at once."""
        import torch

        size = embedding.look
        parts = zip(torch.split(images, size), torch.split(others, size), strict=True)
        return torch.cat([self._drag_part(embedding, *part, dice) for part in parts])

    def _drag_part(
        self, embedding: Embedding, images: Tensor, others: Tensor, dice: torch.Generator | None
    ) -> Tensor:
        goal = embedding.points(others, dice)
        delta = _START * others
        adam = Adam([delta], self.rate)
        for _ in range(self.steps):
            apart = _length(embedding(images + delta, dice) - goal)
            adam.step((apart + self.penalty * _length(delta)).sum())
        return delta.detach()


def _length(change: Tensor) -> Tensor:
    """The length of each row; a small number is added, because the root has no slope at 0."""
    return (change.flatten(1).square().sum(1) + 1e-12).sqrt()


@register("adversarial-v1")
class Adversarial(NeuralSanitizer):
    """Adds noise that makes a network mistake each person for somebody else.

    The Golden_Fleece team came second in Hide-and-Seek with this method. Each person's columns are
    scaled to 0..1 over time, with padding of -1. A convolutional network learns to recognise
    persons. Persons whom the network places close together form a cluster. The noise of a cluster
    drags its most central person towards somebody whom the network places far away. All persons of
    the cluster get this noise. Missing values are filled in.

    The noise is small, so series can still be matched one to one: it misleads the network, but not
    a patient attack. The program of the contest was different. Its rows were in the order of the
    clusters, and were scaled back with the range, the length and the missing values of another
    person. This mistake hid people from the attacks of 2020. The missing values, which were put
    back in their old positions, would have identified everybody. ``as_shipped`` repeats all this.

    The defaults are small enough for a CPU. In 2020 the team used width = 64 and iterations =
    30000, which needs a GPU.

    >>> import quintain as q
    >>> small = q.sanitizers.Adversarial(width=4, iterations=50, steps=10, device="cpu")
    >>> small.spec()
    {'use': 'sanitizer/adversarial-v1', 'device': 'cpu', 'steps': 10, ..., 'width': 4, ...}

    Parameters
    ----------
    as_shipped : repeat the program of 2020: missing values count as 0 and are put back at the end,
        rows are mixed up, dropout stays on, and the penalty has no effect.
    width : the channels of the first two convolutions of the network; the third has twice as many.
    iterations, batch : training steps of the network, and pairs of persons per step.
    per_cluster : the average number of persons who share the same noise.
    candidates : how many random persons are compared to choose the one farthest away.
    noise_steps, noise_rate : training steps and learning rate of the noise.
    penalty : the weight of the size of the noise.
    device, steps : as for every neural sanitizer.

    References
    ----------
    Wang, Wang and Srivastava, Protecting User Data Privacy with Adversarial Perturbations (2021),
    and the team's solution to the NeurIPS 2020 Hide-and-Seek Privacy Challenge. Shan et al. (2020),
    Fawkes: Protecting Privacy against Unauthorized Deep Learning Models.
    """

    as_shipped: bool = False
    width: Annotated[int, Field(ge=1, le=1024)] = 8
    iterations: Annotated[int, Field(ge=1, le=10_000_000)] = 300
    batch: Annotated[int, Field(ge=1, le=100_000)] = 64
    per_cluster: Annotated[int, Field(ge=1, le=1_000_000)] = 25
    candidates: Annotated[int, Field(ge=1, le=1_000_000)] = 30
    noise_steps: Annotated[int, Field(ge=0, le=1_000_000)] = 200
    noise_rate: Annotated[float, Field(gt=0, le=1)] = 1e-4
    penalty: Annotated[float, Field(ge=0, le=1000)] = 0.18

    @classmethod
    def examples(cls) -> list[Self]:
        """Tiny networks; no example without PyTorch, because it could not run."""
        if not has_torch():
            return []
        small = cls(width=1, iterations=2, batch=4, per_cluster=5, noise_steps=2, device="cpu")
        return [small, small.model_copy(update={"as_shipped": True})]

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Scale each person, train the network and the noise, scale back."""
        series = as_series(data)
        steps = self.steps or longest(series)
        series = series.head(steps)
        filled = np.nan_to_num(series.values, nan=0.0) if self.as_shipped else complete(series)
        filled_series = Series(series.schema, series.ids, series.offsets, filled)
        images, padding = filled_series.padded(steps)
        low = images.min(axis=1, keepdims=True)
        span = images.max(axis=1, keepdims=True) - low
        span[span == 0] = 1.0
        images -= low
        images /= span
        images = self._hide(images, rng=rng)
        images *= span
        images += low
        values = within_bounds(images[~padding], series.schema)
        if self.as_shipped:
            missing = np.isnan(series.values)
            values[missing] = series.values[missing]
        released = Series(series.schema, series.ids, series.offsets, values)
        return Sanitized(Release(in_random_order(released, noise), methods=self._methods(series)))

    def _hide(self, images: Floats, *, rng: np.random.Generator) -> Floats:
        """The scaled series of all persons, with their noise."""
        with computing(self.device, "adversarial noise") as device:
            import torch

            scaled = torch.from_numpy(images.astype(np.float32)).to(device)
            training = PairTraining(self.width, self.iterations, self.batch)
            embedding = training.run(scaled, rng=rng)
            labels, noise = self._noise(embedding, scaled, rng=rng)
            cluster, moved = labels.cpu().numpy(), noise.cpu().numpy()
        if self.as_shipped:
            # The mistake of 2020: rows in the order of clusters, which the caller does not expect.
            order = np.argsort(cluster, kind="stable")
            return np.asarray(images[order] + moved[cluster[order]])
        return np.asarray(images + moved[cluster])

    def _noise(
        self, embedding: Embedding, scaled: Tensor, *, rng: np.random.Generator
    ) -> tuple[Tensor, Tensor]:
        """The cluster of each person, and the noise of each cluster."""
        import torch

        dice = None
        if self.as_shipped:
            dice = torch.Generator(scaled.device).manual_seed(int(rng.integers(2**62)))
        points = embedding.points(scaled, dice)
        labels = k_means(points, max(1, len(scaled) // self.per_cluster), rng=rng)
        central = most_central(scaled.flatten(1), labels)
        rows = rng.integers(len(scaled), size=(len(central), self.candidates))
        others = torch.from_numpy(rows).to(scaled.device)
        apart = (points[others] - points[central][:, None]).square().sum(2)
        target = others.gather(1, apart.argmax(1, keepdim=True))[:, 0]
        penalty = 0.0 if self.as_shipped else self.penalty
        dragging = Dragging(self.noise_steps, self.noise_rate, penalty)
        return labels, dragging.run(embedding, scaled[central], scaled[target], dice)

    def _methods(self, series: Series) -> tuple[Method, ...]:
        detail = f"adversarial, shared by about {self.per_cluster} persons, "
        detail += f"{self.noise_steps} steps of {self.noise_rate:g} of a person's range"
        added = Method(name="noise addition", rows=len(series), detail=detail)
        if not self.as_shipped:
            return (Method(name="imputation", detail="next value, last value, median"), added)
        mixed = "rows with the range, length and missing values of another person"
        return (added, Method(name="shuffling", rows=len(series), detail=mixed))


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
        flat = 2 * width * _pool(steps) * _pool(columns)
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


def _pool(size: int) -> int:
    for _ in KERNELS:
        size = (size + 1) // 2
    return size
