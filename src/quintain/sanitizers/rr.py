"""Randomized response: keep a value, or say another at random."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.data import Data, as_table
from quintain.errors import PartError
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Claim, Method, Release
from quintain.sanitizers.sanitizer import Sanitizer


@register("rr-v1")
class RandomizedResponse(Sanitizer):
    """Keeps each value with probability ``keep``, else draws one uniformly from its domain.

    The draw may give the same value again. A column with m values is then epsilon-private with
    epsilon = ln(1 + m keep / (1 - keep)); the claim adds up the columns, for one record replaced.

    Parameters
    ----------
    keep : the probability of keeping a value.
    columns : the columns it is applied to; all if not given.
    """

    keep: Annotated[float, Field(ge=0, le=1)] = 0.9
    columns: tuple[str, ...] | None = None

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Release:
        """Answer for every cell."""
        data = as_table(data)
        names = data.schema.names if self.columns is None else self.columns
        changed, epsilon = {}, 0.0
        for name in names:
            if name not in data.schema:
                raise PartError(f"randomized response of {name!r}: the data have no such column")
            column = data.schema[name]
            if not column.discrete:
                raise PartError(f"randomized response needs a finite domain; {name!r} has none")
            # A missing value (code -1) is a value like any other, or keeping it would tell.
            size = column.size + column.nullable
            kept = noise.bernoulli(self.keep, len(data))
            other = noise.integers(size, len(data)) - column.nullable
            changed[name] = np.where(kept, data.columns[name], other)
            odds = math.inf if self.keep == 1 else size * self.keep / (1 - self.keep)
            epsilon += math.log1p(odds)
        complete = set(names) == set(data.schema.names) and 0 < epsilon < math.inf
        method = Method(
            name="randomized response",
            columns=tuple(names),
            rows=round(len(data) * (1 - self.keep ** len(names))),
            detail=f"each value kept with probability {self.keep}",
        )
        claim = Claim(epsilon=epsilon, neighbours="replace") if complete else None
        return Release(data.replace(changed), claim, (method,))
