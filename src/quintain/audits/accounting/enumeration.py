"""Enumeration: the exact probabilities of all releases of a small table, by trying all draws.

Where answers are random replies and not numbers with noise, as in randomised response, there is
nothing to replay. But a table of one or two rows has few draws, so that every way through them can
be walked, and the largest ratio of the probabilities of a release is the exact loss.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from quintain.audits.accounting.outcomes import Call, CallOutcome, observe
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import Step

MOST = 4_000
"""The most ways through the draws of one table."""


class NotEnumerable(BaseException):
    """A draw with more results than can be tried; not for parts to catch."""


class _EveryDraw(Noise):
    """Noise that follows one way through all draws, and notes its probability."""

    __slots__ = ("choices", "options", "probability", "way")

    def __init__(self, way: Sequence[int]) -> None:
        super().__init__(bytes(range(32)), test=True)
        self.way, self.choices = list(way), list[int]()
        self.options: list[int] = []
        self.probability = 1.0

    def child(self, *steps: Step) -> Noise:
        """The same way."""
        return self

    def bernoulli(self, probability: npt.ArrayLike, size: int) -> npt.NDArray[np.bool_]:
        """Both sides of every coin."""
        wanted = np.broadcast_to(np.asarray(probability, np.float64), size)
        return np.array([bool(self._take([1 - p, p])) for p in wanted.tolist()], bool)

    def integers(self, high: int, size: int) -> npt.NDArray[np.int64]:
        """Every whole number."""
        if high > MOST:
            raise NotEnumerable
        return np.array([self._take([1 / high] * high) for _ in range(size)], np.int64)

    def choose(self, scores: npt.ArrayLike, epsilon: float, sensitivity: float) -> int:
        """Each place in turn, with the probability that the mechanism gives it."""
        values = np.asarray(scores, np.float64) * (epsilon / (2 * sensitivity))
        weights = np.exp(values - values.max())
        return self._take((weights / weights.sum()).tolist())

    def bytes(self, count: int) -> bytes:
        """Too many results."""
        raise NotEnumerable

    def gaussian(self, sigma: float, size: int) -> npt.NDArray[np.int64]:
        """Too many results."""
        raise NotEnumerable

    def laplace(self, scale: float, size: int) -> npt.NDArray[np.int64]:
        """Too many results."""
        raise NotEnumerable

    def _take(self, probabilities: Sequence[float]) -> int:
        at = self.way[len(self.choices)] if len(self.choices) < len(self.way) else 0
        self.choices.append(at)
        self.options.append(len(probabilities))
        self.probability *= probabilities[at]
        return at

    def next_way(self) -> list[int] | None:
        """The way after this one; None if it was the last."""
        way = list(self.choices)
        while way:
            way[-1] += 1
            if way[-1] < self.options[len(way) - 1]:
                return way
            way.pop()
        return None


def distribution(call: Call, data: Any) -> tuple[dict[tuple[str, ...], float], CallOutcome]:
    """The probability of everything that a call may publish, and one example."""
    chances: dict[tuple[str, ...], float] = defaultdict(float)
    way: list[int] | None = []
    for _ in range(MOST):
        assert way is not None  # the loop ends with the last way
        noise = _EveryDraw(way)
        outcome = observe(call, data, noise)
        chances[tuple(f"{name}: {text}" for name, text in outcome.facts.items())] += (
            noise.probability
        )
        way = noise.next_way()
        if way is None:
            return dict(chances), outcome
    raise NotEnumerable


def exact_epsilon(one: Mapping[Any, float], other: Mapping[Any, float], delta: float) -> float:
    """The smallest epsilon for two distributions, in both directions.

    >>> exact_epsilon({"yes": 0.75, "no": 0.25}, {"yes": 0.25, "no": 0.75}, 0.0) == math.log(3)
    True
    """
    if not delta:
        everything = {*one, *other}
        pairs = [(one.get(key, 0.0), other.get(key, 0.0)) for key in everything]
        return max(
            (math.inf if min(pair) == 0 < max(pair) else abs(math.log(pair[0] / pair[1])))
            for pair in pairs
            if max(pair) > 0
        )
    if max(_hockey_stick(one, other, 700.0), _hockey_stick(other, one, 700.0)) > delta:
        return math.inf
    low, high = 0.0, 700.0
    for _ in range(60):
        middle = (low + high) / 2
        if max(_hockey_stick(one, other, middle), _hockey_stick(other, one, middle)) > delta:
            low = middle
        else:
            high = middle
    return high


def _hockey_stick(one: Mapping[Any, float], other: Mapping[Any, float], epsilon: float) -> float:
    factor = math.exp(epsilon)
    return sum(max(0.0, p - factor * other.get(key, 0.0)) for key, p in one.items())
