"""Density ratio: where the release is denser than the population, it may copy members."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.bounds import require_bounds
from quintain.attacks.membership.record_scores import RecordScores
from quintain.data import Table
from quintain.registry import register

Floats = npt.NDArray[np.float64]

_BLOCK = 1 << 22


@register("density-ratio-v1")
class DensityRatio(RecordScores):
    r"""Scores a record by its density in the release divided by its density in the base data.

    $$ p_{release}(x) / p_{base}(x) $$

    Densities are kernel estimates over columns of mixed kinds. A category that differs multiplies
    the kernel by ``mismatch``. A number that differs by t times the column's range multiplies it by
    exp(-t / width), so every number needs bounds in the schema. The score of a target is the mean
    over its records.

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

    counts_values: ClassVar[bool] = False

    mismatch: Annotated[float, Field(gt=0, lt=1)] = 0.2
    width: Annotated[float, Field(gt=0)] = 0.05
    reference: Annotated[int, Field(ge=10)] = 10_000

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Estimate both densities at every record."""
        require_bounds(self, records.schema)
        sample = base.take(rng.choice(len(base), min(self.reference, len(base)), replace=False))
        return self._log_density(release, records) - self._log_density(sample, records)

    def _log_density(self, table: Table, records: Table) -> Floats:
        out = np.empty(len(records))
        step = max(1, _BLOCK // max(1, len(table)))
        for start in range(0, len(records), step):
            block = np.arange(start, min(start + step, len(records)))
            kernel = np.zeros((len(block), len(table)), dtype=np.float32)
            for column in records.schema.columns:
                targets = records.columns[column.name][block][:, None]
                points = table.columns[column.name][None, :]
                if column.kind == "category":
                    kernel += np.where(targets == points, 0.0, np.log(self.mismatch)).astype(
                        np.float32
                    )
                else:
                    scale = self.width * max(1, column.size - 1)
                    kernel -= (np.abs(targets - points) / scale).astype(np.float32)
            top = kernel.max(axis=1, keepdims=True)
            out[block] = top[:, 0] + np.log(np.exp(kernel - top).mean(axis=1))
        return out
