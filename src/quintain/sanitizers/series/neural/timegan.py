"""TimeGAN: synthetic series from networks that learned how series continue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Data, as_series
from quintain.data.arrays import Rows
from quintain.jobs.progress import track
from quintain.kernels.networks import (
    Adam,
    Batch,
    as_batch,
    computing,
    has_torch,
    make_gru,
    prepare_timed,
)
from quintain.kernels.series import PreparedSeries, longest
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.series.neural.neural_sanitizer import NeuralSanitizer

if TYPE_CHECKING:
    import torch
    from torch import Generator, Tensor


# The five networks of TimeGAN and their losses.
#
# The embedder maps series to a small latent space, and the recovery network maps them back. The
# generator makes latent series from noise. The supervisor predicts the next latent row. The
# discriminator tells real latent series from synthetic ones, row by row.


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


# The three phases of the training of TimeGAN: embedding, supervision, all together.


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


_LOOK = 512
"""How many persons are generated at once."""


@register("timegan-v1")
class TimeGan(NeuralSanitizer):
    """Generates synthetic persons with TimeGAN, a generative adversarial network for time series.

    This is a baseline of Hide-and-Seek. Missing values are filled in, and all columns are scaled,
    time included. Networks learn a latent space and how latent series continue. They also learn to
    generate latent series from noise that a discriminator mistakes for real ones. In 2020 the
    networks learned padding as if it were data. Here padding does not count, and the lengths of
    synthetic persons are drawn from the lengths in the data. Times rise from 0, and values stay in
    the range of the data. Nothing is claimed.

    The defaults are small enough for a CPU. In 2020 the organisers used iterations = 20000 and
    batch = 128, which needs a GPU.

    >>> import quintain as q
    >>> q.sanitizers.TimeGan(iterations=20, hidden=4, device="cpu").spec()
    {'use': 'sanitizer/timegan-v1', 'device': 'cpu', ..., 'iterations': 20, 'batch': 64, ...}

    Parameters
    ----------
    iterations : training steps of each of the three phases.
    batch : persons per training step.
    hidden, layers : the size of the state and the number of layers of each network.
    device, steps : as for every neural sanitizer.

    References
    ----------
    Yoon, Jarrett and van der Schaar (2019), Time-series Generative Adversarial Networks. Jordon et
    al., Hide-and-Seek Privacy Challenge, arXiv:2007.12087.
    """

    iterations: Annotated[int, Field(ge=1, le=10_000_000)] = 500
    batch: Annotated[int, Field(ge=1, le=1_000_000)] = 64
    hidden: Annotated[int, Field(ge=1, le=4096)] = 10
    layers: Annotated[int, Field(ge=1, le=10)] = 3

    @classmethod
    def examples(cls) -> list[Self]:
        """Tiny networks; no example without PyTorch, because it could not run."""
        return [cls(iterations=2, batch=5, hidden=3, device="cpu")] if has_torch() else []

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Train the networks, then generate as many persons as the data have."""
        series = as_series(data)
        prepared = prepare_timed(series, self.steps or longest(series))
        training = GanTraining(self.hidden, self.layers, self.iterations, self.batch)
        lengths = prepared.lengths[noise.integers(len(prepared), len(prepared))]
        with computing(self.device, "TimeGAN") as device:
            import torch

            nets = training.run(as_batch(prepared, device), rng=rng)
            parts = []
            for start in range(0, len(lengths), _LOOK):
                part_lengths = lengths[start : start + _LOOK]
                shape = len(part_lengths), prepared.steps, prepared.values.shape[1]
                drawn = noise.uniform(int(np.prod(shape))).reshape(shape).astype(np.float32)
                with torch.no_grad():
                    values = nets.generate(torch.from_numpy(drawn).to(device)).cpu().numpy()
                parts.append(_rising(values, part_lengths))
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        released = prepared.restore(np.concatenate(parts).astype(np.float64), offsets)
        return Sanitized(Release(released, methods=self._methods(prepared)))

    def _methods(self, prepared: PreparedSeries) -> tuple[Method, ...]:
        return (
            Method(name="imputation", detail="next value, last value, median"),
            Method(
                name="synthetic data generation",
                rows=len(prepared),
                detail=f"TimeGAN, {self.iterations} iterations of each phase",
            ),
        )


def _rising(values: npt.NDArray[np.float32], lengths: Rows) -> npt.NDArray[np.float32]:
    """The rows of synthetic persons, person after person: values in 0..1, times rising from 0."""
    np.clip(values, 0.0, 1.0, out=values)
    values[:, :, 0] -= values[:, :1, 0].copy()
    values[:, :, 0] = np.maximum.accumulate(values[:, :, 0], axis=1)
    kept: npt.NDArray[np.float32] = values[np.arange(values.shape[1]) < lengths[:, None]]
    return kept
