"""Worst case: the targets that the attacks see best, chosen on one half of the runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from quintain.audits.games.features import EVIDENCE, SHARED
from quintain.audits.games.record import Record
from quintain.data.arrays import Floats, Mask, Rows
from quintain.jobs.progress import track
from quintain.kernels.linear_classifiers import logistic_weights
from quintain.kernels.ranks import average_ranks
from quintain.measures.epsilon.thresholds import best_threshold
from quintain.measures.reading import LEVEL

# Guessing: which coins to guess, and which to leave; chosen on runs that give no bound.


TAIL = 0.01
"""Small, so that few guesses which happen to be right on the training runs do not count much."""


@dataclass(frozen=True, slots=True)
class ChoiceRule:
    """Guess the coins about which the attack is most confident, and leave the others.

    Parameters
    ----------
    top, bottom : the shares of the runs that look like "in", and of those that look like "out",
        in which a guess is made.
    """

    top: float
    bottom: float

    def count(self, confidence: Floats, coins: Mask) -> tuple[int, int]:
        """How many guesses are right, and how many there are."""
        inside, outside = confidence > 1 - self.top, confidence < self.bottom - 1
        right = int((inside & coins).sum() + (outside & ~coins).sum())
        return right, int(inside.sum() + outside.sum())


RULES = (
    *(ChoiceRule(share, share) for share in (1.0, 0.6, 0.3, 0.15, 0.05)),
    *(ChoiceRule(share, 0.0) for share in (1.0, 0.3, 0.05)),
    *(ChoiceRule(0.0, share) for share in (1.0, 0.3, 0.05)),
)
"""Few, because of many rules the best one on the training runs is often only lucky."""


def confidence_by_rank(scores: Floats) -> Floats:
    """From -1 for the lowest score to 1 for the highest; equal scores get the same.

    >>> confidence_by_rank(np.array([5.0, 7.0, 6.0, 6.0]))
    array([-0.75,  0.75,  0.  ,  0.  ])
    """
    return np.asarray((2 * average_ranks(scores) - 1) / len(scores) - 1)


def confidence_by_training(scores: Floats, known: Floats, coins: Mask) -> Floats:
    """Above 0 if a score looks like "in"; 1 if it is farther from the border than training runs.

    Parameters
    ----------
    known, coins : the scores of training runs, and who was in their data. They set the border.
    """
    if coins.all() or not coins.any():
        return confidence_by_rank(scores)
    border = best_threshold(known[coins], known[~coins], 0.0, LEVEL)
    above = _place(known[known > border], scores)
    below = _place(-known[known <= border], -scores)
    return np.where(scores > border, above, -below)


def _place(side: Floats, scores: Floats) -> Floats:
    """The share of one side of the border that is less extreme than each score."""
    ordered = np.sort(side)
    less = np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right")
    return np.asarray((less / 2 + 0.5) / (len(side) + 1))


def best_rule(confidence: Floats, coins: Mask) -> tuple[ChoiceRule, float]:
    """The rule that shows most on these runs, and the log odds that it shows."""
    counted = np.array([rule.count(confidence, coins) for rule in RULES])
    shown = shown_by(counted[:, 0], counted[:, 1])
    best = int(np.argmax(shown))
    return RULES[best], float(shown[best])


def shown_by(right: Floats, guessed: Floats) -> Floats:
    """The least log odds of a right guess that fit the counts; below 0 if half are wrong.

    >>> shown_by(np.array([10, 5]), np.array([10, 10])).round(2)
    array([ 0.54, -1.73])
    """
    from scipy.special import betaincinv

    low = np.where(right > 0, betaincinv(np.maximum(right, 1), guessed - right + 1, TAIL), 0.0)
    low = np.clip(low, 1e-9, 1 - 1e-9)
    return np.asarray(np.log(low / (1 - low)))


# Average people: how well releases show who is in, for people who were drawn at random.


AVERAGE_RIDGE = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class AveragePeople:
    """The attack and the rule that were chosen on one half, and what they say of the other half.

    Parameters
    ----------
    attack : the name of the chosen evidence.
    scores : runs x people, for the runs that give the bound.
    coins : who was in the data.
    raw : the scores of every attack as they were, for curves and areas.
    """

    attack: str
    rule: ChoiceRule
    scores: Floats
    coins: Mask
    raw: dict[str, Floats]

    def right(self) -> tuple[int, int]:
        """How many guesses are right, and how many there are."""
        return self.rule.count(confidence_by_rank(self.scores.ravel()), self.coins.ravel())


def choose_average(record: Record, worst: int) -> AveragePeople:
    """Choose the evidence and the rule on the training half of the runs alone.

    Scores of a person are compared with those of the same person in other runs, because what is
    usual differs between people.
    """
    training = record.training()[record.watched]
    coins = record.coins[record.watched, worst:]
    raw = record.shared[:, worst:]
    moving = [place for place in range(raw.shape[2]) if np.ptp(raw[:, :, place]) > 0]
    kinds = {SHARED[place]: raw[:, :, place] for place in moving} or {SHARED[0]: raw[:, :, 0]}
    calibrated = {name: _calibrate(scores, training) for name, scores in kinds.items()}
    calibrated["combined"] = _combine(list(calibrated.values()), coins, training)
    tried = []
    for name, scores in calibrated.items():
        rule, shown = best_rule(
            confidence_by_rank(scores[training].ravel()), coins[training].ravel()
        )
        tried.append((shown, name, rule))
    _, name, rule = max(tried, key=lambda one: one[0])
    scores = calibrated[name][~training]
    others = {kind: values[~training] for kind, values in kinds.items()}
    others["combined"] = calibrated["combined"][~training]
    return AveragePeople(name, rule, scores, coins[~training], others)


def _combine(kinds: list[Floats], coins: Mask, training: Mask) -> Floats:
    """All kinds of evidence together, with weights from the training runs of all people."""
    table = np.stack(kinds, axis=2)
    known = table[training].reshape(-1, table.shape[2])
    weights = logistic_weights(known, coins[training].ravel(), AVERAGE_RIDGE)
    return np.asarray(table @ weights[1:])


def _calibrate(scores: Floats, training: Mask) -> Floats:
    """Scores of each person relative to the training runs."""
    middle, spread = scores[training].mean(axis=0), scores[training].std(axis=0)
    return np.asarray((scores - middle) / (spread + np.median(spread) + 1e-9))


# Distinguishers: what tells the runs with a person from those without.
#
# Each gives one number per run, higher if the person was probably in the data. Some are fixed;
# others are trained on half of the runs. Scores of training runs come from models that did not
# see them.


FOLDS = 5
RIDGE = 1.0
MOST_TRAINING_RUNS = 1000
"""Of more runs than this, all queries would fill the memory; the first ones teach enough."""

Fit = Callable[[Floats, Mask], Callable[[Floats], Floats]]
"""Learns from runs and coins; gives a function that scores runs."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoredChoice:
    """One distinguisher for one target: a score per run."""

    attack: str
    target: int
    scores: Floats


