"""Randomized response by frequency: keep a value, or draw one from its own column."""

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
    """Keeps each value with probability ``keep``, otherwise takes the value of a random record.

    The new values follow the distribution of their column. So one-way counts hardly change, while
    the dependence between columns becomes weaker. The draw may give the same value again. The
    distribution comes from the private data, so nothing is claimed.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> people = q.Table.of(q.Schema(columns=(age,)), {"age": [21, 34, 35, 36, 90]})
    >>> release = q.sanitize("rrp", people, keep=0.5, seed=1)
    >>> [record["age"] for record in release.data.records()]
    [21, 34, 34, 35, 90]

    Parameters
    ----------
    keep : the probability to keep a value.
    columns : the columns to change; all columns if not given.

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
        """Keep or replace the value of every cell."""
        rows, out = len(data), {}
        for name in names:
            answers = data.columns[name]
            kept = noise.bernoulli(self.keep, rows)
            out[name] = np.where(kept, answers, answers[noise.integers(rows, rows)])
        return out

    def detail(self) -> str:
        """The probability, and where other values come from, in words."""
        return (
            f"each value kept with probability {self.keep}, otherwise drawn from the "
            "distribution of its column"
        )
