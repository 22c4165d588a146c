"""Aligned measures: they compare row i of the release with row i of the original."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from quintain.data import Data, Transactions
from quintain.data.schema import Shape
from quintain.errors import Fault, PartError, SubmissionError
from quintain.kernels.purchases import Purchases
from quintain.measures.measure import Readings, ReleaseMeasure


class AlignedMeasure(ReleaseMeasure):
    """A measure of transactions whose release keeps every row in its place.

    A row without a person counts as deleted; its other cells do not matter.
    """

    shapes: ClassVar[tuple[Shape, ...]] = ("transactions",)
    aligned: ClassVar[bool] = True

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Check that the rows correspond, then compare them."""
        return self.compare(*aligned(original, release), rng=rng)

    @abstractmethod
    def compare(
        self, original: Purchases, release: Purchases, *, rng: np.random.Generator
    ) -> Readings:
        """Give the readings of two equally long lists of purchases."""


_Pair = tuple[Purchases, Purchases]

_pairs: WeakKeyDictionary[Transactions, WeakKeyDictionary[Transactions, _Pair]]
_pairs = WeakKeyDictionary()
"""The pairs whose original and release are still in use: nothing here keeps data alive."""


def aligned(original: Data, release: Data) -> _Pair:
    """Original and release as purchases, row by row; an error says why they cannot be compared.

    Several measures read the same pair one after another, so it is made once for all of them.
    """
    if not isinstance(original, Transactions) or not isinstance(release, Transactions):
        raise PartError("expected transactions as original and as release")
    pairs = _pairs.setdefault(original, WeakKeyDictionary())
    pair = pairs.get(release)
    if pair is None:
        pair = pairs[release] = _aligned(original, release)
    return pair


def _aligned(original: Transactions, release: Transactions) -> _Pair:
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
