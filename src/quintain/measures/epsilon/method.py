"""EpsilonMethod: one way to turn the scores of many runs into a lower bound on epsilon."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from quintain.data.arrays import Floats, Ints
from quintain.measures.reading import LEVEL, Reading

# Counts: how often an attack says yes, in runs with a person and in runs without that person.


@dataclass(frozen=True, slots=True)
class Counts:
    """The answers of an attack that was tuned on other runs.

    Parameters
    ----------
    hits : how many of the ``with_it`` runs with the person the attack calls so.
    false : how many of the ``without`` runs without the person the attack calls wrongly.

    >>> Counts.perfect(30, 40)
    Counts(hits=30, with_it=30, false=0, without=40)
    """

    hits: int
    with_it: int
    false: int
    without: int

    @classmethod
    def perfect(cls, with_it: int, without: int) -> Counts:
        """What an attack counts that is never wrong."""
        return cls(with_it, with_it, 0, without)

    @classmethod
    def above(cls, threshold: float, with_it: Floats, without: Floats) -> Counts:
        """What an attack counts that says yes to scores above a threshold."""
        hits = int(np.count_nonzero(with_it > threshold))
        false = int(np.count_nonzero(without > threshold))
        return cls(hits, len(with_it), false, len(without))

    @property
    def n(self) -> int:
        """How many runs were counted."""
        return self.with_it + self.without


# Which counts speak for a larger epsilon: an order of all outcomes that is quick to compute.


def error_tail(level: float) -> float:
    """The tail of one error rate, such that both at once are about as rare as ``1 - level`` says.

    Two independent deviations add like the sides of a right angle, so each needs only the normal
    quantile divided by the square root of two.

    >>> round(error_tail(0.95), 4)
    0.1224
    """
    from scipy.special import ndtr, ndtri

    return float(ndtr(-ndtri(level) / math.sqrt(2)))


def upper_rates(errors: Ints, n: int, tail: float) -> Floats:
    """For each number of errors in n runs, the rate that is exceeded with probability ``tail``."""
    from scipy.special import betaincinv

    rates = np.ones(len(errors))
    some = errors < n
    rates[some] = betaincinv(errors[some] + 1.0, n - errors[some], 1 - tail)
    return rates


def cautious_epsilon(missed: Floats, false: Floats, delta: float) -> Floats:
    """The epsilon that both rates of errors imply, in the direction that shows more."""
    with np.errstate(divide="ignore"):
        first = np.log(np.maximum(1 - missed - delta, 0.0)) - np.log(false)
        second = np.log(np.maximum(1 - false - delta, 0.0)) - np.log(missed)
    larger: Floats = np.maximum(first, second)
    return np.maximum(0.0, larger)


# Turning a test into a bound: the largest epsilon that the runs rule out.


LARGEST = 64.0
"""No bound is larger; more runs than anybody can pay for could not show it."""
PRECISION = 1e-7
"""The bound is found to this precision, and always from below."""
_SMALLEST = 1e-300


def largest_rejected(p_value: Callable[[float], float], allowed: float) -> float:
    """The largest epsilon whose p-value is not above ``allowed``; 0 if there is none.

    Parameters
    ----------
    p_value : grows with epsilon.
    allowed : the error that the level allows.

    >>> round(largest_rejected(lambda epsilon: epsilon / 50, 0.05), 4)
    2.5
    """

    def excess(epsilon: float) -> float:
        return math.log(max(p_value(epsilon), _SMALLEST)) - math.log(allowed)

    if excess(0.0) > 0:
        return 0.0
    low, high = 0.0, 1.0
    while excess(high) <= 0:
        low, high = high, 2 * high
        if high > LARGEST:
            return LARGEST
    root = bracketed_root(excess, low, high, PRECISION / 4)
    return max(0.0, root - PRECISION)


def bracketed_root(
    function: Callable[[float], float], low: float, high: float, xtol: float
) -> float:
    """A place within ``xtol`` of where a function crosses nought; at its ends the signs differ.

    The secant through both ends, where an end that stays twice counts half (the Illinois rule),
    and the middle if that was slow. SciPy has such functions too, but to load them takes longer
    than all bounds of an audit.

    References
    ----------
    Dowell and Jarratt, A modified regula falsi method for computing the root of an equation, BIT
    1971.

    >>> round(bracketed_root(lambda x: x * x - 2, 0.0, 2.0, 1e-9), 6)
    1.414214
    """
    at_low, at_high = function(low), function(high)
    step, width, last = 0, high - low, 0
    while high - low > xtol and at_low and at_high:
        place = (low * at_high - high * at_low) / (at_high - at_low)
        step += 1
        if step % 3 == 0:
            place = (low + high) / 2 if high - low > width / 4 else place
            width = high - low
        place = min(max(place, low + 0.4 * xtol), high - 0.4 * xtol)
        value = function(place)
        side = 1 if (value > 0) == (at_high > 0) else -1
        if side > 0:
            high, at_high, at_low = place, value, at_low / 2 if side == last else at_low
        else:
            low, at_low, at_high = place, value, at_high / 2 if side == last else at_high
        last = side
    return low if at_low == 0 else high if at_high == 0 else (low + high) / 2


Design = Literal["sides", "coins"]
"""How the runs were planned: so many with and so many without the person, or by tossing coins."""


@dataclass(frozen=True)
class EpsilonMethod(ABC):
    """A lower bound on epsilon, from scores of runs with a person and of runs without that person.

    ``name`` says which method it is, and ``guarantee`` says in a sentence what its bound promises.
    ``design`` is "sides" if the numbers of runs with and without may be planned. It is "coins" if
    a fair coin of its own must have decided for each score whether the person is in the data.
    """

    name: ClassVar[str]
    guarantee: ClassVar[str]
    design: ClassVar[Design] = "sides"

    @abstractmethod
    def bound(
        self,
        with_it: Floats,
        without: Floats,
        *,
        delta: float = 0.0,
        level: float = LEVEL,
        rng: np.random.Generator,
    ) -> Reading:
        """The least epsilon that the mechanism can have, given how well scores tell runs apart.

        Parameters
        ----------
        with_it, without : one score per run with the person, and per run without; a higher score
            says that the attack believes the person to be in the data.
        delta : the delta that the mechanism claims; the bound is on epsilon for this delta.
        level : how often the bound is at most the true epsilon, in the sense of ``guarantee``.
        rng : splits the runs and breaks ties.
        """

    @abstractmethod
    def ceiling(
        self, n_with: int, n_without: int, *, delta: float = 0.0, level: float = LEVEL
    ) -> float:
        """The highest bound that this method shows if an attack is never wrong."""

    def unfit(self, delta: float) -> Reading | None:
        """A reading that says why the method does not hold for this mechanism; None if it does."""
        return None

    def reading(self, value: float, n: int, level: float, detail: str = "") -> Reading:
        """The bound as a reading that names the method."""
        method = f"{self.name}, {detail}" if detail else self.name
        return Reading.at_least(value, n, "lower", method=method, level=level)


def refusal(with_it: Floats, without: Floats, least: int) -> Reading | None:
    """A reading that says why these scores bound nothing, or None if they can be used."""
    fewest = min(len(with_it), len(without))
    if fewest < least:
        note = f"{least} runs with and without the person are needed, and there are only {fewest}"
        return Reading.missing("lower", note)
    lost = int(np.isnan(with_it).sum() + np.isnan(without).sum())
    if lost:
        return Reading.missing("lower", f"runs without a score: {lost}")
    return None
