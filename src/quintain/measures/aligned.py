"""Aligned measures: they compare each private record with the released record made from it."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from quintain.data import Data, Table, Transactions, as_table
from quintain.errors import Fault, PartError, SubmissionError
from quintain.kernels.purchases import Purchases
from quintain.measures.measure import Readings, ReleaseMeasure
from quintain.releases import NumberedRelease
from quintain.releases.numbered import PRIVATE_ROW

_Pair = tuple[Purchases, Purchases]

_pairs: WeakKeyDictionary[Transactions, WeakKeyDictionary[Transactions, _Pair]]
_pairs = WeakKeyDictionary()
"""The pairs whose original and release are still in use: nothing here keeps data alive."""


class AlignedMeasure(ReleaseMeasure):
    """A measure of transactions whose release keeps every row in its place.

    A row without a person counts as deleted; its other cells do not matter.
    """

    shapes: ClassVar[tuple[str, ...]] = ("transactions",)
    aligned: ClassVar[bool] = True

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Check that the rows correspond, then compare them."""
        return self.compare(*align(self.see(original), self.see(release)), rng=rng)

    @abstractmethod
    def compare(
        self, original: Purchases, release: Purchases, *, rng: np.random.Generator
    ) -> Readings:
        """Give the readings of two equally long lists of purchases."""


def align(original: Transactions, release: Transactions) -> _Pair:
    """Original and release as purchases, row by row; an error says why they cannot be compared.

    Several measures read the same pair one after another, so it is made once for all of them.
    """
    pairs = _pairs.setdefault(original, WeakKeyDictionary())
    pair = pairs.get(release)
    if pair is None:
        pair = pairs[release] = _align(original, release)
    return pair


def _align(original: Transactions, release: Transactions) -> _Pair:
    if len(original) == 0:
        raise PartError("the original has no transactions")
    if len(original) != len(release):
        message = f"has {len(release)} rows; expected {len(original)}, one per row of the original"
        raise SubmissionError([Fault(message, "release")])
    one, other = Purchases.of(original), Purchases.of(release)
    if one.items != other.items:
        raise PartError("original and release have different lists of items")
    if not one.live.all():
        raise PartError("the original has deleted rows")
    return one, other


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
        numbered = _number_release(self.id, as_table(original), as_table(release))
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


def _number_release(part: str, original: Table, release: Table) -> NumberedRelease:
    if PRIVATE_ROW.name in release.schema:
        return NumberedRelease.of(release)
    if len(release) != len(original):
        raise PartError(
            f"{part}: the release has {len(release)} rows, and the original {len(original)}; "
            f"expected as many, in the same order, or a column {PRIVATE_ROW.name!r}"
        )
    return NumberedRelease(release, np.arange(len(release)))
