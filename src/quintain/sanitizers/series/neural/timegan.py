"""TimeGAN: synthetic series from networks that learned how series continue."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Data
from quintain.data.arrays import Rows
from quintain.kernels.networks.arrays import as_batch, prepare_timed
from quintain.kernels.networks.device import computing, has_torch
from quintain.kernels.series_preparation import Prepared, as_series, longest
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.series.neural.neural_sanitizer import NeuralSanitizer
from quintain.sanitizers.series.neural.timegan_training import GanTraining

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
        released = prepared.restored(np.concatenate(parts).astype(np.float64), offsets)
        return Sanitized(Release(released, methods=self._methods(prepared)))

    def _methods(self, prepared: Prepared) -> tuple[Method, ...]:
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
