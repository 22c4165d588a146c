"""Row traits: numbers by which two purchases can be compared, exactly and roughly."""

from __future__ import annotations

from typing import Literal

import numpy as np

from quintain.data.arrays import Array, Rows
from quintain.kernels.purchases import Purchases

Evidence = Literal["item", "day", "price", "quantity"]

DAYS = 5
"""So many days in a row count as about the same day."""
LEVEL = 0.25
"""Prices and quantities whose logarithms are in the same stretch of this length are about equal."""


def traits(bought: Purchases, evidence: tuple[Evidence, ...]) -> dict[str, Array]:
    """Compute one value per row for each trait; two rows share a trait if the values are equal.

    Traits are the exact attributes, rough values in two overlapping grids (so that close values
    share a cell of at least one grid), and each attribute together with the item.
    """
    columns: dict[str, Array] = {}
    if "item" in evidence:
        kinds = np.unique([name[:3] for name in bought.items], return_inverse=True)[1]
        columns |= {"item": bought.item, "kind of item": kinds[bought.item]}
    if "day" in evidence:
        columns |= {"day": bought.day}
        columns |= {f"about the day {i}": (bought.day + i * DAYS // 2) // DAYS for i in (0, 1)}
    for name in ("price", "quantity"):
        if name in evidence:
            value = getattr(bought, name)
            level = np.log(np.maximum(value, 1e-9)) / LEVEL
            columns[name] = value
            columns |= {f"about the {name} {i}": np.floor(level + i / 2) for i in (0, 1)}
    if "item" in evidence:
        for name in set(evidence) - {"item"}:
            both = columns[name].astype(np.float64) * len(bought.items) + bought.item
            columns[f"item and {name}"] = both
    return dict(sorted(columns.items()))


def numbered(known: Array, shown: Array) -> tuple[Rows, Rows, int]:
    """Number the distinct values of two sides; equal values get equal numbers. Also their count."""
    values, code = np.unique(np.concatenate([known, shown]), return_inverse=True)
    return code[: len(known)], code[len(known) :], len(values)
