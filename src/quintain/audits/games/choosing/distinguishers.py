"""Distinguishers: what tells the runs with a person from those without.

Each gives one number per run, higher if the person was probably in the data. Some are fixed; others
are trained on half of the runs. Scores of training runs come from models that did not see them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quintain.audits.games.record import Record
from quintain.audits.games.seeing.observer import EVIDENCE
from quintain.data.arrays import Floats, Mask, Rows
from quintain.kernels.tables.logistic import logistic_weights

FOLDS = 5
RIDGE = 1.0
MOST_TRAINING_RUNS = 1000
"""Of more runs than this, all queries would fill the memory; the first ones teach enough."""

Fit = Callable[[Floats, Mask], Callable[[Floats], Floats]]
"""Learns from runs and coins; gives a function that scores runs."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """One distinguisher for one target: a score per run."""

    attack: str
    target: int
    scores: Floats


def score_runs(record: Record, target: int) -> list[Scored]:
    """The scores of all distinguishers for a target that stands out."""
    coins = record.coins[:, target]
    everything = np.arange(record.runs)
    training = everything[record.training()][:MOST_TRAINING_RUNS]
    seen = record.evidence[:, target]
    fixed = {"query-mean": seen[:, len(EVIDENCE) :].mean(axis=1)}
    for place, name in enumerate(EVIDENCE):
        fixed[name] = seen[:, place]
    out = [Scored(name, target, values) for name, values in fixed.items() if np.ptp(values) > 0]
    out.append(Scored("evidence", target, _trained(seen, coins, training, _logistic)))
    out.append(Scored("groundhog", target, _trained(record.whole, coins, training, _ridge)))
    out.append(Scored("queries", target, _from_queries(record, target, coins, training)))
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


def _trained(features: Floats, coins: Mask, training: Rows, fit: Fit) -> Floats:
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
