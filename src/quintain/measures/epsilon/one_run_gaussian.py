"""One-run bound for Gaussian mechanisms: the whole trade-off curve limits the right guesses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

from quintain.measures.epsilon.gaussian import gaussian_epsilon, not_gaussian
from quintain.measures.epsilon.one_run import CoinMethod
from quintain.measures.reading import LEVEL, Reading

_NORMAL = NormalDist()
_LARGEST_MU, _PRECISION = 32.0, 1e-5


def too_many_right(mu: float, coins: int, guesses: int, right: int, allowed: float) -> bool:
    """Whether so many right guesses are rarer than ``allowed`` under any mu-GDP mechanism.

    Suppose they are not. Let ``good`` and ``bad`` be the expected shares of coins that are guessed
    right and wrong, counted only if at least i guesses are right. The trade-off curve says how
    much bad there is at least, given the good with one guess more. Going down from ``right`` to 0,
    both shares grow. If they exceed all guesses together, the supposition was false.
    """
    good, bad = allowed * right / coins, allowed * (guesses - right) / coins
    most = guesses / coins
    for i in range(right - 1, -1, -1):
        if good + bad > most or good >= 1:
            return True
        least = 0.5 * math.erfc((mu - _NORMAL.inv_cdf(good)) / math.sqrt(2)) if good > 0 else 0.0
        if least > bad:
            good, bad = good + i / (guesses - i) * (least - bad), least
    return good + bad > most


def one_run_mu(coins: int, guesses: int, right: int, *, level: float = LEVEL) -> float:
    """The largest mu that the right guesses rule out, to a precision of 1e-5, from below.

    >>> round(one_run_mu(1000, 1000, 700), 2)
    0.36
    """
    low, high = 0.0, _LARGEST_MU
    if not too_many_right(low, coins, guesses, right, 1 - level):
        return 0.0
    while high - low > _PRECISION:
        middle = (low + high) / 2
        if too_many_right(middle, coins, guesses, right, 1 - level):
            low = middle
        else:
            high = middle
    return low


@dataclass(frozen=True)
class OneRunGaussian(CoinMethod):
    """The one-run bound for a mechanism whose trade-off curve is Gaussian.

    It uses the whole curve, not one epsilon and delta, so it has no term that grows with delta.

    Parameters
    ----------
    shares : of how many of the coins the attack guesses, as shares.
    mechanism_is_gaussian : whether the mechanism is known to be mu-GDP; the bound is refused if
        it is not.

    References
    ----------
    Mahloujifar, Melis and Chaudhuri, Auditing f-differential privacy in one run, 2024.
    """

    name: ClassVar[str] = "one-run-gaussian"
    guarantee: ClassVar[str] = (
        "above the true epsilon in at most 1 - level of all audits of a mechanism that is mu-GDP, "
        "if each score has an independent fair coin of its own; false for any other"
    )
    mechanism_is_gaussian: bool = False

    def unfit(self, delta: float) -> Reading | None:
        return not_gaussian(self.mechanism_is_gaussian, delta)

    def of_guesses(
        self, coins: int, guesses: int, right: int, *, delta: float, level: float
    ) -> float:
        return gaussian_epsilon(one_run_mu(coins, guesses, right, level=level), delta)
