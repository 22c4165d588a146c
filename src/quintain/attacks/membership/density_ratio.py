"""Density ratio: overfitted places, where the release is denser than the population."""

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
    r"""Scores a record by its density in the release over that in the base data.

    $$ p_{release}(x) / p_{base}(x) $$

    after DOMIAS (van Breugel et al. 2023). Densities are kernel estimates over mixed columns: a
    category that differs multiplies the kernel by ``mismatch``, a number that is off by its
    schema's range times t multiplies it by exp(-t / width). A target's score is
    the mean over its records.

    Parameters
    ----------
    mismatch : the factor for a differing category.
    width : the scale of numeric differences, as a share of the column's range.
    reference : how many base records the reference density is estimated from.
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
        some = rng.choice(len(base), min(self.reference, len(base)), replace=False)
        return self._log_density(release, records) - self._log_density(base.take(some), records)

    def _log_density(self, table: Table, records: Table) -> Floats:
        out = np.empty(len(records))
        step = max(1, _BLOCK // max(1, len(table)))
        for start in range(0, len(records), step):
            some = np.arange(start, min(start + step, len(records)))
            kernel = np.zeros((len(some), len(table)), dtype=np.float32)
            for column in records.schema.columns:
                wanted = records.columns[column.name][some][:, None]
                there = table.columns[column.name][None, :]
                if column.kind == "category":
                    kernel += np.where(wanted == there, 0.0, np.log(self.mismatch)).astype(
                        np.float32
                    )
                else:
                    scale = self.width * max(1, column.size - 1)
                    kernel -= (np.abs(wanted - there) / scale).astype(np.float32)
            top = kernel.max(axis=1, keepdims=True)
            out[some] = top[:, 0] + np.log(np.exp(kernel - top).mean(axis=1))
        return out
