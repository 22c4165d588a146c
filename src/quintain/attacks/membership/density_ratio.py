"""Density ratio: where the release is denser than the population, it may copy members."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.membership.record_scores import RecordScores
from quintain.data import Table
from quintain.data.arrays import Array, Floats, Singles
from quintain.kernels.distances import spans
from quintain.kernels.dummies import numbers
from quintain.registry import register

_BLOCK = 1 << 22  # pairs of a record and a point in memory at a time
_TILE = 16, 1 << 12  # records and points that are compared at a time: fits the cache


@register("density-ratio-v1")
class DensityRatio(RecordScores):
    r"""Scores a record by its density in the release divided by its density in the base data.

    $$ p_{release}(x) / p_{base}(x) $$

    Densities are kernel estimates over columns of mixed kinds. A category that differs multiplies
    the kernel by ``mismatch``. A number or time that differs by t times the column's range
    multiplies it by exp(-t / width). The range comes from the schema, or else from release, base
    data and targets. Two missing values agree; a missing value differs from any other as two
    categories do. The score of a target is the mean over its records.

    Parameters
    ----------
    mismatch : the factor for a differing category.
    width : the scale of numeric differences, as a share of the column's range.
    reference : how many base records the attack uses to estimate the density of the base data.

    References
    ----------
    Van Breugel, Sun, Qian and van der Schaar, Membership Inference Attacks against Synthetic Data
    through Overfitting Detection (DOMIAS), AISTATS 2023.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("density-ratio", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.83; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    mismatch: Annotated[float, Field(gt=0, lt=1)] = 0.2
    width: Annotated[float, Field(gt=0)] = 0.05
    reference: Annotated[int, Field(ge=10)] = 10_000

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Estimate both densities at every record."""
        sample = base.take(rng.choice(len(base), min(self.reference, len(base)), replace=False))
        widths = spans(records.schema, [release, base, records])
        scales = {name: self.width * width or 1.0 for name, width in widths.items()}
        kernel = Kernel(float(np.log(self.mismatch)), scales)
        return kernel.log_density(release, records) - kernel.log_density(sample, records)


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """How likely a point explains a record, over columns of mixed kinds.

    Parameters
    ----------
    mismatch : the logarithm of the factor for differing categories, and for a missing value.
    scales : for each number or time, the difference that multiplies the kernel by 1 / e.
    """

    mismatch: float
    scales: Mapping[str, float]

    def log_density(self, table: Table, records: Table) -> Floats:
        """The logarithm of the mean kernel between each record and all points of a table."""
        queries, points = self._contents(records), self._contents(table)
        out = np.empty(len(records))
        step = max(1, _BLOCK // max(1, len(table)))
        for start in range(0, len(records), step):
            block = {name: values[start : start + step] for name, values in queries.items()}
            kernel = self._between(block, points, min(step, len(records) - start), len(table))
            top = kernel.max(axis=1, keepdims=True)
            out[start : start + step] = top[:, 0] + np.log(np.exp(kernel - top).mean(axis=1))
        return out

    def _contents(self, table: Table) -> dict[str, Array]:
        """Numbers with NaN where missing, and the codes of categories."""
        return {
            c.name: numbers(c, table) if c.name in self.scales else table.columns[c.name]
            for c in table.schema.columns
        }

    def _between(
        self, queries: Mapping[str, Array], points: Mapping[str, Array], rows: int, size: int
    ) -> Singles:
        """The logarithms of the kernel, records x points, tile by tile."""
        kernel = np.zeros((rows, size), dtype=np.float32)
        for row in range(0, rows, _TILE[0]):
            for place in range(0, size, _TILE[1]):
                tile = kernel[row : row + _TILE[0], place : place + _TILE[1]]
                for name, values in queries.items():
                    here = values[row : row + _TILE[0], None]
                    there = points[name][None, place : place + _TILE[1]]
                    self._add(tile, name, here, there)
        return kernel

    def _add(self, tile: Singles, name: str, here: Array, there: Array) -> None:
        """Add what one column says about each pair."""
        if name not in self.scales:
            tile += np.where(here == there, np.float32(0), np.float32(self.mismatch))
            return
        gaps = here - there
        np.abs(gaps, out=gaps)
        gaps /= -self.scales[name]
        unknown = np.isnan(here), np.isnan(there)
        if unknown[0].any() or unknown[1].any():
            differs = np.where(unknown[0] & unknown[1], 0.0, self.mismatch)
            gaps = np.where(np.isnan(gaps), differs, gaps)
        tile += gaps.astype(np.float32)
