"""Chance: what blind guessing reads, and which readings it explains."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from quintain.measures import BlindLaw, Reading

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
        return other is not None and _may_be_equal(reading, other)

    def best_of(self, attackers: int, reading: Reading) -> float | None:
        """How likely the best of so many blind attackers reaches this reading, if that is known."""
        if self.law is None or not reading.measured:
            return None
        return self.law.at_least(reading.value, attackers)


def _in_the_middle(law: BlindLaw, value: float) -> bool:
    """Whether blind guessing reaches values this high, and values this low, often enough."""
    as_much, more = law.at_least(value), law.at_least(value + 1e-8)
    return min(as_much, 1 - more) > LEVEL / 2


def _may_be_equal(one: Reading, other: Reading) -> bool:
    """Whether the interval of the difference, built from both intervals (MOVER), includes 0."""
    if not all(map(math.isfinite, (one.low, one.high, other.low, other.high))):
        return one.low <= other.high and other.low <= one.high
    gap = one.value - other.value
    if gap >= 0:
        reach = math.hypot(one.value - one.low, other.high - other.value)
    else:
        reach = math.hypot(one.high - one.value, other.value - other.low)
    return abs(gap) <= reach
