"""Boosted trees, ridge classifiers and logistic weights beside scikit-learn; value classes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.kernels.linear_classifiers import PENALTY, OneHot, RidgeClassifiers, logistic_weights
from quintain.kernels.trees import BoostedTrees
from quintain.kernels.value_classes import ValueClasses
from quintain.testing.strategies import tables

SIZES = [5, 4, 3, 6]


def problem(rows, seed):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(size, size=rows) for size in SIZES])
    odds = 2.0 * (codes[0] == codes[1]) + (codes[3] > 3) - 1.2
    return codes, rng.random(rows) < 1 / (1 + np.exp(-odds))


def test_boosted_trees_rank_as_well_as_those_of_scikit_learn():
    ensemble = pytest.importorskip("sklearn.ensemble")
    metrics = pytest.importorskip("sklearn.metrics")
    (codes, positive), (others, truth) = problem(3000, 0), problem(3000, 1)
    ours = BoostedTrees.learn(codes, SIZES, positive).log_odds(others)
    model = ensemble.HistGradientBoostingClassifier(max_iter=40, random_state=0)
    known = model.fit(codes.T, positive).predict_proba(others.T)[:, 1]
    assert metrics.roc_auc_score(truth, ours) > metrics.roc_auc_score(truth, known) - 0.01


def test_trees_of_one_class_predict_it():
    codes, _ = problem(50, 0)
    odds = BoostedTrees.learn(codes, SIZES, np.ones(50, bool)).log_odds(codes)
    assert (odds > 0).all()


def test_ridge_classifiers_are_those_of_the_normal_equations():
    (codes, _), (others, _) = problem(400, 0), problem(100, 1)
    models = RidgeClassifiers.learn(OneHot.of(codes, SIZES))
    for column, size in enumerate(SIZES):
        dense = [np.delete(c, column, axis=0) for c in (codes, others)]
        sizes = [s for place, s in enumerate(SIZES) if place != column]
        x, z = (
            np.concatenate([np.eye(s)[c] for s, c in zip(sizes, d, strict=True)], 1) for d in dense
        )
        weights = np.linalg.solve(
            x.T @ x + PENALTY * np.eye(x.shape[1]), x.T @ np.eye(size)[codes[column]]
        )
        ours = models.weights(column, codes[column], size)
        np.testing.assert_allclose(
            np.delete(ours, np.s_[models.records.places(column)], 0), weights
        )
        predicted = models.predict(OneHot.of(others, SIZES), column, codes[column], size)
        assert (predicted == (z @ weights).argmax(axis=1)).all()


def test_classifiers_of_a_wide_table_of_few_records_are_the_same():
    rng = np.random.default_rng(0)
    sizes = [3] * 110
    codes = rng.integers(3, size=(110, 40))
    hot = OneHot.of(codes, sizes)
    models = RidgeClassifiers.learn(hot)
    products = (hot.matrix.T @ hot.matrix).toarray()
    plain = RidgeClassifiers(hot, np.linalg.inv(products + PENALTY * np.eye(len(products))))
    assert models.by_records and models.inverse.shape == (40, 40)
    for column in (0, 57, 109):
        of_variables, of_records = (m.weights(column, codes[column], 3) for m in (plain, models))
        np.testing.assert_allclose(of_records, of_variables, atol=1e-9)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(table=tables(min_rows=1, max_rows=40), most=st.integers(2, 15))
def test_every_value_has_a_class_and_every_class_a_name(table, most):
    for column in table.schema.attributes:
        classes = ValueClasses.of(table, column.name, most)
        codes = classes.encode(table)
        assert codes.min() >= 0 and codes.max() < classes.size
        if column.kind in ("category", "integer"):
            assert len(set(classes.labels)) == classes.size
        if column.kind == "category":
            assert classes.size <= most + column.nullable


def test_the_names_of_bins():
    schema = Schema(
        columns=(
            Column(name="gain", kind="real"),
            Column(name="day", kind="time"),
            Column(name="town", kind="category", values=("a", "b", "c", "other"), nullable=True),
        )
    )
    days = [f"2020-01-{d:02}" for d in range(1, 9)]
    values = {"gain": [0.0] * 4 + [1, 2, 3, 4], "day": days, "town": ["c", "c", "other", None] * 2}
    table = Table.of(schema, values)
    labels = {name: ValueClasses.of(table, name, 3).labels for name in schema.names}
    assert labels["day"][:2] == ("before 2020-01-03", "2020-01-03 to 2020-01-05")
    assert labels["day"][2] == "2020-01-06 and later"
    assert labels["town"] == ("c", "other", "other values", "missing")
    assert labels["gain"][-1] == "2 and above"


def test_logistic_weights_are_those_of_scikit_learn():
    linear = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(0)
    features = rng.normal(size=(300, 4))
    labels = features[:, 0] + rng.normal(size=300) > 0.3
    model = linear.LogisticRegression(C=1 / 7, tol=1e-10, max_iter=1000).fit(features, labels)
    got = logistic_weights(features, labels, 7.0)
    np.testing.assert_allclose(got, [*model.intercept_, *model.coef_[0]], atol=1e-5)
