"""Record deletion: leave out the records with the rarest values."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Data, Table, as_table
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.masking.columns import ColumnNames, chosen_columns
from quintain.sanitizers.sanitizer import Sanitizer


@register("record-deletion-v1")
class RecordDeletion(Sanitizer):
    """Deletes the records with the rarest values; the rest is published as it is.

    How much a record stands out is the sum of -log2 of the shares of its values: what it would
    take to say them if columns were independent.

    Parameters
    ----------
    share : the share of records to delete; at least one record stays.
    columns : the columns that are looked at; all if not given.
    """

    share: Annotated[float, Field(ge=0, le=1)] = 0.05
    columns: ColumnNames | None = None

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Rank the records and keep the more usual ones, in the order they are in."""
        table = as_table(data)
        names = chosen_columns(self.id, table.schema, self.columns)
        deleted = min(round(self.share * len(table)), len(table) - 1)
        usual = np.argsort(surprise(table, names), kind="stable")[: len(table) - deleted]
        method = Method(
            name="record deletion",
            columns=names,
            rows=deleted,
            detail=f"the {self.share:g} of the records whose values are rarest",
        )
        return Sanitized(Release(table.take(np.sort(usual)), methods=(method,)))


def surprise(table: Table, names: tuple[str, ...]) -> npt.NDArray[np.float64]:
    """For every record the sum of -log2 of the shares of its values."""
    out = np.zeros(len(table))
    for name in names:
        _, code, count = np.unique(table.columns[name], return_inverse=True, return_counts=True)
        out += np.log2(len(table) / count)[code]
    return out
