"""Covariance and correlation: how close those of the release are to the original's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Literal, Self

import numpy as np

from quintain.data import Data, Schema, as_table
from quintain.kernels.dummies import correlation_gaps, moments, require_few
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


class _MomentMeasure(ReleaseMeasure):
    """Compares the moments of two tables: their matrix must fit the memory."""

    about: ClassVar[About] = "utility"

    def require(self, schema: Schema) -> None:
        """The covariance matrix of all dummy variables must fit the memory."""
        super().require(schema)
        require_few(self.id, schema)


@register("covariance-v1")
class Covariance(_MomentMeasure):
    r"""One over the difference of the covariance matrices of all dummy variables.

    $\Delta$ is the difference of the sample covariances. "row" reads

    $$ 1 / max_i sum_j |\Delta_{ij}| $$

    and "sum" reads one over the sum of all $|\Delta_{ij}|$. The reading is infinite if nothing
    differs; higher is better. Numbers enter unscaled, so a number with a wide range dominates the
    reading, as do times, in seconds. Every category has its own dummy variable, also a missing one;
    a missing number counts as the mean, and one more variable marks it.

    Parameters
    ----------
    norm : "row" is the largest row sum, as in the second version of AMIC's rules and in its
        evaluation code; "sum" is the formula of the first version. With AMIC's threshold of 0.4,
        "sum" accepts hardly anything but the original.

    References
    ----------
    AMIC 2020, "Utility Measure: Variance-Covariance Matrix", both versions.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import quintain as q
    >>> original = pa.table({"age": [30, 30, 40, 40], "sex": ["f", "m", "f", "m"]})
    >>> release = pa.table({"age": [30, 30, 30, 40], "sex": ["f", "m", "f", "m"]})
    >>> print(q.measure("covariance", original, release)["covariance"])
    0.08571
    >>> print(q.measure("covariance", original, original)["covariance"])
    inf
    """

    norm: Literal["row", "sum"] = "row"

    @classmethod
    def examples(cls) -> list[Self]:
        """One measure for each norm."""
        return [cls(norm="row"), cls(norm="sum")]

    reads: ClassVar[Mapping[str, Direction]] = {"covariance": "higher"}

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Take the norm of the difference of the two covariance matrices."""
        original, release = as_table(original), as_table(release)
        if min(len(original), len(release)) < 2:
            return {"covariance": Reading.missing("higher", "fewer than two records")}
        gap = np.abs(moments(release).covariance - moments(original).covariance)
        size = float(gap.sum(axis=0).max() if self.norm == "row" else gap.sum())
        value = 1 / size if size else math.inf
        return {"covariance": Reading.exact(value, len(original), "higher")}


@register("correlation-v1")
class Correlation(_MomentMeasure):
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

    reads: ClassVar[Mapping[str, Direction]] = {"correlation": "lower"}

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
