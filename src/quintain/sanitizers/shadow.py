"""Shadow: the attacked sanitizer, as an attacker runs it on their own data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data import Data
from quintain.noise import Noise
from quintain.releases import Sanitized
from quintain.sanitizers.sanitizer import Sanitizer, sanitize


@dataclass(frozen=True, slots=True)
class Shadow:
    """Runs the attacked sanitizer on an attacker's own data, with the attacker's own noise."""

    sanitizer: Sanitizer

    def __call__(self, data: Data, *, rng: np.random.Generator) -> Sanitized:
        """Make a shadow release, with the trace of its run."""
        return sanitize(self.sanitizer, data, rng=rng, noise=Noise.for_test(rng))
