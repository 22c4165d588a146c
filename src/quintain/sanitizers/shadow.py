"""Shadow: the attacked sanitizer, as an attacker runs it on their own data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.data import Data
from quintain.noise import Noise
from quintain.releases import FocalPoint, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer, sanitize


@dataclass(frozen=True, slots=True)
class Shadow:
    """Runs the attacked sanitizer on an attacker's own data, with the attacker's own noise."""

    sanitizer: Sanitizer

    def __call__(self, data: Data, *, rng: np.random.Generator) -> Sanitized:
        """Make a shadow release, with the trace of its run."""
        return sanitize(self.sanitizer, data, rng=rng, noise=Noise.for_test(rng))

    def structure(self, data: Data) -> tuple[FocalPoint, ...]:
        """What the sanitizer would choose on these data if its noise were always zero.

        Nothing else changes: where the sanitizer decides by how large its noise is, it decides as
        with the noise.
        """
        return self.sanitizer.choice(data, noise=_Silence(bytes(32), test=True))


class _Silence(Noise):
    """Noise that is always zero and makes the likeliest choice; it protects nobody."""

    __slots__ = ()

    def bernoulli(self, probability: npt.ArrayLike, size: int) -> npt.NDArray[np.bool_]:
        """The likelier truth values."""
        return np.broadcast_to(np.asarray(probability) > 0.5, size)

    def laplace(self, scale: float, size: int) -> npt.NDArray[np.int64]:
        """The value that is likeliest, which is zero."""
        return np.zeros(size, np.int64)

    def gaussian(self, sigma: float, size: int) -> npt.NDArray[np.int64]:
        """The value that is likeliest, which is zero."""
        return np.zeros(size, np.int64)

    def choose(self, scores: npt.ArrayLike, epsilon: float, sensitivity: float) -> int:
        """The first of the options with the best score."""
        return int(np.argmax(np.asarray(scores)))
