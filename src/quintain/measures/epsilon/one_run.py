"""One-run bound: many people, each in the data by the toss of a coin, and one release."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Floats
from quintain.measures.epsilon.gaussian import gaussian_epsilon, not_gaussian
from quintain.measures.epsilon.method import Design, EpsilonMethod, largest_rejected, refusal
from quintain.measures.reading import LEVEL, Reading


def one_run_p(epsilon: float, coins: int, guesses: int, right: int, delta: float = 0.0) -> float:
    """How probable so many right guesses are at most, if a mechanism has this epsilon and delta.

    The attack guesses ``guesses`` of the ``coins`` and abstains from the others; ``right`` of the
    guesses are right.

    >>> round(one_run_p(1.0, coins=100, guesses=100, right=80), 4)
    0.0716
    """
    from scipy.special import betainc

    success = 1 / (1 + math.exp(-epsilon))

    def at_least(count: int) -> float:
        return 1.0 if count <= 0 else float(betainc(count, guesses - count + 1, success))

    usual = at_least(right)
    if delta == 0 or right == 0:
        return usual
    # From the right end of the binomial law its terms grow up to the mode; so does their mean.
    first = max(1, right - int((guesses + 1) * success))
    worst = _highest(lambda i: (at_least(right - i) - usual) / i, first, right)
    return min(1.0, usual + 2 * coins * delta * worst)


def _highest(value: Callable[[int], float], first: int, last: int) -> float:
    """The highest value between two places, of values that rise and then fall."""
    while first < last:
        middle = (first + last) // 2
        if value(middle + 1) > value(middle):
            first = middle + 1
        else:
            last = middle
    return value(first)


def one_run_epsilon(
    coins: int, guesses: int, right: int, *, delta: float = 0.0, level: float = LEVEL
) -> float:
    """The least epsilon with which so many right guesses are not too improbable.

    >>> round(one_run_epsilon(200, 200, 200), 2)
    4.19
    """
    return largest_rejected(lambda e: one_run_p(e, coins, guesses, right, delta), 1 - level)


@dataclass(frozen=True)
class CoinMethod(EpsilonMethod):
    """A method for scores of which each has a coin of its own.

    The attack sees the scores without knowing the coins. It guesses "in" for the highest and "out"
    for as many of the lowest, and abstains from those between. No runs are held out. Several
    shares of guesses may be tried; the level pays for that.

    Parameters
    ----------
    shares : of how many of the coins the attack guesses, as shares.
    """

    design: ClassVar[Design] = "coins"
    shares: tuple[float, ...] = (1.0, 0.5)

    @abstractmethod
    def of_guesses(
        self, coins: int, guesses: int, right: int, *, delta: float, level: float
    ) -> float:
        """The bound from the number of right guesses, for one share of guesses."""

    def bound(
        self,
        with_it: Floats,
        without: Floats,
        *,
        delta: float = 0.0,
        level: float = LEVEL,
        rng: np.random.Generator,
    ) -> Reading:
        refused = self.unfit(delta) or refusal(with_it, without, least=0)
        coins = len(with_it) + len(without)
        if refused is not None or coins == 0:
            return refused or Reading.missing("lower", "there is no score")
        inside = np.repeat([True, False], [len(with_it), len(without)])
        # Equal scores are put in a random order, so that no order of the coins shows.
        order = np.lexsort((rng.random(coins), np.concatenate([with_it, without])))
        right = []
        for guesses in self._guesses(coins):
            low, high = inside[order[: guesses // 2]], inside[order[coins - (guesses + 1) // 2 :]]
            right.append(int(np.count_nonzero(~low) + np.count_nonzero(high)))
        return self.reading(self._best(coins, right, delta, level), coins, level)

    def ceiling(
        self, n_with: int, n_without: int, *, delta: float = 0.0, level: float = LEVEL
    ) -> float:
        coins = n_with + n_without
        if coins == 0:
            return 0.0
        right = [
            min(guesses // 2, n_without) + min((guesses + 1) // 2, n_with)
            for guesses in self._guesses(coins)
        ]
        return self._best(coins, right, delta, level)

    def _guesses(self, coins: int) -> list[int]:
        return [max(1, round(coins * share)) for share in self.shares]

    def _best(self, coins: int, right: list[int], delta: float, level: float) -> float:
        each = 1 - (1 - level) / len(self.shares)
        return max(
            self.of_guesses(coins, guesses, count, delta=delta, level=each)
            for guesses, count in zip(self._guesses(coins), right, strict=True)
        )


@dataclass(frozen=True)
class OneRun(CoinMethod):
    """The bound from one release, or from many, if coins decided who is in the data.

    References
    ----------
    Steinke, Nasr and Jagielski, Privacy auditing with one (1) training run, NeurIPS 2023.

    >>> round(OneRun(shares=(1.0,)).ceiling(100, 100), 2)
    4.19
    """

    name: ClassVar[str] = "one-run"
    guarantee: ClassVar[str] = (
        "above the true epsilon in at most 1 - level of all audits, if each score has an "
        "independent fair coin of its own"
    )

    def of_guesses(
        self, coins: int, guesses: int, right: int, *, delta: float, level: float
    ) -> float:
        return one_run_epsilon(coins, guesses, right, delta=delta, level=level)


# One-run bound for Gaussian mechanisms: the whole trade-off curve limits the right guesses.


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
