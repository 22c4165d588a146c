"""Series: the audit of time series, which are compared person by person."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

import numpy as np

from quintain.audits.body import ShapeAudit
from quintain.data import Data, as_series
from quintain.data.arrays import array_bytes
from quintain.data.shape import Shape
from quintain.measures import ReleaseMeasure
from quintain.measures.utility.series.skill_retention import SkillRetention

_SHORT = 3
"""A series with fewer rows may be equal to another by chance."""


class SeriesAudit(ShapeAudit):
    """One series per person. The attacks are the baselines of Hide-and-Seek."""

    shapes: ClassVar[tuple[str, ...]] = ("series",)
    utility: ClassVar[ReleaseMeasure | None] = SkillRetention()
    record_words: ClassVar[str] = "series"

    def seen_as(self, shape: Shape) -> str:
        """As series, unless a deleted person stays in place."""
        return "" if shape.deletes_in_place else super().seen_as(shape)

    def contents(self, *sides: Data) -> list[list[Hashable]]:
        """The numbers of each series that is long enough.

        >>> from quintain.testing import example
        >>> people = example("series", rows=40)
        >>> SeriesAudit().count_repeated(people, people.take([0])) <= 1
        True
        """
        return [_contents(side) for side in sides]


def _contents(data: Data) -> list[Hashable]:
    series = as_series(data)
    parts = np.split(series.values, series.offsets[1:-1])
    return [array_bytes(part) for part in parts if len(part) >= _SHORT]
