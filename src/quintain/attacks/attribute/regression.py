"""Regression: learn from the release how the hidden value follows from the known columns."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Protocol, Self

import numpy as np
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Column, as_table
from quintain.data.arrays import Array, Floats
from quintain.errors import MissingExtra
from quintain.guesses import AttributeQuestion, Guess, Question
from quintain.kernels.trees import features
from quintain.registry import register
from quintain.releases import Release


class _Estimator(Protocol):
    """What we use of an estimator of scikit-learn."""

    def fit(self, features: Array, values: Array, /) -> Self: ...

    def predict(self, features: Array, /) -> Array: ...


@register("regression-v1")
class Regression(Attack):
    """Learns a model of the hidden column from the released records, and asks it about targets.

    A hidden number is predicted by a regression, a hidden category by a classifier. Known numbers
    and categories are both used. What the model gets right about people who were not in the data is
    correlation; the control group of the measure takes care of that.

    Parameters
    ----------
    model : "boosting" grows decision trees one after another, each on the errors of those before;
        "ridge" is linear, with a penalty on large coefficients.
    trees : how many trees "boosting" grows.

    References
    ----------
    Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 29
    (2001). Hoerl and Kennard, Ridge regression, Technometrics 12 (1970).

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> release = pa.table({"sex": ["f"] * 9 + ["m"] * 9, "wage": [9.5 * i**2 for i in range(18)]})
    >>> targets = pa.table({"wage": [38.0, 2432.0]})
    >>> linear = q.part("regression", model="ridge")
    >>> guess = q.attack(linear, release, targets=targets, secret="sex", seed=0)
    >>> [record["sex"] for record in guess.table.records()]
    ['f', 'm']
    """

    answers: ClassVar[tuple[type[Question], ...]] = (AttributeQuestion,)

    model: Literal["boosting", "ridge"] = "boosting"
    trees: Annotated[int, Field(ge=1, le=10_000)] = 50

    @classmethod
    def examples(cls) -> list[Self]:
        """A few trees, and the linear model."""
        return [cls(trees=5), cls(model="ridge")]

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Learn from the release, then predict the value of each target."""
        question, released = knowledge.question_as(AttributeQuestion), as_table(release.data)
        known, secret = question.records(), question.secret
        learn, ask = (features(t.select(known.schema.names), "", "full") for t in (released, known))
        stored = released.columns[secret.name]
        usable = ~np.isnan(stored) if stored.dtype.kind == "f" else stored >= 0
        if len(np.unique(stored[usable])) < 2:  # nothing to learn
            return question.answer(np.full(len(known), stored[usable][0] if usable.any() else 0))
        fitted = self._estimator(secret, rng).fit(learn[usable], stored[usable])
        return question.answer(_as_stored(secret, np.asarray(fitted.predict(ask))))

    def _estimator(self, secret: Column, rng: np.random.Generator) -> _Estimator:
        try:
            from sklearn import ensemble, linear_model
            from sklearn.impute import SimpleImputer
            from sklearn.pipeline import make_pipeline
            from sklearn.preprocessing import StandardScaler
        except ModuleNotFoundError:
            raise MissingExtra("the attack regression", "scikit-learn", "ml") from None
        classify = secret.listed
        if self.model == "ridge":
            model = linear_model.RidgeClassifier() if classify else linear_model.Ridge()
            steps = SimpleImputer(keep_empty_features=True), StandardScaler(), model
            linear: _Estimator = make_pipeline(*steps)
            return linear
        kind = "Classifier" if classify else "Regressor"
        boosting = getattr(ensemble, f"HistGradientBoosting{kind}")
        seed = int(rng.integers(2**31))
        trees: _Estimator = boosting(max_iter=self.trees, early_stopping=False, random_state=seed)
        return trees


def _as_stored(secret: Column, predicted: Floats) -> Array:
    """Predicted values inside the domain, as the table stores them."""
    if secret.listed:
        return predicted.astype(np.int64)
    if secret.fractional:
        return np.clip(predicted, secret.low, secret.high)
    largest = (secret.high or 0) - secret.offset  # integers are stored as steps above the lowest
    return np.clip(np.rint(predicted), 0, largest).astype(np.int64)
