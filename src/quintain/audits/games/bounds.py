"""Bounds: what the guesses about coins prove about the epsilon of a sanitizer.

Three bounds decide whether a claim is wrong, and they are named before anything is counted: that of
the person whom the attacks see best, that of all people who stand out, and that of average people.
The last two count guesses of independent fair coins. All runs together are one mechanism that takes
all coins, and each coin changes one run by one person; so the bound for one run holds for all runs
together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from quintain.audits.games.choices import AveragePeople, WorstCase
from quintain.audits.results import EpsilonBound
from quintain.measures import Reading
from quintain.measures.epsilon import DEFAULT, METHODS
from quintain.measures.epsilon.method import EpsilonMethod
from quintain.measures.epsilon.one_run import one_run_epsilon
from quintain.measures.epsilon.thresholds import FixedThreshold, ThresholdMethod
from quintain.measures.reading import LEVEL

DECIDING = 4
"""How many numbers of each setting a verdict may rest on: three bounds, and the exposed share."""


def deciding_bounds(
    worst: WorstCase,
    average: AveragePeople,
    *,
    delta: float,
    level: float,
    rng: np.random.Generator,
) -> tuple[EpsilonBound, ...]:
    """The bounds that decide about the claim, each at this level.

    Parameters
    ----------
    level : corrected for the number of such bounds and shares in the whole audit.
    """
    attacks = ", ".join(dict.fromkeys(scored.attack for scored in worst.chosen))
    outstanding = f"{len(worst.chosen)} of the people who stand out"
    people = f"{average.coins.shape[1]} average people"
    return (
        _by_scores(DEFAULT, worst, delta, level, rng).model_copy(update={"decides": True}),
        EpsilonBound(
            method="one-run",
            attack=attacks,
            target="worst-case",
            bound=_coins(worst.right(), worst.coins.size, delta, level, outstanding),
            ceiling=highest(worst.coins.size, delta, level),
            decides=True,
        ),
        EpsilonBound(
            method="one-run",
            attack=average.attack,
            target="average",
            bound=_coins(average.right(), average.coins.size, delta, level, people),
            ceiling=highest(average.coins.size, delta, level),
            decides=True,
        ),
    )


def highest(coins: int, delta: float, level: float) -> float:
    """What an attack that guesses every coin right can show."""
    return one_run_epsilon(coins, coins, coins, delta=delta, level=level)


def _coins(
    counted: tuple[int, int], coins: int, delta: float, level: float, people: str
) -> Reading:
    right, guesses = counted
    value = one_run_epsilon(coins, guesses, right, delta=delta, level=level) if guesses else 0.0
    reading = Reading.at_least(value, coins, "lower", method="one-run", level=level)
    note = f"{right} of {guesses} guesses about {coins} coins of {people} were right"
    return reading.model_copy(update={"note": note})


def other_bounds(
    worst: WorstCase, *, delta: float, rng: np.random.Generator
) -> Iterator[EpsilonBound]:
    """For the person whom the attacks see best, the bounds of the other methods, each at 95 %."""
    for method in METHODS.values():
        if method.name != DEFAULT.name:
            yield _by_scores(method, worst, delta, LEVEL, rng)


def _by_scores(
    method: EpsilonMethod, worst: WorstCase, delta: float, level: float, rng: np.random.Generator
) -> EpsilonBound:
    """The bound of one method from the scores of the best target."""
    fixed, coins = _with_fixed_threshold(method), worst.coins[0]
    scores = worst.scores - worst.threshold
    inside, outside = scores[coins], scores[~coins]
    reading = fixed.bound(inside, outside, delta=delta, level=level, rng=rng)
    ceiling = fixed.ceiling(len(inside), len(outside), delta=delta, level=level)
    return EpsilonBound(
        method=method.name,
        attack=worst.chosen[0].attack,
        target="worst-case",
        bound=reading,
        ceiling=ceiling if reading.measured else 0.0,
    )


def _with_fixed_threshold(method: EpsilonMethod) -> EpsilonMethod:
    """The training runs have chosen the threshold, so no further runs are held out for it."""
    if isinstance(method, ThresholdMethod):
        return replace(method, thresholds=FixedThreshold(0.0))
    return method
