"""Budget: what noisy counts and private choices cost, so that no sanitizer can overspend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.accounting.zcdp import exponential_rho, gaussian_rho
from quintain.data.arrays import Floats, Ints
from quintain.errors import NoiseError
from quintain.randomness.noise import Noise

_ROUNDING = 1e-9
"""The part of a budget by which its costs may exceed it, because sums of floats are rounded."""


@dataclass(slots=True)
class Budget:
    """A privacy budget in zCDP that pays for every noisy answer, and refuses what it cannot pay.

    >>> budget = Budget(1.0)
    >>> noisy = budget.count(np.array([3, 5]), sigma=1.0, noise=Noise.for_test(1))
    >>> budget.spent, budget.left
    (0.5, 0.5)

    Parameters
    ----------
    rho : the whole budget.
    spent : the part that was already spent.
    """

    rho: float
    spent: float = 0.0

    @property
    def left(self) -> float:
        """The part that is still there."""
        return max(0.0, self.rho - self.spent)

    def count(
        self, counts: Ints, sigma: float, noise: Noise, *, sensitivity: float = 1.0
    ) -> Floats:
        """Add Gaussian noise to counts of disjoint groups; one record changes one of them by one.

        This costs 1 / (2 sigma**2). Where a record, or all that a person has, changes the counts by
        more, ``sensitivity`` is the largest Euclidean length of that change, and the cost is so
        many times larger, squared.
        """
        self._charge(gaussian_rho(sigma / sensitivity))
        noisy = noise.gaussian(sigma, counts.size).reshape(counts.shape)
        return np.asarray(counts + noisy, np.float64)

    def choose(
        self, scores: npt.ArrayLike, epsilon: float, sensitivity: float, noise: Noise
    ) -> int:
        """Choose a place with a high score by the exponential mechanism; costs epsilon**2 / 8."""
        self._charge(exponential_rho(epsilon))
        return noise.choose(scores, epsilon, sensitivity)

    def _charge(self, cost: float) -> None:
        """Record an answer before it is given; refuse it if it would exceed the budget."""
        if self.spent + cost > self.rho * (1 + _ROUNDING):
            raise NoiseError(
                f"an answer that costs {cost:.4g} would exceed the budget of {self.rho:.4g} zCDP, "
                f"of which {self.left:.4g} is left; no answer was given"
            )
        self.spent += cost
