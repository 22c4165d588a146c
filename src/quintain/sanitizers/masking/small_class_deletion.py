"""Small class deletion: release a record only if k records share its values."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.data import Data, Schema, as_table
from quintain.errors import PartError
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import ClaimedModel, Method, Release, Sanitized, Trace
from quintain.sanitizers.masking.columns import ColumnNames, chosen_columns
from quintain.sanitizers.sanitizer import Sanitizer


@register("small-class-deletion-v1")
class SmallClassDeletion(Sanitizer):
    """Deletes every record whose chosen values occur in fewer than ``k`` records.

    The other records stay unchanged, in their order. A k-anonymous release does not hide who was
    in the data: every published record is true. ``k-anonymity`` generalises values instead, and
    keeps the records.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> people = q.Table.of(q.Schema(columns=(age,)), {"age": [30, 30, 41, 30]})
    >>> release = q.sanitize("small-class-deletion", people, k=2)
    >>> [record["age"] for record in release.data.records()]
    [30, 30, 30]

    Parameters
    ----------
    k : the smallest number of records in a class that stays.
    columns : the columns whose values make records alike; all columns if not given.

    References
    ----------
    Sweeney, k-anonymity, IJUFKS 10 (2002). AMIC (PWSCup 2020), sample code "kanony.py".
    """

    k: Annotated[int, Field(ge=1)] = 5
    columns: ColumnNames | None = None

    def tells_origins(self) -> bool:
        """Yes: a released record is a private record."""
        return True

    def require(self, schema: Schema) -> None:
        """Every named column must exist."""
        super().require(schema)
        chosen_columns(self.id, schema, self.columns)

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Count the records of each class and delete the small classes."""
        table = as_table(data)
        names = chosen_columns(self.id, table.schema, self.columns)
        label = table.select(names).row_keys()
        kept = np.bincount(label)[label] >= self.k
        if not kept.any():
            raise PartError(
                f"{self.id} would leave nothing: no {self.k} records agree in {', '.join(names)}; "
                "choose fewer columns or a smaller k, or generalise values with k-anonymity"
            )
        method = Method(
            name="record deletion",
            columns=names,
            rows=int((~kept).sum()),
            detail=f"k-anonymity with k = {self.k}: records of smaller groups deleted",
        )
        origins = np.flatnonzero(kept)
        model = ClaimedModel(name="k-anonymity", value=self.k, columns=names)
        release = Release(table.take(kept), methods=(method,), models=(model,))
        return Sanitized(release, Trace(origins=origins))
