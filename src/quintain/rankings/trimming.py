"""Trimming: which of many numbers a mean counts, if the lowest and the highest are left out."""

from __future__ import annotations


def average_name(trim: float) -> str:
    """What a mean of the middle numbers is called.

    >>> average_name(0.0), average_name(0.25), average_name(0.5)
    ('mean', 'trimmed mean', 'median')
    """
    return {0.0: "mean", 0.5: "median"}.get(trim, "trimmed mean")


def middle(count: int, trim: float) -> slice:
    """The places of the numbers that count, from lowest to highest.

    ``trim`` is the share that is left out at each end; one half leaves the median: the middle
    number, or the two in the middle.

    >>> numbers = [0, 1, 2, 3, 4, 100]
    >>> numbers[middle(6, 0)], numbers[middle(6, 0.2)], numbers[middle(6, 0.5)]
    ([0, 1, 2, 3, 4, 100], [1, 2, 3, 4], [2, 3])
    """
    # The smallest trim that leaves out one more of n is a fraction such as 2/5, and 5 * 0.4 may be
    # below 2 as a float.
    cut = min(int(count * trim + 1e-9), (count - 1) // 2) if count else 0
    return slice(cut, count - cut)
