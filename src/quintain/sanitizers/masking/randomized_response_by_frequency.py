"""Randomized response by frequency: keep a value, or draw one as often as it occurs."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Table
from quintain.data.arrays import Array
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.masking.mask import Masking


@register("rrp-v1")
class RandomizedResponseByFrequency(Masking):
    """Keeps each value with probability ``keep``, else takes that of a record drawn at random.

    Replacements follow the column's own distribution, so one-way counts hardly change, while
    dependence between columns fades. The draw may give the same value again. The distribution is
    that of the private data, so nothing is claimed.

    Parameters
    ----------
    keep : the probability of keeping a value.
    columns : the columns it is applied to; all if not given.

    References
    ----------
    AMIC (PWSCup 2020), sample code "rrp.py". Gouweleeuw et al., Post randomisation for statistical
    disclosure control, Journal of Official Statistics 14 (1998).
    """

    method: ClassVar[str] = "randomized response"

    keep: Annotated[float, Field(ge=0, le=1)] = 0.9

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Answer for every cell."""
        rows, out = len(data), {}
        for name in names:
            held = data.columns[name]
            kept = noise.bernoulli(self.keep, rows)
            out[name] = np.where(kept, held, held[noise.integers(rows, rows)])
        return out

    def detail(self) -> str:
        """The probability, and what else is said."""
        return (
            f"each value kept with probability {self.keep}, else drawn from the distribution of "
            "its column"
        )
