"""Published ways to rebuild hidden columns, written from their descriptions with scikit-learn.

They are players of the benchmark of reconstruction, each a function from a task to the class of
every person in every hidden column.

- mode: the most common value (the baseline of NIST CRC 2025 and of arXiv:2606.08372).
- nearest: the value of the nearest record (Fix and Hodges 1951).
- neighbours: the vote of the five nearest records.
- naive Bayes: the marginals of each known column with the hidden one, taken as independent.
- logistic, forest: a model per hidden column (Stadler et al. 2022).
- forest and pairs: forests joined by belief propagation over the tree of the pairs of hidden
  columns, after the description of CoBP-RA in arXiv:2606.08372. It is not the authors' code.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from quintain.attacks.reconstruction.belief_propagation import HiddenTree
from quintain.attacks.reconstruction.rebuilding import Rebuilding
from quintain.data.arrays import Array, Floats, Rows
from quintain.kernels.trees import features

Player = Callable[[Rebuilding, int], list[Rows]]


def mode(task: Rebuilding, seed: int) -> list[Rows]:
    """The most common value."""
    return [np.full(len(task.known), column.prior().argmax()) for column in task.hidden]


def nearest(task: Rebuilding, seed: int) -> list[Rows]:
    """The value of the nearest record; numbers are scaled, categories are dummies."""
    return _predicted(task, make_pipeline(StandardScaler(), KNeighborsClassifier(1)), _dummies)


def neighbours(task: Rebuilding, seed: int) -> list[Rows]:
    """The vote of the five nearest records."""
    return _predicted(task, make_pipeline(StandardScaler(), KNeighborsClassifier(5)), _dummies)


def naive_bayes(task: Rebuilding, seed: int) -> list[Rows]:
    """Two-way marginals, known columns taken as independent given the hidden one."""
    sizes = task.encode()[2]
    return _predicted(task, CategoricalNB(min_categories=sizes), _codes)


def logistic(task: Rebuilding, seed: int) -> list[Rows]:
    """A logistic regression per hidden column."""
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    return _predicted(task, model, _dummies)


def forest(task: Rebuilding, seed: int) -> list[Rows]:
    """A random forest per hidden column, as scikit-learn grows it."""
    return _predicted(task, RandomForestClassifier(random_state=seed), _codes)


def forest_and_pairs(task: Rebuilding, seed: int) -> list[Rows]:
    """Forests whose shares are joined over the tree of hidden columns."""
    learn, ask = _codes(task)
    beliefs: list[Floats] = []
    for column in task.hidden:
        shares = np.full((len(ask), column.size), 1e-6)
        fitted = RandomForestClassifier(random_state=seed).fit(learn, column.codes)
        shares[:, fitted.classes_] += fitted.predict_proba(ask)
        beliefs.append(shares / shares.sum(axis=1, keepdims=True))
    return [own.argmax(axis=1) for own in HiddenTree.of(task.hidden).spread(beliefs, 1.0)]


PLAYERS: dict[str, Player] = {
    "mode": mode,
    "nearest": nearest,
    "neighbours": neighbours,
    "naive Bayes": naive_bayes,
    "logistic": logistic,
    "forest": forest,
    "forest and pairs": forest_and_pairs,
}


def _dummies(task: Rebuilding) -> tuple[Array, Array]:
    return features(task.shown, "", "full"), features(task.known, "", "full")


def _codes(task: Rebuilding) -> tuple[Array, Array]:
    shown, known, _ = task.encode()
    return shown.T, known.T


def _predicted(
    task: Rebuilding, model: Any, see: Callable[[Rebuilding], tuple[Array, Array]]
) -> list[Rows]:
    learn, ask = see(task)
    with warnings.catch_warnings():  # a search that ends early is good enough
        warnings.simplefilter("ignore")
        return [
            np.asarray(model.fit(learn, column.codes).predict(ask))
            if len(np.unique(column.codes)) > 1
            else np.full(len(ask), column.codes[0])
            for column in task.hidden
        ]
