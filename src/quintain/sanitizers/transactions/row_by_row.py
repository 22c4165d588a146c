"""Row by row: sanitizers of transactions that keep every row in its place."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from quintain.data import Column, Data, Transactions
from quintain.data.purchases import ROLES, Mask, Purchases
from quintain.data.schema import Shape
from quintain.data.table import Array
from quintain.errors import PartError
from quintain.noise import Noise
from quintain.releases import Method, Release
from quintain.sanitizers.sanitizer import Sanitizer


class RowByRow(Sanitizer):
    """A sanitizer of shopping transactions whose row i stands for row i of its input.

    Rows that were deleted before (their person is called DEL) stay deleted and are not looked at.
    """

    shapes: ClassVar[tuple[Shape, ...]] = ("transactions",)
    aligned: ClassVar[bool] = True

    method: ClassVar[str]
    """What a questionnaire calls it."""

    @abstractmethod
    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> Mapping[str, Array]:
        """The new contents of the columns that change, as the table holds them."""

    @abstractmethod
    def detail(self) -> str:
        """The parameters, for people."""

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Release:
        """Change the columns and say what was done, and to how many rows."""
        if not isinstance(data, Transactions):
            raise PartError(f"{self.id} works on transactions")
        columns = self.change(data, Purchases.of(data), noise=noise)
        after = data.replace(columns)
        method = Method(
            name=self.method,
            columns=tuple(name for name in data.schema.names if name in columns),
            rows=int(np.count_nonzero(changed_rows(data, after))),
            detail=self.detail(),
        )
        return Release(after, methods=(method,))


def changed_rows(before: Transactions, after: Transactions) -> Mask:
    """Which rows are not what they were; an id is the same if it is written the same."""
    differs = np.zeros(len(before), bool)
    for column in before.schema.columns:
        old, new = before.columns[column.name], after.columns[column.name]
        if old.dtype.kind != new.dtype.kind:
            old, new = old.astype(np.str_), new.astype(np.str_)
        same = old == new
        if old.dtype.kind == "f":
            same |= np.isnan(old) & np.isnan(new)
        differs |= ~same
    return differs


def column_of(data: Transactions, role: str) -> Column:
    """The column with a role of a purchase: by its role, or as the only one of its kind."""
    found = data.schema.role(role)
    alike = (c for c in data.schema.columns if c.kind == ROLES[role] and not c.role)
    return found if found is not None else next(alike)
