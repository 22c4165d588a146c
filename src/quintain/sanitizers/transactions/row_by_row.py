"""Row by row: sanitizers of transactions that keep every row in its place, even a deleted one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from quintain.data import Column, Data, Transactions
from quintain.data.arrays import MISSING_TIME, Array, Mask
from quintain.errors import PartError
from quintain.kernels.purchases import Purchases
from quintain.randomness.noise import Noise
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer, changed_rows

DELETION, NAMING = "record deletion", "pseudonymisation"


class RowByRow(Sanitizer):
    """A sanitizer of shopping data: row i of its release stands for row i of the input.

    Rows without a person were deleted before. They stay deleted and have no influence.
    """

    shapes: ClassVar[tuple[str, ...]] = ("transactions",)
    aligned: ClassVar[bool] = True

    method: ClassVar[str]
    """The name of the method in a contest's questionnaire."""
    renames: ClassVar[bool] = False
    """Whether it also gives persons new names."""

    @abstractmethod
    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> Mapping[str, Array]:
        """The new contents of the columns that change, as the table stores them."""

    @abstractmethod
    def detail(self) -> str:
        """The parameters in words."""

    def methods_applied(
        self, data: Transactions, changed: tuple[str, ...]
    ) -> dict[str, tuple[str, ...]]:
        """For each method, by its name in a questionnaire, the columns it was applied to."""
        if not self.renames:
            return {self.method: changed}
        person_name = data.person_column.name
        return {self.method: tuple(n for n in changed if n != person_name), NAMING: (person_name,)}

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Change the columns, and list the methods with the number of rows they changed."""
        before: Transactions = self.see(data)
        columns = self.change(before, Purchases.of(before), noise=noise)
        after = before.replace(columns)
        deleted = after.deleted_rows() & ~before.deleted_rows()
        changed = tuple(name for name in before.schema.names if name in columns)
        applied = self.methods_applied(before, changed)
        if deleted.any():
            applied.setdefault(DELETION, before.schema.names)
        methods = []
        for name, names in applied.items():
            rows = deleted if name == DELETION else changed_rows(before, after, names) & ~deleted
            count = int(np.count_nonzero(rows))
            methods.append(Method(name=name, columns=names, rows=count, detail=self.detail()))
        return Sanitized(Release(after, methods=tuple(methods)))


def without_rows(
    data: Transactions, deleted: Mask, columns: Mapping[str, Array] | None = None
) -> dict[str, Array]:
    """All columns after the deletion of rows: their person and their other cells are missing.

    If a column must not be empty, a deleted row gets its first value, which also reveals nothing.

    Parameters
    ----------
    deleted : the mask of the rows to delete.
    columns : contents that replace columns of the data.
    """
    values: dict[str, Array] = {**data.columns, **(columns or {})}
    person = data.person_column.name
    if deleted.any() and not data.person_column.nullable:
        raise PartError(
            f"rows cannot be deleted, because {person!r} may not be missing; make the column "
            "nullable, or name the spelling of a deleted row in [files] of the edition"
        )
    out: dict[str, Array] = {
        column.name: np.where(deleted, _empty(column, values[column.name]), values[column.name])
        for column in data.schema.columns
        if column.name != person
    }
    out[person] = np.where(deleted, "", values[person].astype(np.str_))
    return out


def _empty(column: Column, values: Array) -> float | int | str:
    if column.fractional:
        return np.nan if column.nullable else max(0.0, column.low or 0.0)
    if column.temporal:
        return MISSING_TIME if column.nullable else 0
    if column.identifying:
        return ("" if column.nullable else "0") if values.dtype.kind == "U" else 0
    return -1 if column.nullable else 0
