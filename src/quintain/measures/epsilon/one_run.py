"""One-run bound: many people, each in the data by the toss of a coin, and one release."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Floats
from quintain.measures.epsilon.largest_rejected import largest_rejected
from quintain.measures.epsilon.method import Design, EpsilonMethod, refusal
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
