"""Record deletion: delete the records with the rarest values."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Data, Schema, Table, as_table
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized, Trace
from quintain.sanitizers.masking.columns import ColumnNames, chosen_columns
from quintain.sanitizers.sanitizer import Sanitizer


@register("record-deletion-v1")
class RecordDeletion(Sanitizer):
    """Deletes the records with the rarest values and publishes the others as they are.

    The rarity of a record is the sum of -log2 of the shares of its values. That is the number of
    bits that describe the record if its columns are independent.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> people = q.Table.of(q.Schema(columns=(age,)), {"age": [30, 30, 41, 30]})
    >>> release = q.sanitize("record-deletion", people, share=0.25)
    >>> [record["age"] for record in release.data.records()]
    [30, 30, 30]

    Parameters
    ----------
    share : the share of records to delete; at least one record stays.
    columns : the columns whose values count; all columns if not given.
    """

    share: Annotated[float, Field(ge=0, le=1)] = 0.05
    columns: ColumnNames | None = None

    def tells_origins(self) -> bool:
        """Yes: a released record is a private record."""
        return True

    def require(self, schema: Schema) -> None:
        """Every named column must exist."""
        super().require(schema)
        chosen_columns(self.id, schema, self.columns)

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Rank the records by rarity and keep the usual ones in their order."""
        table = as_table(data)
        names = chosen_columns(self.id, table.schema, self.columns)
        deleted = min(round(self.share * len(table)), len(table) - 1)
        usual = np.argsort(surprise(table, names), kind="stable")[: len(table) - deleted]
        usual = np.sort(usual)
        method = Method(
            name="record deletion",
            columns=names,
            rows=deleted,
            detail=f"the {100 * self.share:g} % of the records with the rarest values",
        )
        return Sanitized(Release(table.take(usual), methods=(method,)), Trace(origins=usual))


def surprise(table: Table, names: tuple[str, ...]) -> npt.NDArray[np.float64]:
    """For every record the sum of -log2 of the shares of its values."""
    out = np.zeros(len(table))
    for name in names:
        _, code, count = np.unique(table.columns[name], return_inverse=True, return_counts=True)
        out += np.log2(len(table) / count)[code]
    return out
