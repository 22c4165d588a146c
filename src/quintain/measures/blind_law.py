"""Blind law: which scores attackers reach who guess without looking at the release.

The best of many such blind attackers scores far above chance. A score that this law explains is
luck.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats

_MOST_MATCHES = 40
"""More things than this are never in their place by chance: the probability is below 1e-48."""


@dataclass(frozen=True, slots=True, eq=False)
class BlindLaw:
    """How likely each value of a reading is under blind guessing; values in ascending order.

    Here 100 records are named out of 100 000, of which 10 000 are members. Sixteen blind attackers
    reach 0.156 with their best guess, though each expects 0.1.

    >>> law = BlindLaw.of_hits(100_000, 10_000, 100)
    >>> round(law.at_least(0.15), 4), round(law.best_of(16), 3), round(law.expected, 3)
    (0.0725, 0.156, 0.1)
    """

    values: Floats
    probabilities: Floats

    @classmethod
    def of_hits(cls, population: int, members: int, named: int) -> BlindLaw:
        """The law of the share of hits when ``named`` records of a population are drawn blindly."""
        from scipy.stats import hypergeom

        hits = np.arange(named + 1)
        return cls(hits / named, hypergeom(population, members, named).pmf(hits))

    @classmethod
    def of_matches(cls, things: int) -> BlindLaw:
        """The law of the share of things in their place, when all are put into a random order.

        The number of such things is close to a Poisson law with mean 1, however many there are.

        >>> law = BlindLaw.of_matches(1000)
        >>> round(law.expected, 6), round(law.at_least(0.003), 4)
        (0.001, 0.0803)
        """
        most = min(things, _MOST_MATCHES)
        hits = np.arange(most + 1)
        # The rest of the things is deranged: sum over i of (-1)**i / i!, as far as there are any.
        terms = [(-1.0) ** i / math.factorial(i) for i in range(min(things, 30) + 1)]
        deranged = np.array([sum(terms[: things - k + 1]) for k in hits.tolist()])
        law = deranged / np.array([float(math.factorial(k)) for k in hits.tolist()])
        return cls(hits / things, np.maximum(law, 0.0))

    @property
    def expected(self) -> float:
        """What one blind attacker scores on average."""
        return float(self.values @ self.probabilities)

    def at_least(self, value: float, attackers: int = 1) -> float:
        """How likely it is that the best of so many blind attackers scores this much or more."""
        tail = min(1.0, float(self.probabilities[self.values > value - 1e-9].sum()))
        return 1.0 if tail == 1.0 else -math.expm1(attackers * math.log1p(-tail))

    def best_of(self, attackers: int) -> float:
        """What the best of so many blind attackers scores on average."""
        upto = np.minimum(np.cumsum(self.probabilities), 1.0) ** attackers
        return float(self.values @ np.diff(upto, prepend=0.0))

    def mean_of(self, entries: int) -> BlindLaw:
        """The law of the mean over so many entries; the values must be evenly spaced."""
        law = self.probabilities
        for _ in range(entries - 1):
            law = np.convolve(law, self.probabilities)
        low, high = self.values[[0, -1]]
        return BlindLaw(np.linspace(low, high, len(law)), law)
