"""Deletion: publish records as they are, without the rarest, small classes, or a random part."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Data, Schema, Table, as_table
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import ClaimedModel, Method, Release, Sanitized, Trace
from quintain.sanitizers.masking.mask import ColumnNames, chosen_columns
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.shuffling import random_subset


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


@register("partial-extraction-v1")
class PartialExtraction(Sanitizer):
    """Publishes a random part of the records as they are.

    Every record has the same probability to be published. The number of records is fixed.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> people = q.Table.of(q.Schema(columns=(age,)), {"age": [21, 34, 35, 36, 90]})
    >>> release = q.sanitize("partial-extraction", people, share=0.6, seed=1)
    >>> [record["age"] for record in release.data.records()]
    [21, 34, 90]

    Parameters
    ----------
    share : the share of records to publish; at least one record is published.
    """

    share: Annotated[float, Field(gt=0, le=1)] = 0.5

    def tells_origins(self) -> bool:
        """Yes: a released record is a private record."""
        return True

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Draw records without replacement and keep them in their order."""
        table = as_table(data)
        count = max(1, round(self.share * len(table)))
        method = Method(
            name="partial record extraction",
            rows=len(table) - count,
            detail=f"{100 * self.share:g} % of the records drawn at random, the others left out",
        )
        rows = random_subset(count, len(table), noise)
        return Sanitized(Release(table.take(rows), methods=(method,)), Trace(origins=rows))


def surprise(table: Table, names: tuple[str, ...]) -> npt.NDArray[np.float64]:
    """For every record the sum of -log2 of the shares of its values."""
    out = np.zeros(len(table))
    for name in names:
        _, code, count = np.unique(table.columns[name], return_inverse=True, return_counts=True)
        out += np.log2(len(table) / count)[code]
    return out
