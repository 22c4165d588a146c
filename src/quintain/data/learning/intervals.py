"""Intervals: numbers that a release writes as ranges, such as [20-30) or 65+.

An attacker who knows that somebody is 23 looks for the range around it. So does the audit: it
replaces the numbers of the original and the control by the ranges of the release.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from quintain.data.arrays import Floats, Rows

OUTSIDE = "(in no range)"
"""The value of numbers that no range of the release contains."""
_NUMBER = r"([-+]?\d+(?:\.\d+)?)"
_RANGE = re.compile(rf"([\[(]?)\s*{_NUMBER}\s*(?:-|–|,|;|\.\.|to)\s*{_NUMBER}\s*([\])]?)")
_BELOW = re.compile(rf"(<=|≤|<)\s*{_NUMBER}")
_ABOVE = re.compile(rf"(>=|≥|>)\s*{_NUMBER}|{_NUMBER}\s*(\+)")


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of numbers; ``open_low`` and ``open_high`` say whether an end is left out."""

    low: float
    high: float
    open_low: bool = False
    open_high: bool = False

    def holds(self, numbers: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """For each number whether the range contains it."""
        above = numbers > self.low if self.open_low else numbers >= self.low
        below = numbers < self.high if self.open_high else numbers <= self.high
        return np.asarray(above & below, bool)

    def meets(self, other: Interval) -> bool:
        """Whether both have numbers in common; ``other`` does not begin before this one.

        Ranges such as 20-30 and 30-40 meet at 30 alone. It counts as a part of the upper one.
        """
        if other.low != self.high:
            return other.low < self.high
        return self.low == self.high and not other.open_low


def parse_interval(text: str) -> Interval | None:
    """The range that a text means; None if it means none.

    >>> parse_interval("[20-30)")
    Interval(low=20.0, high=30.0, open_low=False, open_high=True)
    >>> parse_interval("65+").high, parse_interval("-5--1").low, parse_interval("young")
    (inf, -5.0, None)
    """
    text = text.strip()
    if re.fullmatch(_NUMBER, text):
        return Interval(float(text), float(text))
    if match := _RANGE.fullmatch(text):
        opened, low, high, closed = match.groups()
        return Interval(float(low), float(high), opened == "(", closed == ")")
    if match := _BELOW.fullmatch(text):
        return Interval(-math.inf, float(match[2]), open_high=match[1] == "<")
    if match := _ABOVE.fullmatch(text):
        return Interval(float(match[2] or match[3]), math.inf, open_low=match[1] == ">")
    return None


@dataclass(frozen=True, slots=True)
class Intervals:
    """The ranges of a column in ascending order, with their texts.

    Parameters
    ----------
    labels : the texts of the ranges, then one for numbers in no range.
    """

    ranges: tuple[Interval, ...]
    labels: tuple[str, ...]

    def codes(self, numbers: Floats) -> Rows:
        """For each number the position of its range; -1 if the number is missing."""
        out = np.full(len(numbers), len(self.ranges), np.int64)
        for position, one in enumerate(self.ranges):
            out[one.holds(numbers)] = position
        out[np.isnan(numbers)] = -1
        return out


def parse_intervals(texts: Collection[str]) -> Intervals | str:
    """The ranges of all texts in ascending order, or why they cannot be used."""
    ranges = {text: parse_interval(text) for text in texts}
    strange = sorted(text for text, one in ranges.items() if one is None)
    if strange:
        return f"{strange[0]!r} is neither a number nor a range of numbers"
    known = {text: one for text, one in ranges.items() if one is not None}
    ordered = sorted(known, key=lambda text: (known[text].low, known[text].high, text))
    for text, following in pairwise(ordered):
        if known[text].meets(known[following]):
            return f"{text!r} and {following!r} have numbers in common"
    return Intervals(tuple(known[text] for text in ordered), (*ordered, OUTSIDE))
