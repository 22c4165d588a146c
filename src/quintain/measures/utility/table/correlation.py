"""Correlation: how far a correlation coefficient of the release is off, at worst."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from quintain.data import Data, Schema, as_table
from quintain.kernels.dummies import correlation_gaps, moments, require_few
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@register("correlation-v1")
class Correlation(ReleaseMeasure):
    r"""The largest difference of a correlation coefficient, over all pairs of dummy variables.

    $$ max_{i < j} |r^{release}_{ij} - r^{original}_{ij}| $$

    0 means equal correlations; lower is better. A variable that never changes has no coefficient. A
    pair without one in both tables differs by 0, a pair without one in only one table by 1. So a
    release that loses a rare category altogether reads at least 1. Numbers and times enter as they
    are. A missing category is one more category; a missing number counts as the mean, and one more
    variable marks it.

    References
    ----------
    AMIC 2020, utility of the final round (review of the contest, 2021).

    Examples
    --------
    In the original, age and sex are not correlated. One changed age correlates them:

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> original = pa.table({"age": [30, 30, 40, 40], "sex": ["f", "m", "f", "m"]})
    >>> release = pa.table({"age": [30, 30, 30, 40], "sex": ["f", "m", "f", "m"]})
    >>> print(q.measure("correlation", original, release)["correlation"])
    0.5774
    """

    about: ClassVar[About] = "utility"

    reads: ClassVar[Mapping[str, Direction]] = {"correlation": "lower"}

    def require(self, schema: Schema) -> None:
        """The covariance matrix of all dummy variables must fit the memory."""
        super().require(schema)
        require_few(self.id, schema)

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Take the largest difference of the two correlation matrices."""
        original, release = as_table(original), as_table(release)
        if min(len(original), len(release)) < 2:
            return {"correlation": Reading.missing("lower", "fewer than two records")}
        gaps = correlation_gaps(moments(original), moments(release))
        value = float(np.abs(gaps).max())
        return {"correlation": Reading.exact(value, len(original), "lower")}
