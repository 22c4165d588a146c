"""Derived hierarchies: groups for a column about which nobody has said anything."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quintain.data.arrays import Rows
from quintain.sanitizers.masking.columns import has_order
from quintain.sanitizers.masking.generalisation.hierarchies.hierarchy import Hierarchy
from quintain.sanitizers.masking.generalisation.hierarchies.periods import PERIODS, periods_of
from quintain.sanitizers.masking.generalisation.values import DistinctValues

HALVINGS = 4
"""The first derived level has this power of 2 as its number of intervals or frequent values."""


def derived_hierarchy(values: DistinctValues) -> Hierarchy:
    """Group the values of a column by its kind.

    Numbers and ordered categories are cut into 16 intervals with about the same number of records,
    then 8, 4 and 2. Times become days, months, years and decades. Of other categories the most
    frequent stay and the rest is merged: half of them stay but at most 16, then half of these, and
    so on.
    """
    if values.column.kind == "time":
        return Hierarchy.of(values, (periods_of(values.values, unit) for unit in PERIODS))
    if has_order(values.column):
        return Hierarchy.of(values, _intervals(values.counts()[:-1]))
    return Hierarchy.of(values, _frequent_and_rest(values.counts()[:-1]))


def _intervals(counts: Rows) -> Iterator[Rows]:
    middle = (np.cumsum(counts) - counts / 2) / max(1, counts.sum())
    for power in range(HALVINGS, 0, -1):
        yield np.minimum(middle * 2**power, 2**power - 1).astype(np.int64)


def _frequent_and_rest(counts: Rows) -> Iterator[Rows]:
    place = np.argsort(np.lexsort((np.arange(len(counts)), -counts)))
    kept = min(len(counts) // 2, 2**HALVINGS)
    while kept:
        yield np.minimum(place, kept)
        kept //= 2
