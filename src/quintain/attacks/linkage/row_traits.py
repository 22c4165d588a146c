"""Row traits: what can be compared of two purchases, exactly and roughly, as numbers."""

from __future__ import annotations

from typing import Literal

import numpy as np

from quintain.data.arrays import Array, Rows
from quintain.kernels.purchases import Purchases

Evidence = Literal["item", "day", "price", "quantity"]

DAYS = 5
"""Days that count as about the same day."""
LEVEL = 0.25
"""Prices and quantities whose logarithms are in the same stretch of this length are about equal."""


def traits(bought: Purchases, evidence: tuple[Evidence, ...]) -> dict[str, Array]:
    """For each trait a value a row; two rows share a trait if the values are equal.

    Traits are the attributes as they are, as rough values in two rasters (so that neighbours
    are in one stretch of at least one of them), and what else is known together with the item.
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
    """Numbers for the values of two sides, equal ones for equal values, and how many there are."""
    values, code = np.unique(np.concatenate([known, shown]), return_inverse=True)
    return code[: len(known)], code[len(known) :], len(values)
