"""Partial extraction: release a random part of the records."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.data import Data, as_table
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized, Trace
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.shuffling import random_subset


@register("partial-extraction-v1")
class PartialExtraction(Sanitizer):
    """Publishes a random part of the records as they are.

    Every record has the same probability to be published. The number of records is fixed.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> people = q.Table.of(q.Schema(columns=(age,)), {"age": [21, 34, 35, 36, 90]})
    >>> release = q.sanitize("partial-extraction", people, share=0.6, seed=1)
    >>> [record["age"] for record in release.data.records()]
    [21, 34, 90]

    Parameters
    ----------
    share : the share of records to publish; at least one record is published.
    """

    share: Annotated[float, Field(gt=0, le=1)] = 0.5

    def tells_origins(self) -> bool:
        """Yes: a released record is a private record."""
        return True

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Draw records without replacement and keep them in their order."""
        table = as_table(data)
        count = max(1, round(self.share * len(table)))
        method = Method(
            name="partial record extraction",
            rows=len(table) - count,
            detail=f"{100 * self.share:g} % of the records drawn at random, the others left out",
        )
        rows = random_subset(count, len(table), noise)
        return Sanitized(Release(table.take(rows), methods=(method,)), Trace(origins=rows))
