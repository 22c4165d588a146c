"""Distinguishing: which fact of a call tells best whether a person is in the data.

Rules are chosen on training runs alone. Each is simple: a number above a threshold, a text that is
the one seen before, or a sum of evidence about the values of the person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from quintain.audits.games.pair_runs import PairRuns
from quintain.audits.games.published import OWN
from quintain.data.arrays import Floats, Mask
from quintain.measures.epsilon.method import cautious_epsilon, error_tail, upper_rates
from quintain.measures.epsilon.thresholds import best_threshold

CAUTION = 0.9
"""The level at which rules are compared on training runs, so that luck counts little."""
FOLDS = 5
RIDGE = 1.0
FEWEST_FOR_SUMS = 40
"""With fewer training runs, sums of evidence are only luck."""
MOST_BINS = 12
FEWEST_TO_VARY = 6
FIXED = ("column ", "the columns of", "it says", "what is released", "the model")
"""Facts that begin so are the same in most releases of the same data, other than counts."""


class TellingScore(Protocol):
    """A number per run; higher if the person is probably in the data."""

    def __call__(self, runs: PairRuns) -> Floats: ...


Fit = Callable[[PairRuns, Sequence[str], Mask], TellingScore]
"""Learns a score from some of the runs."""


@dataclass(frozen=True, slots=True, eq=False)
class TellingRule:
    """A way to say whether a person is in the data.

    Parameters
    ----------
    name : what it looks at, in words.
    threshold : the person is said to be in the data if the score is above it.
    shown : the epsilon that training runs suggest, cautiously.
    clear : how clearly the training runs differ; it decides between rules that show the same.
    """

    name: str
    score: TellingScore
    threshold: float
    shown: float
    clear: float

    def scores(self, runs: PairRuns) -> Floats:
        """Scores above 0 say that the person is in the data."""
        return self.score(runs) - self.threshold

    @property
    def rank(self) -> tuple[float, float]:
        """Rules with a higher rank are better."""
        return self.shown, self.clear


@dataclass(frozen=True, slots=True)
class NumberScore:
    """A number of the release, or its negative."""

    name: str
    sign: float

    def __call__(self, runs: PairRuns) -> Floats:
        if self.name not in runs.names:
            return np.zeros(len(runs.inside))
        return self.sign * runs.numbers[:, runs.names.index(self.name)]


@dataclass(frozen=True, slots=True)
class TextScore:
    """Whether a text is a certain one, or is not."""

    name: str
    text: int
    sign: float

    def __call__(self, runs: PairRuns) -> Floats:
        if self.name not in runs.text_names:
            return np.zeros(len(runs.inside))
        same = runs.texts[:, runs.text_names.index(self.name)] == self.text
        return np.where(same, self.sign, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class BinnedEvidence:
    """The sum over the values of the person of how much likelier their counts are with the person.

    Parameters
    ----------
    names : the numbers that are weighed.
    edges : for each number, where its bins begin.
    weights : for each number and bin, the logarithm of how much likelier it is with the person.
    """

    names: tuple[str, ...]
    edges: tuple[Floats, ...]
    weights: tuple[Floats, ...]

    @classmethod
    def fit(cls, runs: PairRuns, names: Sequence[str], training: Mask) -> BinnedEvidence:
        """Learn from some of the runs."""
        edges, weights = [], []
        for name in names:
            values = runs.numbers[:, runs.names.index(name)]
            known, inside = values[training], runs.inside[training]
            cuts = np.unique(np.quantile(known, np.linspace(0, 1, MOST_BINS + 1)[1:]))
            bins = np.searchsorted(cuts, known)
            counts = [
                np.bincount(bins[i], minlength=len(cuts) + 1) + 1.0 for i in (inside, ~inside)
            ]
            edges.append(cuts)
            weights.append(
                np.log(counts[0] / counts[0].sum()) - np.log(counts[1] / counts[1].sum())
            )
        return cls(tuple(names), tuple(edges), tuple(weights))

    def __call__(self, runs: PairRuns) -> Floats:
        total = np.zeros(len(runs.inside))
        for name, cuts, weights in zip(self.names, self.edges, self.weights, strict=True):
            values = (
                runs.numbers[:, runs.names.index(name)]
                if name in runs.names
                else np.zeros(len(runs.inside))
            )
            total += weights[np.searchsorted(cuts, values)]
        return total


@dataclass(frozen=True, slots=True, eq=False)
class LinearEvidence:
    """A weighted sum of numbers, by ridge regression on the training runs."""

    names: tuple[str, ...]
    middle: Floats
    weights: Floats

    @classmethod
    def fit(cls, runs: PairRuns, names: Sequence[str], training: Mask) -> LinearEvidence:
        """Learn from some of the runs."""
        training = _few(training)
        columns = np.array([runs.names.index(name) for name in names], np.int64)
        values = runs.numbers[training][:, columns]
        middle, spread = values.mean(axis=0), values.std(axis=0)
        known = (values - middle) / np.where(spread > 0, spread, 1.0)
        labels = np.where(runs.inside[training], 1.0, -1.0)
        size = max(1, known.shape[1])
        gram = known @ known.T / size + RIDGE * np.eye(len(known))
        weights = known.T @ np.linalg.solve(gram, labels - labels.mean()) / size
        return cls(tuple(names), middle, weights / np.where(spread > 0, spread, 1.0))

    def __call__(self, runs: PairRuns) -> Floats:
        place = {name: number for number, name in enumerate(runs.names)}
        values = np.zeros((len(runs.inside), len(self.names)))
        for column, name in enumerate(self.names):
            if name in place:
                values[:, column] = runs.numbers[:, place[name]]
        return np.asarray((values - self.middle) @ self.weights)


MOST_LINEAR = 1000
"""Of more training runs than this, the first ones teach a weighted sum."""


def best_rule(runs: PairRuns, delta: float) -> TellingRule | None:
    """The rule that tells most about these training runs; None if nothing ever differs."""
    return max(_rules(runs, delta), key=lambda rule: rule.rank, default=None)


def _rules(runs: PairRuns, delta: float) -> Iterator[TellingRule]:
    inside = runs.inside
    spread = np.ptp(runs.numbers, axis=0) if runs.numbers.size else np.zeros(0)
    moving = [runs.names[place] for place in np.flatnonzero(spread > 0).tolist()]
    for name in moving:
        for sign in (1.0, -1.0):
            score = NumberScore(name, sign)
            yield _rule(name, score, score(runs), inside, delta)
    for place, name in enumerate(runs.text_names):
        texts, counts = np.unique(runs.texts[:, place], return_counts=True)
        for text in texts[(counts > 1) & (counts < len(inside))].tolist():
            words = f"{name}: {runs.words[text]}" if text in runs.words else name
            for sign in (1.0, -1.0):
                alike = TextScore(name, text, sign)
                yield _rule(words, alike, alike(runs), inside, delta)
    if len(inside) >= FEWEST_FOR_SUMS and moving:
        yield from _sums(runs, moving, delta)


def _sums(runs: PairRuns, moving: Sequence[str], delta: float) -> Iterator[TellingRule]:
    """Sums of evidence; their thresholds come from runs that did not teach their weights."""
    own = [name for name in moving if name.startswith(OWN)]
    alone = [name for name in own if " and " not in name]
    fits: list[tuple[str, Fit, Sequence[str]]] = [
        ("the values of the person, weighed together", BinnedEvidence.fit, alone),
        ("values and pairs of values of the person, weighed together", BinnedEvidence.fit, own),
        ("all numbers, weighed together", LinearEvidence.fit, moving),
    ]
    fold = np.arange(len(runs.inside)) % FOLDS
    for name, fit, names in fits:
        if not names:
            continue
        scores = np.zeros(len(fold))
        for number in range(FOLDS):
            scores[fold == number] = fit(runs, names, fold != number)(runs)[fold == number]
        final = fit(runs, names, np.ones(len(fold), bool))
        yield _rule(name, final, scores, runs.inside, delta)


def _few(training: Mask) -> Mask:
    """Runs spread over all of them, so that both sides are among them."""
    places = np.flatnonzero(training)
    if len(places) <= MOST_LINEAR:
        return training
    few = np.zeros(len(training), bool)
    few[places[:: -(-len(places) // MOST_LINEAR)]] = True
    return few


def _rule(
    name: str, score: TellingScore, scores: Floats, inside: Mask, delta: float
) -> TellingRule:
    with_it, without = scores[inside], scores[~inside]
    threshold = best_threshold(with_it, without, delta, CAUTION)
    missed = np.array([np.count_nonzero(with_it <= threshold)])
    false = np.array([np.count_nonzero(without > threshold)])
    tail = error_tail(CAUTION)
    rates = upper_rates(missed, len(with_it), tail), upper_rates(false, len(without), tail)
    shown = float(cautious_epsilon(*rates, delta)[0])
    return TellingRule(name, score, threshold, shown, _clear(name, with_it, without))


def _clear(name: str, with_it: Floats, without: Floats) -> float:
    """How far both sides are apart, in standard deviations; infinite if neither varies.

    A few equal counts are luck, so with few runs a count varies as much as its size lets expect.
    """
    gap = float(with_it.mean() - without.mean())
    variance = float(with_it.var() + without.var())
    if len(with_it) < FEWEST_TO_VARY and not name.startswith(FIXED):
        variance = max(variance, 1.0, float(np.abs(with_it).mean() + np.abs(without).mean()))
    return gap / variance**0.5 if variance > 0 else float(np.inf * np.sign(gap)) if gap else 0.0
