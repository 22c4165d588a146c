"""Cell suppression: empty the cells by which a record stands out (local suppression)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Column, Data, Schema, Table, as_table
from quintain.data.arrays import Mask, Rows
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized, Trace
from quintain.sanitizers.masking.generalisation.classes import DistinctValues, number_rows
from quintain.sanitizers.masking.mask import ColumnNames, chosen_columns
from quintain.sanitizers.sanitizer import Sanitizer, changed_rows


@register("cell-suppression-v1")
class CellSuppression(Sanitizer):
    """Empties single cells of records that stand out, and leaves all other cells as they are.

    With ``target = "classes"`` the release is k-anonymous: every record is like at least k - 1
    others in the chosen columns, and an empty cell is only like an empty cell. Step by step, the
    column is emptied that brings most of the records that still stand out into a class of k. A
    record that stands out even with empty cells is deleted. With ``target = "values"`` every cell
    is emptied whose value occurs in fewer than k records.

    Only columns that may be empty can be emptied: set ``nullable`` in the schema.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99, nullable=True)
    >>> town = q.Column(name="town", kind="category", values=("x", "y"))
    >>> people = {"age": [30, 30, 41, 57, 30], "town": ["x", "x", "y", "y", "x"]}
    >>> table = q.Table.of(q.Schema(columns=(age, town)), people)
    >>> release = q.sanitize("cell-suppression", table, k=2)
    >>> [tuple(record.values()) for record in release.data.records()]
    [(None, 'y'), (None, 'y'), (30, 'x'), (30, 'x'), (30, 'x')]

    Parameters
    ----------
    columns : the columns by which people could be recognised; all but ids if not given.
    k : the smallest number of records in a class, or with a value. A record in a class of k can be
        found with a probability (risk) of at most 1 / k.
    target : "classes" or "values".

    References
    ----------
    Templ, Kowarik and Meindl, Statistical disclosure control for micro-data using the R package
    sdcMicro, Journal of Statistical Software 67 (2015): localSuppression. There an empty cell is
    like any value, so fewer cells are emptied and the classes of a release overlap.
    """

    columns: ColumnNames | None = None
    k: Annotated[int, Field(ge=1)] = 3
    target: Literal["classes", "values"] = "classes"

    @classmethod
    def examples(cls) -> list[Self]:
        """Classes of three records, and values of ten."""
        return [cls(), cls(target="values", k=10)]

    def tells_origins(self) -> bool:
        """Every released record is a private record with fewer values."""
        return True

    def require(self, schema: Schema) -> None:
        """Every named column must exist."""
        super().require(schema)
        self._chosen_names(schema)

    def _chosen_names(self, schema: Schema) -> tuple[str, ...]:
        return chosen_columns(self.id, schema, self.columns, _not_id, "values, which ids have not")

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Decide which cells to empty and which records to delete."""
        table = as_table(data)
        names = self._chosen_names(table.schema)
        columns = [DistinctValues.of(table, name) for name in names]
        if self.target == "values":
            codes, kept = list(self._without_rare(columns)), np.ones(len(table), bool)
        else:
            codes, kept = _in_classes(columns, self.k)
        if not kept.any():
            raise PartError(
                f"{self.id} would leave nothing: no {self.k} records agree in {', '.join(names)}; "
                "choose fewer columns or a smaller k, or let more columns be empty"
            )
        masked = table.replace(
            {v.column.name: v.contents(code) for v, code in zip(columns, codes, strict=True)}
        )
        emptied = sum(
            int((v.codes[kept] != code[kept]).sum()) for v, code in zip(columns, codes, strict=True)
        )
        rows = np.flatnonzero(kept)
        methods = self._methods(table, masked, names, rows, emptied)
        return Sanitized(Release(masked.take(rows), methods=methods), Trace(origins=rows))

    def _without_rare(self, columns: list[DistinctValues]) -> Iterator[Rows]:
        for values in columns:
            rare = values.counts()[values.codes] < self.k
            rare &= values.column.nullable
            yield np.where(rare, len(values.values), values.codes)

    def _methods(
        self, before: Table, after: Table, names: tuple[str, ...], kept: Rows, emptied: int
    ) -> tuple[Method, ...]:
        old, new = (each.select(names).take(kept) for each in (before, after))
        changed = int(changed_rows(old, new, names).sum())
        goal = f"{self.k} records in every class"
        if self.target == "values":
            goal = f"{self.k} records for every value"
        detail = f"{emptied} cells emptied, for at least {goal}"
        done = Method(name="cell suppression", columns=names, rows=changed, detail=detail)
        deleted = len(before) - len(kept)
        if not deleted:
            return (done,)
        words = "records deleted that stood out even with empty cells"
        return done, Method(name="record deletion", rows=deleted, detail=words)


def _in_classes(columns: list[DistinctValues], k: int) -> tuple[list[Rows], Mask]:
    """The codes after cells were emptied, and the records that are in a class of k then."""
    codes = [values.codes.copy() for values in columns]
    empty = {at: len(v.values) for at, v in enumerate(columns) if v.column.nullable}
    sizes = [values.size for values in columns]
    alone = _small(codes, sizes, k)
    while alone.any():
        saved = {at: _rows_saved(codes, sizes, k, alone, at, code) for at, code in empty.items()}
        best = max(saved, key=lambda at: len(saved[at]), default=None)
        if best is not None and len(saved[best]):
            codes[best][saved[best]] = empty[best]
        else:
            rows = np.flatnonzero(alone)
            open_columns = [at for at, code in empty.items() if (codes[at][rows] != code).any()]
            if not open_columns:
                break
            widest = max(open_columns, key=lambda at: len(np.unique(codes[at][rows])))
            codes[widest][rows] = empty[widest]
        alone = _small(codes, sizes, k)
    return codes, ~alone


def _small(codes: list[Rows], sizes: list[int], k: int) -> Mask:
    label, count = number_rows(codes, sizes)
    return np.asarray(np.bincount(label, minlength=count)[label] < k)


def _rows_saved(
    codes: list[Rows], sizes: list[int], k: int, alone: Mask, at: int, empty: int
) -> Rows:
    """The records that would no longer be alone if all of these had an empty cell in a column."""
    rows = np.flatnonzero(alone | (codes[at] == empty))
    tried = [code[rows] for code in codes]
    tried[at] = np.full(len(rows), empty)
    better = ~_small(tried, sizes, k) & alone[rows] & (codes[at][rows] != empty)
    return np.asarray(rows[better])


def _not_id(column: Column) -> bool:
    return not column.identifying
