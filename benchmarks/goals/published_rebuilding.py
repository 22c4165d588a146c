"""Published ways to rebuild hidden columns, written from their descriptions with scikit-learn.

They are players of the benchmark of reconstruction, each a function from a task to what it
believes of every person in every hidden column. They see what our attacks see: the classes of the
hidden columns, all released records, and the known columns of all targets.

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
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from quintain.attacks.reconstruction.belief_propagation import HiddenTree
from quintain.attacks.reconstruction.rebuilding import Rebuilding, normalise
from quintain.data.arrays import Array, Floats
from quintain.kernels.trees import features

Player = Callable[[Rebuilding, int], list[Floats]]


def mode(task: Rebuilding, seed: int) -> list[Floats]:
    """The most common value."""
    return [np.tile(column.prior(), (len(task.known), 1)) for column in task.hidden]


def nearest(task: Rebuilding, seed: int) -> list[Floats]:
    """The value of the nearest record; numbers are scaled, categories are dummies."""
    return _believed(task, make_pipeline(StandardScaler(), KNeighborsClassifier(1)), _dummies)


def neighbours(task: Rebuilding, seed: int) -> list[Floats]:
    """The vote of the five nearest records."""
    return _believed(task, make_pipeline(StandardScaler(), KNeighborsClassifier(5)), _dummies)


def naive_bayes(task: Rebuilding, seed: int) -> list[Floats]:
    """Two-way marginals, known columns taken as independent given the hidden one."""
    sizes = task.encode()[2]
    return _believed(task, CategoricalNB(min_categories=sizes), _codes)


def logistic(task: Rebuilding, seed: int) -> list[Floats]:
    """A logistic regression per hidden column."""
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    return _believed(task, model, _dummies)


@lru_cache(maxsize=1)
def forest(task: Rebuilding, seed: int) -> list[Floats]:
    """A random forest per hidden column, as scikit-learn grows it."""
    return _believed(task, RandomForestClassifier(random_state=seed), _codes)


def forest_and_pairs(task: Rebuilding, seed: int) -> list[Floats]:
    """Forests whose shares are joined over the tree of hidden columns."""
    beliefs = [normalise(shares + 1e-6) for shares in forest(task, seed)]
    return HiddenTree.of(task.hidden).spread(beliefs, 1.0)


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


def _believed(
    task: Rebuilding, model: Any, see: Callable[[Rebuilding], tuple[Array, Array]]
) -> list[Floats]:
    learn, ask = see(task)
    out = []
    for column in task.hidden:
        shares = np.tile(column.prior(), (len(ask), 1))
        if len(np.unique(column.codes)) > 1:
            with warnings.catch_warnings():  # a search that ends early is good enough
                warnings.simplefilter("ignore")
                fitted = model.fit(learn, column.codes)
                shares[:] = 0
                shares[:, fitted.classes_] = fitted.predict_proba(ask)
        out.append(shares)
    return out
