"""Gradients of layers, against differences; trees, against the library that grew them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data import ModelForm
from quintain.data.models import labels, variables
from quintain.kernels.classifiers import (
    confidences,
    label_confidence,
    train_forest,
    train_like,
    train_logistic,
    train_network,
)
from quintain.kernels.dense_layers import (
    layer_sizes,
    mean_gradient,
    record_gradients,
    run_layers,
    softmax,
    split_layers,
    start_parameters,
)
from quintain.testing.examples import example_table, people

RECORDS = people(example_table(rows=150))
FORM = ModelForm(label="flag", columns=RECORDS.schema.columns)


def loss(parameters, sizes, inputs, known):
    shares = softmax(run_layers(split_layers(parameters, sizes), inputs)[-1])
    return -np.log(shares[np.arange(len(known)), known]).mean()


@given(st.lists(st.integers(1, 5), min_size=2, max_size=4), st.integers(0, 99))
def test_a_gradient_is_the_slope_of_the_loss(sizes, seed):
    rng = np.random.default_rng(seed)
    inputs, known = rng.normal(size=(7, sizes[0])), rng.integers(sizes[-1], size=7)
    parameters = start_parameters(sizes, rng=rng) + 0.1
    gradient = mean_gradient(parameters, sizes, inputs, known)
    step = 1e-6 * rng.normal(size=len(parameters))
    difference = loss(parameters + step, sizes, inputs, known) - loss(
        parameters - step, sizes, inputs, known
    )
    assert 2 * gradient @ step == pytest.approx(difference, abs=1e-9)
    each = record_gradients(parameters, sizes, inputs, known)
    assert each.mean(axis=0) == pytest.approx(gradient, abs=1e-12)


def test_a_forest_answers_like_the_library_that_grew_it():
    from sklearn.ensemble import RandomForestClassifier

    model = train_forest(FORM, RECORDS, trees=5, depth=8, smallest=1, rng=np.random.default_rng(3))
    seed = int(np.random.default_rng(3).integers(2**31))
    grown = RandomForestClassifier(5, max_depth=8, random_state=seed)
    inputs = variables(FORM, RECORDS)
    grown.fit(inputs, labels(FORM, RECORDS))
    assert confidences(model, RECORDS) == pytest.approx(grown.predict_proba(inputs), abs=1e-6)


def test_a_logistic_regression_is_that_of_another_library():
    from sklearn.linear_model import LogisticRegression

    inputs, known = variables(FORM, RECORDS), labels(FORM, RECORDS)
    # Two classes with a penalty on both rows of weights are one row with twice the penalty.
    other = LogisticRegression(C=2.0, tol=1e-10, max_iter=10_000).fit(inputs, known)
    model = train_logistic(FORM, RECORDS, ridge=1.0)
    assert confidences(model, RECORDS) == pytest.approx(other.predict_proba(inputs), abs=1e-3)


def test_a_model_is_trained_like_another_one():
    rng = np.random.default_rng(0)
    network = train_network(FORM, RECORDS, hidden=[4, 3], epochs=2, rng=rng)
    again = train_like(network, RECORDS, rng=rng)
    assert layer_sizes(again.tensors()) == [5, 4, 3, 2]
    assert again.digest() != network.digest()


def test_a_confidence_is_never_exactly_zero_or_one():
    rng = np.random.default_rng(0)
    model = train_forest(FORM, RECORDS, trees=1, depth=20, smallest=1, rng=rng)
    sure = label_confidence(model, RECORDS)
    assert sure.min() > 0 and sure.max() < 1
