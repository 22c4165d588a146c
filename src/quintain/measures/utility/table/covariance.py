"""Covariance: how far the covariance matrix of the release is from the original's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Literal, Self

import numpy as np

from quintain.data import Data, as_table
from quintain.kernels.dummies import moments
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@register("covariance-v1")
class Covariance(ReleaseMeasure):
    r"""One over the difference of the covariance matrices of all dummy variables.

    With $\Delta$ the difference of the sample covariances, "row" reads

    $$ 1 / max_i sum_j |\Delta_{ij}| $$

    and "sum" one over the sum of all $|\Delta_{ij}|$. Infinite if nothing differs. Numbers enter as
    they are, so a number with a wide range rules the reading; every category has a variable.

    Parameters
    ----------
    norm : "row" is the largest row sum, as the second version of AMIC's rules has it and its
        evaluation code computed it; "sum" is the formula of the first version. With AMIC's
        threshold of 0.4, "sum" lets pass next to nothing but the original.

    References: AMIC 2020, "Utility Measure: Variance-Covariance Matrix", both versions.
    """

    about: ClassVar[About] = "utility"

    norm: Literal["row", "sum"] = "row"

    @classmethod
    def examples(cls) -> list[Self]:
        """Both."""
        return [cls(norm="row"), cls(norm="sum")]

    reads: ClassVar[Mapping[str, Direction]] = {"covariance": "higher"}

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Compare the covariance matrices."""
        original, release = as_table(original), as_table(release)
        if min(len(original), len(release)) < 2:
            return {"covariance": Reading.missing("higher", "fewer than two records")}
        gap = np.abs(moments(release).covariance - moments(original).covariance)
        size = float(gap.sum(axis=0).max() if self.norm == "row" else gap.sum())
        value = 1 / size if size else math.inf
        return {"covariance": Reading.exact(value, len(original), "higher")}
