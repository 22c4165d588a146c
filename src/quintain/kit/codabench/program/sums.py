"""Sums of many numbers, to the last bit those of NumPy."""

from __future__ import annotations


def pairwise_sum(values: list[float]) -> float:
    """Add in the order in which NumPy adds, so that the official score is equal to the last bit."""
    if len(values) > 128:
        half = len(values) // 2
        half -= half % 8
        return pairwise_sum(values[:half]) + pairwise_sum(values[half:])
    whole = len(values) - len(values) % 8
    total = 0.0
    if whole:
        lanes = values[:8]
        for start in range(8, whole, 8):
            lanes = [lanes[i] + values[start + i] for i in range(8)]
        a, b, c, d, e, f, g, h = lanes
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for value in values[whole:]:
        total += value
    return total
