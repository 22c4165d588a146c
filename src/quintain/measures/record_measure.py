"""Record measures: they compare each private record with the released record made from it."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from quintain.data import Data, Table, as_table
from quintain.errors import PartError
from quintain.measures.measure import Readings, ReleaseMeasure
from quintain.releases import NumberedRelease
from quintain.releases.numbered import PRIVATE_ROW


class RecordMeasure(ReleaseMeasure):
    """A measure of tables that needs to know which record was made from which.

    In a contest, each row of a release names its private record. Elsewhere a release may come
    without such numbers: then it must have one row for each row of the original, in the same order.
    Transactions keep every row in its place, so :class:`AlignedMeasure` needs no numbers.
    """

    aligned: ClassVar[bool] = True

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Find the pairs of records, then compare them."""
        numbered = _numbered(self.id, as_table(original), as_table(release))
        made = np.flatnonzero(numbered.origins >= 0)
        if not len(made):
            raise PartError(f"{self.id}: no released record was made from a private one")
        before = as_table(original).take(numbered.origins[made])
        return self.compare(before, numbered.data.take(made), len(original))

    @abstractmethod
    def compare(self, before: Table, after: Table, records: int) -> Readings:
        """Give the readings; row i of ``after`` was made from row i of ``before``.

        ``records`` is the number of private records. Those that were deleted are in neither table.
        """


def _numbered(part: str, original: Table, release: Table) -> NumberedRelease:
    if PRIVATE_ROW.name in release.schema:
        return NumberedRelease.of(release)
    if len(release) != len(original):
        raise PartError(
            f"{part}: the release has {len(release)} rows, and the original {len(original)}; "
            f"expected as many, in the same order, or a column {PRIVATE_ROW.name!r}"
        )
    return NumberedRelease(release, np.arange(len(release)))
