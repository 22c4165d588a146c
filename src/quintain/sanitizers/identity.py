"""The null sanitizer, against which every other is measured."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.data import Data
from quintain.data.schema import Shape
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer


@register("identity-v1")
class Identity(Sanitizer):
    """Publishes the private data as they are: perfect utility, no protection."""

    shapes: ClassVar[tuple[Shape, ...]] = ("table", "transactions", "series")

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Give the data back."""
        return Sanitized(Release(data, methods=(Method(name="none", rows=0),)))
