"""Logarithmic axis: maps rates to places so that very small rates stay visible."""

from __future__ import annotations

import math
from dataclasses import dataclass

from quintain.figures.format import number


@dataclass(frozen=True, slots=True)
class LogAxis:
    """A scale of powers of ten from a small rate up to 1.

    Parameters
    ----------
    decades : how many powers of ten it has; the smallest rate is 10 to minus this.
    start, end : the places of the smallest rate and of 1.
    """

    decades: int
    start: float
    end: float

    @property
    def low(self) -> float:
        """The smallest rate that has a place of its own."""
        return 10.0**-self.decades

    def at(self, rate: float) -> float:
        """The place of a rate; smaller rates, and zero, are placed at the start.

        >>> LogAxis(2, 0, 100).at(0.1), LogAxis(2, 0, 100).at(0)
        (50.0, 0.0)
        """
        share = 1 + math.log10(min(max(rate, self.low), 1.0)) / self.decades
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Places and labels of the powers of ten, as percentages.

        >>> [label for _, label in LogAxis(3, 0, 100).ticks()]
        ['0.1\\xa0%', '1\\xa0%', '10\\xa0%', '100\\xa0%']
        """
        powers = [10.0**-i for i in range(self.decades, -1, -1)]
        return [(self.at(power), f"{_plain(100 * power)}\u00a0%") for power in powers]


def decades_for(people: int) -> int:
    """How many powers of ten rates of so many people reach; between 2 and 5.

    >>> decades_for(500), decades_for(10_000), decades_for(0)
    (3, 4, 3)
    """
    if people <= 0:
        return 3
    return min(5, max(2, math.ceil(math.log10(people) - 1e-9)))


def _plain(percent: float) -> str:
    return number(percent) if percent >= 1 else f"{percent:.4f}".rstrip("0")
