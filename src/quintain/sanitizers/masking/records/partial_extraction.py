"""Partial extraction: release a random part of the records."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.data import Data, as_table
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.masking.shuffling import some
from quintain.sanitizers.sanitizer import Sanitizer


@register("partial-extraction-v1")
class PartialExtraction(Sanitizer):
    """Publishes a random part of the records as they are.

    Every record has the same chance to be among them, and the number of them is fixed.

    Parameters
    ----------
    share : the share of records to publish, at least one record.
    """

    share: Annotated[float, Field(gt=0, le=1)] = 0.5

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Draw without replacement; what is drawn stays in order."""
        table = as_table(data)
        count = max(1, round(self.share * len(table)))
        method = Method(
            name="partial record extraction",
            rows=len(table) - count,
            detail=f"{self.share:g} of the records drawn at random, the rest left out",
        )
        return Sanitized(Release(table.take(some(count, len(table), noise)), methods=(method,)))
