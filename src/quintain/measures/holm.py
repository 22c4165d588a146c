"""Holm's procedure: which of many comparisons are beyond chance.

References
----------
S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of
Statistics 6(2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

Pair = TypeVar("Pair")


def adjust_p(chances: Mapping[Pair, float]) -> dict[Pair, float]:
    """The p-values of comparisons, corrected for their number.

    The smallest of m p-values is multiplied by m, the next by m - 1, and so on; none becomes
    smaller than one before it. Those below a level are beyond chance at that level for all of them
    together, however they depend on each other.

    >>> adjust_p({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    adjusted: dict[Pair, float] = {}
    highest = 0.0
    for number, pair in enumerate(sorted(chances, key=chances.__getitem__)):
        highest = max(highest, min(1.0, chances[pair] * (len(chances) - number)))
        adjusted[pair] = highest
    return {pair: adjusted[pair] for pair in chances}


def sure_differences(chances: Mapping[Pair, float], level: float = 0.05) -> set[Pair]:
    """The comparisons whose p-values are small enough, at one level for all of them together.

    >>> sure_differences({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a'}
    """
    return {pair for pair, p in adjust_p(chances).items() if p < level}