def score_runs(record: Record, target: int) -> list[ScoredChoice]:
    """The scores of all distinguishers for a target that stands out."""
    coins = record.coins[:, target]
    everything = np.arange(record.runs)
    training = everything[record.training()][:MOST_TRAINING_RUNS]
    seen = record.evidence[:, target]
    fixed = {"query-mean": seen[:, len(EVIDENCE) :].mean(axis=1)}
    for place, name in enumerate(EVIDENCE):
        fixed[name] = seen[:, place]
    out = [
        ScoredChoice(name, target, values) for name, values in fixed.items() if np.ptp(values) > 0
    ]
    out.append(ScoredChoice("evidence", target, _train(seen, coins, training, _logistic)))
    out.append(ScoredChoice("groundhog", target, _train(record.whole, coins, training, _ridge)))
    out.append(ScoredChoice("queries", target, _from_queries(record, target, coins, training)))
    return out


def _from_queries(record: Record, target: int, coins: Mask, training: Rows) -> Floats:
    """Train on all queries; the other runs are read one after the other."""
    known = record.queries(target, training)
    scores = np.zeros(record.runs)
    scores[training] = _cross_fitted_ridge(known, coins[training])
    score = _ridge(known, coins[training])
    for run in np.setdiff1d(np.arange(record.runs), training).tolist():
        scores[run] = score(record.queries(target, np.array([run])))[0]
    return scores


def _train(features: Floats, coins: Mask, training: Rows, fit: Fit) -> Floats:
    scores = fit(features[training], coins[training])(features)
    scores[training] = _cross_fitted(features[training], coins[training], fit)
    return scores


def _cross_fitted(features: Floats, coins: Mask, fit: Fit) -> Floats:
    """Score each run by a model that was trained on other runs."""
    fold = np.arange(len(coins)) % min(FOLDS, len(coins))
    out = np.zeros(len(coins))
    for number in range(int(fold.max()) + 1):
        rest = fold != number
        out[~rest] = fit(features[rest], coins[rest])(features[~rest])
    return out


