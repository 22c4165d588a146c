"""Equal cells: how many cells of the original does a release leave as they are?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from quintain.data import Table
from quintain.data.codec import missing_cells
from quintain.measures.aligned import RecordMeasure
from quintain.measures.intervals import bounded_mean
from quintain.measures.measure import Readings
from quintain.measures.reading import Direction
from quintain.registry import register


@register("equal-cells-v1")
class EqualCells(RecordMeasure):
    """The share of the cells of the private data that the release repeats, record by record.

    A cell of a deleted record is not repeated. Two missing values are equal. Higher is better.

    References
    ----------
    PWS Cup 2023, utility of an anonymized table.

    Examples
    --------
    One of six cells was changed:

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> original = people(example_table(rows=2))
    >>> release = original.replace({"size": [0, original.columns["size"][1]]})
    >>> round(q.measure("equal-cells", original, release)["equal_cells"].value, 3)
    0.833
    """

    within: ClassVar[tuple[float, float]] = (0.0, 1.0)
    reads: ClassVar[Mapping[str, Direction]] = {"equal_cells": "higher"}

    def compare(self, before: Table, after: Table, records: int) -> Readings:
        """Average the share of equal cells over all private records."""
        equal = np.zeros(records)
        for column in before.schema.columns:
            old, new = before.columns[column.name], after.columns[column.name]
            missing = missing_cells(column, old) & missing_cells(column, new)
            equal[: len(before)] += (old == new) | missing
        return {"equal_cells": bounded_mean(equal / len(before.schema.columns), "higher")}
