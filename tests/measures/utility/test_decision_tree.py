"""The decision-tree measure against scikit-learn used plainly, and at the edges."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score
from sklearn.tree import DecisionTreeClassifier

from quintain.data import Column, Schema, Table
from quintain.data.sources.adult import Adult
from quintain.errors import MissingExtra, PartError
from quintain.measures import reading_rng
from quintain.measures.utility.table.decision_tree import DecisionTree, f_measure
from quintain.testing import example_table

HUSBAND = DecisionTree(target="relationship", positive="Husband", depth=3)
POOR = DecisionTree(target="income", positive="<=50K", depth=5)
RICH = DecisionTree(target="income", positive=">50K", depth=5)


def adults(rows, seed):
    return Adult(rows=rows).generate(np.random.default_rng(seed))


def randomised(table, keep, seed):
    """Each cell kept with a probability, else a value of another record."""
    rng = np.random.default_rng(seed)
    return table.replace(
        {
            name: np.where(rng.random(len(values)) < keep, values, rng.permutation(values))
            for name, values in table.columns.items()
        }
    )


def slow(measure, original, release, test):
    """With frames: numbers, then sorted dummy variables without the first."""

    def encoded(table):
        frame = pd.DataFrame(table.records())
        features = frame.drop(columns=measure.target)
        numbers = [c.name for c in table.schema.columns if c.kind != "category"]
        parts = [features[[name for name in numbers if name in features]]]
        for column in table.schema.columns:
            if column.kind == "category" and column.name in features:
                categories = sorted(column.values)
                values = pd.Series(pd.Categorical(features[column.name], categories=categories))
                parts.append(pd.get_dummies(values, drop_first=measure.encoding == "drop-first"))
        target = frame[measure.target]
        return pd.concat(parts, axis=1).to_numpy(float), target

    records, _ = encoded(test)
    values = original.schema[measure.target].values
    predictions = []
    for table in (original, release):
        features, target = encoded(table)
        # The order of the classes decides ties in a leaf: other before positive, or the schema's.
        classes = target == measure.positive if measure.binarise else target.map(values.index)
        tree = DecisionTreeClassifier(max_depth=measure.depth, random_state=0)
        positive = True if measure.binarise else values.index(measure.positive)
        predictions.append(tree.fit(features, classes).predict(records) == positive)
    return f1_score(
        predictions[0], predictions[1], zero_division=1.0 if not predictions[0].any() else 0.0
    )


@pytest.mark.parametrize(
    "measure",
    [
        *(HUSBAND, POOR, RICH),
        RICH.model_copy(update={"encoding": "full"}),
        HUSBAND.model_copy(update={"binarise": False, "depth": 4}),
    ],
)
@pytest.mark.parametrize("keep", [0.95, 0.6])
def test_the_reading_is_that_of_plain_scikit_learn(measure, keep):
    original, test = adults(1500, 1), adults(1000, 2)
    release = randomised(original, keep, 3)
    (reading,) = measure.measure(original, release, test, rng=reading_rng()).values()
    assert reading.value == pytest.approx(slow(measure, original, release, test))
    assert reading.low <= reading.value <= reading.high
    assert reading.n == 1000


@pytest.mark.parametrize("measure", [HUSBAND, POOR, RICH])
def test_the_original_is_perfect_and_the_name_is_that_of_the_target(measure):
    original, test = adults(800, 4), adults(500, 5)
    readings = measure.measure(original, original.take(original.order()), test, rng=reading_rng())
    assert list(readings) == list(measure.reads) == [f"tree_{measure.target}"]
    assert readings[f"tree_{measure.target}"].value == 1


def test_shuffled_columns_tell_nothing_of_husbands():
    original, test = adults(3000, 6), adults(2000, 7)
    (reading,) = HUSBAND.measure(
        original, randomised(original, 0.0, 8), test, rng=reading_rng()
    ).values()
    assert reading.value < 0.3


def test_f_by_hand():
    expected = np.array([True] * 6 + [False] * 4)
    got = np.array([True] * 4 + [False] * 2 + [True] + [False] * 3)
    reading = f_measure(expected, got)
    assert reading.value == pytest.approx(2 * 4 / (2 * 4 + 1 + 2))
    assert reading.value == pytest.approx(f1_score(expected, got))
    assert reading.method == "Clopper-Pearson, through F"


def test_f_without_positives():
    none, first_two = np.zeros(5, bool), np.arange(5) < 2
    assert f_measure(none, none).value == 1
    assert f_measure(first_two, none).value == f_measure(none, first_two).value == 0
    assert f_measure(none, first_two).low == 0


def test_the_interval_of_f_covers():
    # Two predictors that agree with fixed probabilities; the F they tend to is known.
    rng = np.random.default_rng(9)
    truth, covered = 2 * 0.3 / (2 * 0.3 + 0.05 + 0.1), 0
    for _ in range(400):
        kind = rng.choice(4, 300, p=[0.3, 0.05, 0.1, 0.55])
        reading = f_measure(np.isin(kind, [0, 2]), np.isin(kind, [0, 1]))
        covered += reading.low <= truth <= reading.high
    assert covered >= 0.93 * 400


def test_missing_values_are_features_too():
    schema = Schema(
        columns=(
            Column(name="y", kind="category", values=("no", "yes")),
            Column(name="x", kind="real", nullable=True),
            Column(name="c", kind="category", values=("a", "b"), nullable=True),
        )
    )
    yes = ["yes", "no"] * 10
    original = Table.of(schema, {"y": yes, "x": [None, 1.0] * 10, "c": [None, "a"] * 10})
    release = original.replace({"x": np.ones(20)})
    measure = DecisionTree(target="y", positive="yes", depth=1)
    assert measure.measure(original, release, original, rng=reading_rng())["tree_y"].value == 1


def test_without_test_records_there_is_no_reading():
    table = example_table(rows=30)
    measure = DecisionTree(target="flag", positive="yes")
    for test in (None, table.take([])):
        reading = measure.measure(table, table, test, rng=reading_rng())["tree_flag"]
        assert not reading.measured
        assert reading.note == "there are no test records"
    reading = measure.measure(table, table.take([]), table, rng=reading_rng())["tree_flag"]
    assert reading.note == "there are no records to learn from"


@pytest.mark.parametrize(
    ("target", "positive", "words"),
    [
        ("flagg", "yes", "no category 'flagg'"),
        ("size", "3", "no category 'size'"),
        ("flag", "maybe", "'flag' has no value 'maybe'"),
    ],
)
def test_targets_that_are_not_there_get_a_sentence(target, positive, words):
    table = example_table(rows=30)
    with pytest.raises(PartError, match=words):
        DecisionTree(target=target, positive=positive).measure(
            table, table, table, rng=reading_rng()
        )


def test_a_column_alone_cannot_be_predicted():
    table = example_table(rows=30).select(["flag"])
    with pytest.raises(PartError, match="no other column is left to predict 'flag' from"):
        DecisionTree(target="flag", positive="yes").measure(table, table, table, rng=reading_rng())


def test_without_scikit_learn_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    table = example_table(rows=30)
    with pytest.raises(MissingExtra, match=r"pip install 'quintain\[ml\]'"):
        DecisionTree(target="flag", positive="yes").measure(table, table, table, rng=reading_rng())
