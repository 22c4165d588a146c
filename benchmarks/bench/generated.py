"""What a generated table keeps of the private one, and what attacks find in it."""

from __future__ import annotations

import numpy as np

from quintain.data import Table
from quintain.guesses import Guess, Truth
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.roc_curve import Auc, TprAtFpr
from quintain.measures.utility.table.marginals import KWayMarginals

MEASURES = {"AUC": Auc(), "TPR .01": TprAtFpr(fpr=0.01), "TPR .1": TprAtFpr(fpr=0.1)}


def found(truth: Truth, guess: Guess) -> dict[str, float]:
    """The value of every measure of a guess about membership."""
    case = [Case(truth, guess)]
    read = {key: measure.measure(case, rng=reading_rng()) for key, measure in MEASURES.items()}
    return {key: next(iter(readings.values())).value for key, readings in read.items()}


def kept(private: Table, made: Table, test: Table, label: str) -> dict[str, float]:
    """The distances of one- and two-way marginals, and the accuracy on test records."""
    line = {}
    for ways in (1, 2):
        measured = KWayMarginals(ways=ways, classes=50).measure(
            private, made, None, rng=reading_rng()
        )
        line[f"marginals{ways}"] = measured[f"marginals{ways}"].value
    line["accuracy"] = accuracy(made, test, label)
    return line


def accuracy(release: Table, test: Table, label: str) -> float:
    """How often a classifier that learned from a release is right about test records."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    names = [name for name in release.schema.names if name != label]
    known, asked = (
        np.column_stack([table.columns[name] for name in names]).astype(float)
        for table in (release, test)
    )
    answers = release.columns[label]
    if len(np.unique(answers)) < 2:
        return float((test.columns[label] == answers[0]).mean())
    model = HistGradientBoostingClassifier(max_iter=100, random_state=0).fit(known, answers)
    return float((model.predict(asked) == test.columns[label]).mean())
