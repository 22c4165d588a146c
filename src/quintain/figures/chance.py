"""Chance: what blind guessing reads, and which readings it explains."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from quintain.data.arrays import Floats, Mask
from quintain.measures import BlindLaw, Reading
from quintain.rankings.reading_table import Grid

LEVEL = 0.05
"""A result that blind guessing reaches more often than this could be luck."""


@dataclass(frozen=True, slots=True)
class Chance:
    """What is known about the readings of blind guesses.

    Parameters
    ----------
    value : the expected reading of a blind guess if the measure defines it, else None.
    law : the law of blind guessing if it follows from the sizes of the contest, else None.
    blind : the readings of a blind attacker by entry, used if there is neither value nor law.
    blind_name : the name of that attacker.
    """

    value: float | None = None
    law: BlindLaw | None = None
    blind: Mapping[str, Reading] = field(default_factory=dict)
    blind_name: str = ""

    @property
    def known(self) -> bool:
        """Whether luck can be distinguished from success at all."""
        return self.value is not None or self.law is not None or bool(self.blind)

    def explains(self, entry: str, reading: Reading) -> bool:
        """Whether a reading could be luck; False also if chance is not known."""
        if not reading.measured:
            return False
        if self.law is not None:
            return _in_the_middle(self.law, reading.value)
        if self.value is not None:
            return reading.low <= self.value <= reading.high
        other = self.blind.get(entry)
        return other is not None and _may_be_equal(_span(reading), _span(other))

    def explained(self, entries: Sequence[str], grid: Grid) -> Mask:
        """Which cells of a grid could be luck; its rows are these entries."""
        measured = grid.measured
        if self.law is not None:
            values, places = np.unique(grid.value[measured], return_inverse=True)
            lucky = [_in_the_middle(self.law, value) for value in values.tolist()]
            out = np.zeros_like(measured)
            out[measured] = np.array(lucky, np.bool_)[places]
            return out
        if self.value is not None:
            within: Mask = measured & (grid.low <= self.value) & (self.value <= grid.high)
            return within
        return measured & np.array(
            [
                self._like_blind(entry, grid.value[i], grid.low[i], grid.high[i])
                for i, entry in enumerate(entries)
            ],
            np.bool_,
        ).reshape(measured.shape)

    def _like_blind(self, entry: str, *figures: Floats) -> list[bool]:
        """Which readings of an entry cannot be told from the blind attacker's."""
        other = self.blind.get(entry)
        if other is None:
            return [False] * len(figures[0])
        spans = zip(*(figure.tolist() for figure in figures), strict=True)
        return [_may_be_equal(span, _span(other)) for span in spans]

    def best_of(self, attackers: int, reading: Reading) -> float | None:
        """How likely the best of so many blind attackers reaches this reading, if that is known."""
        if self.law is None or not reading.measured:
            return None
        return self.law.at_least(reading.value, attackers)


def _in_the_middle(law: BlindLaw, value: float) -> bool:
    """Whether blind guessing reaches values this high, and values this low, often enough."""
    as_much, more = law.at_least(value), law.at_least(value + 1e-8)
    return min(as_much, 1 - more) > LEVEL / 2


def _span(reading: Reading) -> tuple[float, float, float]:
    return reading.value, reading.low, reading.high


def _may_be_equal(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether the interval of the difference, built from both intervals (MOVER), includes 0.

    Both are given as value, low and high.
    """
    (value, low, high), (other_value, other_low, other_high) = one, other
    if not all(map(math.isfinite, (low, high, other_low, other_high))):
        return low <= other_high and other_low <= high
    gap = value - other_value
    if gap >= 0:
        reach = math.hypot(value - low, other_high - other_value)
    else:
        reach = math.hypot(high - value, other_value - other_low)
    return abs(gap) <= reach