def _cross_fitted_ridge(features: Floats, coins: Mask) -> Floats:
    """The same for ridge regressions, from the products of all pairs of runs, computed once."""
    known = _standard(features)(features)
    gram = known @ known.T / max(1, known.shape[1])
    fold = np.arange(len(coins)) % min(FOLDS, len(coins))
    out = np.zeros(len(coins))
    for number in range(int(fold.max()) + 1):
        rest = np.flatnonzero(fold != number)
        labels = np.where(coins[rest], 1.0, -1.0)
        inner = gram[np.ix_(rest, rest)] + RIDGE * np.eye(len(rest))
        weights = np.linalg.solve(inner, labels - labels.mean())
        out[fold == number] = gram[np.ix_(fold == number, rest)] @ weights
    return out


def _standard(features: Floats) -> Callable[[Floats], Floats]:
    middle, spread = features.mean(axis=0), features.std(axis=0)
    moving = spread > 1e-9
    return lambda values: (values[:, moving] - middle[moving]) / spread[moving]


def _logistic(features: Floats, coins: Mask) -> Callable[[Floats], Floats]:
    """A logistic regression on standardised numbers."""
    standard = _standard(features)
    weights = logistic_weights(standard(features), coins, RIDGE)
    return lambda values: np.asarray(weights[0] + standard(values) @ weights[1:])


def _ridge(features: Floats, coins: Mask) -> Callable[[Floats], Floats]:
    """A ridge regression on the coins, solved between runs: there are more queries than runs."""
    standard = _standard(features)
    known = standard(features)
    labels = np.where(coins, 1.0, -1.0) - np.where(coins, 1.0, -1.0).mean()
    size = max(1, known.shape[1])
    gram = known @ known.T / size + RIDGE * np.eye(len(known))
    weights = known.T @ np.linalg.solve(gram, labels) / size
    return lambda values: np.asarray(standard(values) @ weights)


@dataclass(frozen=True, slots=True, eq=False)
class WorstCase:
    """The chosen targets with their attacks, and what they say of the runs that give the bound.

    Parameters
    ----------
    chosen : one distinguisher per chosen target, the best first.
    rule : which coins of all chosen targets are guessed.
    confidence : for each chosen target, what the attack says of the runs that give the bound.
    coins : for each chosen target, who was in the data of those runs.
    scores : for the best target alone, the scores of those runs.
    threshold : for the best target alone, the score above which a guess is "in".
    """

    chosen: tuple[ScoredChoice, ...]
    rule: ChoiceRule
    confidence: Floats
    coins: Mask
    scores: Floats
    threshold: float

    def right(self) -> tuple[int, int]:
        """How many guesses about all chosen targets are right, and how many there are."""
        return self.rule.count(self.confidence, self.coins)


def choose_worst(record: Record, targets: int) -> WorstCase:
    """Choose targets, attacks and rules on the training half of the runs alone."""
    training = record.training()
    best = [
        _best_attack(record, target, training)
        for target in track(range(targets), "distinguishers", targets)
    ]
    best.sort(key=lambda pair: (-pair[1], pair[0].target))
    order = [scored for scored, _ in best]
    rule, count, most = RULES[0], 1, -np.inf
    for size in range(1, len(order) + 1):
        confidence, coins = _half(record, order[:size], training)
        candidate, shown = best_rule(confidence, coins)
        if shown > most:
            rule, count, most = candidate, size, shown
    chosen = tuple(order[:count])
    confidence, coins = _half(record, chosen, ~training)
    first = chosen[0]
    threshold = _threshold(first.scores[training], record.coins[training, first.target])
    return WorstCase(chosen, rule, confidence, coins, first.scores[~training], threshold)


def _best_attack(record: Record, target: int, training: Mask) -> tuple[ScoredChoice, float]:
    shown = []
    for scored in score_runs(record, target):
        confidence, coins = _half(record, [scored], training)
        shown.append((scored, best_rule(confidence, coins)[1]))
    return max(shown, key=lambda pair: pair[1])


def _half(record: Record, chosen: Sequence[ScoredChoice], half: Mask) -> tuple[Floats, Mask]:
    """For each target what its attack says of some runs, and the coins of these."""
    training = record.training()
    confidence = [
        confidence_by_training(
            scored.scores[half], scored.scores[training], record.coins[training, scored.target]
        )
        for scored in chosen
    ]
    return np.stack(confidence), np.stack([record.coins[half, own.target] for own in chosen])


def _threshold(known: Floats, coins: Mask) -> float:
    if coins.all() or not coins.any():
        return float(np.median(known))
    return best_threshold(known[coins], known[~coins], 0.0, LEVEL)
