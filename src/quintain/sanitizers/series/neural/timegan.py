"""TimeGAN: new series from networks that learned how series go on."""

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
"""Persons that are made together."""


@register("timegan-v1")
class TimeGan(NeuralSanitizer):
    """Makes new persons with TimeGAN, a generative adversarial network for time series.

    A baseline of Hide-and-Seek. Series are completed and scaled, time too; networks learn a latent
    space, how latent series go on, and to make some from noise that a discriminator takes for
    real. In 2020 padding was learned as if it were data; here rows that are not there do not
    count, and the lengths of new persons are drawn from those of the data. Times are made to rise
    from 0, and values kept in the range of the data. Nothing is claimed.

    The defaults are small, for a processor. As in 2020: iterations = 20000, batch = 128; that wants
    a GPU.

    Parameters
    ----------
    iterations : of each of the three phases of training.
    batch : persons of a step.
    hidden, layers : of each network.
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
        """A tiny one; none where PyTorch is missing, since it could not run."""
        return [cls(iterations=2, batch=5, hidden=3, device="cpu")] if has_torch() else []

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Train, then make as many persons as there were."""
        series = as_series(data)
        prepared = prepare_timed(series, self.steps or longest(series))
        training = GanTraining(self.hidden, self.layers, self.iterations, self.batch)
        lengths = prepared.lengths[noise.integers(len(prepared), len(prepared))]
        with computing(self.device, "TimeGAN") as device:
            import torch

            nets = training.run(as_batch(prepared, device), rng=rng)
            parts = []
            for start in range(0, len(lengths), _LOOK):
                some = lengths[start : start + _LOOK]
                shape = len(some), prepared.steps, prepared.values.shape[1]
                drawn = noise.uniform(int(np.prod(shape))).reshape(shape).astype(np.float32)
                with torch.no_grad():
                    made = nets.made(torch.from_numpy(drawn).to(device)).cpu().numpy()
                parts.append(_rising(made, some))
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


def _rising(made: npt.NDArray[np.float32], lengths: Rows) -> npt.NDArray[np.float32]:
    """The rows of made persons, one after the other: values in 0..1, times from 0 upwards."""
    np.clip(made, 0.0, 1.0, out=made)
    made[:, :, 0] -= made[:, :1, 0].copy()
    made[:, :, 0] = np.maximum.accumulate(made[:, :, 0], axis=1)
    kept: npt.NDArray[np.float32] = made[np.arange(made.shape[1]) < lengths[:, None]]
    return kept
