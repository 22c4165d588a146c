"""Aligned measures: row i of the release stands for row i of the original."""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import ClassVar

import numpy as np

from quintain.data import Data, Transactions
from quintain.data.schema import Shape
from quintain.errors import Fault, PartError, SubmissionError
from quintain.kernels.purchases import Purchases
from quintain.measures.measure import Readings, ReleaseMeasure


class AlignedMeasure(ReleaseMeasure):
    """Reads transactions against a release of them that keeps every row in its place.

    A row whose person is missing was deleted; its other cells do not matter.
    """

    shapes: ClassVar[tuple[Shape, ...]] = ("transactions",)
    aligned: ClassVar[bool] = True

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Readings for one release."""
        return self.compare(*aligned(original, release), rng=rng)

    @abstractmethod
    def compare(
        self, original: Purchases, release: Purchases, *, rng: np.random.Generator
    ) -> Readings:
        """Readings from rows side by side."""


@lru_cache(maxsize=1)
def aligned(original: Data, release: Data) -> tuple[Purchases, Purchases]:
    """Original and release as purchases side by side; a sentence if they are not.

    The last pair is remembered, because several measures look at it one after another.
    """
    if not isinstance(original, Transactions) or not isinstance(release, Transactions):
        raise PartError("this works on transactions")
    if len(original) == 0:
        raise PartError("the original has no transactions")
    if len(original) != len(release):
        message = f"has {len(release)} rows; expected {len(original)}, one for each of the original"
        raise SubmissionError([Fault(message, "release")])
    one, other = Purchases.of(original), Purchases.of(release)
    if one.items != other.items:
        raise PartError("original and release have different lists of items")
    if not one.live.all():
        raise PartError("the original has deleted rows")
    return one, other
