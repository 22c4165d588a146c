"""Column models: for each hidden column, a model that learns it from the known ones."""

from __future__ import annotations

import warnings
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.attacks.reconstruction.rebuilding import Rebuilding, RebuildingAttack, normalise
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Table
from quintain.data.arrays import Array, Floats, Rows
from quintain.errors import MissingExtra
from quintain.kernels.trees import features
from quintain.registry import register
from quintain.releases import Release

_ROUNDS = 200  # of the search for the best logistic regression


@register("column-models-v1")
class ColumnModels(RebuildingAttack):
    """Learns each hidden column from the released records, and asks the models about targets.

    Parameters
    ----------
    model : "forest" grows random trees, in which known categories stand as numbers; "logistic" is
        linear in the known numbers and categories; "naive-bayes" takes the known columns, in a few
        classes each, as independent of each other given the hidden one.
    trees : how many trees a forest has.

    References
    ----------
    Breiman, Random forests, Machine Learning 45 (2001). Stadler, Oprisanu and Troncoso, Synthetic
    data: anonymisation groundhog day, USENIX Security 2022 (attribute inference by models that
    learn from synthetic data).

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> release = pa.table({"sex": ["f"] * 9 + ["m"] * 9, "pay": [9.5 * i**2 for i in range(18)]})
    >>> targets = pa.table({"pay": [2432.0, 38.0]})
    >>> guess = q.attack("column-models", release, targets=targets, secret="sex", seed=0)
    >>> [record["sex"] for record in guess.table.records()]
    ['m', 'f']
    """

    model: Literal["forest", "logistic", "naive-bayes"] = "forest"
    trees: Annotated[int, Field(ge=1, le=10_000)] = 50

    @classmethod
    def examples(cls) -> list[Self]:
        """A few trees, and each of the other models."""
        return [cls(trees=5), cls(model="logistic", rarity=1.0), cls(model="naive-bayes")]

    def believe(self, task: Rebuilding, *, rng: np.random.Generator) -> list[Floats]:
        """One model per hidden column."""
        if self.model == "forest":
            return forest_beliefs(task, self.trees, rng=rng)[0]
        return _logistic_beliefs(task) if self.model == "logistic" else _bayes_beliefs(task)


@register("public-models-v1")
class PublicModels(ColumnModels):
    """Learns each hidden column from public data about other people, and ignores the release.

    This is a baseline for reconstruction: what it gets right, nobody needs the release for. The
    public data are the base data of the threat model, so they must not hold the targets.

    >>> PublicModels(trees=5).needs
    frozenset({'base'})
    """

    needs: ClassVar[frozenset[Fact]] = frozenset({"base"})

    def source(self, knowledge: Knowledge, release: Release) -> Table:
        """The base data."""
        return knowledge.population()


def forest_beliefs(
    task: Rebuilding, trees: int, *, rng: np.random.Generator
) -> tuple[list[Floats], list[Floats]]:
    """What forests say of people; and of each released record, those trees that did not see it."""
    try:
        from sklearn.ensemble import RandomForestClassifier
    except ModuleNotFoundError:
        raise MissingExtra("a random forest", "scikit-learn", "ml") from None
    learn, ask = (_as_numbers(side) for side in (task.shown, task.known))
    of_people, own = [], []
    for column in task.hidden:
        prior = column.prior()
        seed = int(rng.integers(2**31))
        if len(np.unique(column.codes)) < 2:
            of_people.append(np.tile(prior, (len(ask), 1)))
            own.append(np.tile(prior, (len(learn), 1)))
            continue
        forest = RandomForestClassifier(
            trees, min_samples_leaf=2, oob_score=True, random_state=seed, n_jobs=1
        )
        with warnings.catch_warnings():  # a few trees leave some records without an opinion
            warnings.simplefilter("ignore")
            forest.fit(learn, column.codes)
        seen: Rows = np.asarray(forest.classes_, np.int64)
        of_people.append(_mix_with_prior(np.asarray(forest.predict_proba(ask)), seen, prior, trees))
        unseen = np.nan_to_num(np.asarray(forest.oob_decision_function_))
        own.append(_mix_with_prior(unseen, seen, prior, trees))
    return of_people, own


def _as_numbers(table: Table) -> Floats:
    """Known columns as numbers, one per column; a missing value is below all others."""
    columns = [np.asarray(table.columns[name], np.float64) for name in table.schema.names]
    return np.nan_to_num(np.column_stack(columns), nan=-1e30)


def _mix_with_prior(shares: Floats, seen: Rows, prior: Floats, trees: int) -> Floats:
    """Shares of all classes; the release as a whole counts as one tree."""
    out = np.tile(prior, (len(shares), 1))
    out[:, seen] += trees * shares
    return normalise(out)


def _logistic_beliefs(task: Rebuilding) -> list[Floats]:
    try:
        from sklearn.impute import SimpleImputer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ModuleNotFoundError:
        raise MissingExtra("a logistic regression", "scikit-learn", "ml") from None
    steps = SimpleImputer(keep_empty_features=True), StandardScaler()
    model = make_pipeline(*steps, LogisticRegression(max_iter=_ROUNDS))
    return _fit_each(
        task, model, *(features(side, "", "full") for side in (task.shown, task.known))
    )


def _bayes_beliefs(task: Rebuilding) -> list[Floats]:
    try:
        from sklearn.naive_bayes import CategoricalNB
    except ModuleNotFoundError:
        raise MissingExtra("naive Bayes", "scikit-learn", "ml") from None
    shown, known, sizes = task.encode()
    return _fit_each(task, CategoricalNB(min_categories=sizes), shown.T, known.T)


def _fit_each(task: Rebuilding, model: Any, learn: Array, ask: Array) -> list[Floats]:
    """What a model of scikit-learn believes, fitted to each hidden column in turn."""
    out = []
    for column in task.hidden:
        shares = np.tile(column.prior(), (len(ask), 1))
        if len(np.unique(column.codes)) > 1:
            with warnings.catch_warnings():  # a search that ends early is good enough
                warnings.simplefilter("ignore")
                fitted = model.fit(learn, column.codes)
            shares[:] = 0
            shares[:, np.asarray(fitted.classes_, np.int64)] = fitted.predict_proba(ask)
        out.append(shares)
    return out
