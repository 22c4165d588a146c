"""Holm's procedure: which of many comparisons are beyond chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

Pair = TypeVar("Pair")


def sure_differences(chances: Mapping[Pair, float], level: float = 0.05) -> set[Pair]:
    """The comparisons whose p-values are small enough, at one level for all of them together.

    The smallest of m p-values must be below level / m, the next below level / (m - 1), and so on.
    """
    sure: set[Pair] = set()
    for number, pair in enumerate(sorted(chances, key=chances.__getitem__)):
        if not chances[pair] < level / (len(chances) - number):
            break
        sure.add(pair)
    return sure
