"""Row by row: sanitizers of transactions that keep every row in its place."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from quintain.data import Data, Transactions
from quintain.data.arrays import Array, Mask
from quintain.data.schema import Shape
from quintain.errors import PartError
from quintain.kernels.purchases import Purchases
from quintain.noise import Noise
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer

DELETION, NAMING = "record deletion", "pseudonymisation"


class RowByRow(Sanitizer):
    """A sanitizer of shopping transactions whose row i stands for row i of its input.

    Rows that were deleted before (their person is missing) stay deleted and are not looked at.
    """

    shapes: ClassVar[tuple[Shape, ...]] = ("transactions",)
    aligned: ClassVar[bool] = True

    method: ClassVar[str]
    """What a questionnaire calls it."""
    renames: ClassVar[bool] = False
    """Whether it gives new names besides."""

    @abstractmethod
    def change(self, data: Transactions, bought: Purchases, *, noise: Noise) -> Mapping[str, Array]:
        """The new contents of the columns that change, as the table holds them."""

    @abstractmethod
    def detail(self) -> str:
        """The parameters, for people."""

    def done(self, data: Transactions, changed: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        """What a questionnaire calls what was done, and to which columns."""
        if not self.renames:
            return {self.method: changed}
        who = data.person_column.name
        return {self.method: tuple(n for n in changed if n != who), NAMING: (who,)}

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Change the columns and say what was done, and to how many rows."""
        if not isinstance(data, Transactions):
            raise PartError(f"{self.id} works on transactions")
        columns = self.change(data, Purchases.of(data), noise=noise)
        after = data.replace(columns)
        gone = after.deleted() & ~data.deleted()
        changed = tuple(name for name in data.schema.names if name in columns)
        done = self.done(data, changed)
        if gone.any():
            done.setdefault(DELETION, data.schema.names)
        methods = []
        for name, names in done.items():
            rows = gone if name == DELETION else changed_rows(data, after, names) & ~gone
            count = int(np.count_nonzero(rows))
            methods.append(Method(name=name, columns=names, rows=count, detail=self.detail()))
        return Sanitized(Release(after, methods=tuple(methods)))


def changed_rows(before: Transactions, after: Transactions, names: tuple[str, ...]) -> Mask:
    """Which rows are not what they were in some columns; an id is the same if written the same."""
    differs = np.zeros(len(before), bool)
    for name in names:
        old, new = before.columns[name], after.columns[name]
        if old.dtype.kind != new.dtype.kind:
            old, new = old.astype(np.str_), new.astype(np.str_)
        same = old == new
        if old.dtype.kind == "f":
            same |= np.isnan(old) & np.isnan(new)
        differs |= ~same
    return differs
