"""Histogram, covariance and correlation against plain references in pandas."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.measures import reading_rng
from quintain.measures.utility.table.covariance import Correlation, Covariance
from quintain.measures.utility.table.marginals import Histogram
from quintain.testing import example_table
from quintain.testing.strategies import schemas, tables

quick = settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])

SCHEMA = Schema(
    columns=(
        Column(name="town", kind="category", values=("A", "B")),
        Column(name="age", kind="integer", low=0, high=9),
    )
)


def read(measure, original, release):
    (reading,) = measure.measure(original, release, None, rng=reading_rng()).values()
    return reading


def value(measure, original, release):
    return read(measure, original, release).value


def people(town, age):
    return Table.of(SCHEMA, {"town": list(town), "age": age})


@st.composite
def pairs(draw):
    schema = draw(schemas(max_columns=4, discrete=True, nullable=False))
    return draw(tables(schema, min_rows=2)), draw(tables(schema, min_rows=2))


# --- references: every record and every category written out --------------------------------------


def slow_histogram(original, release, *, each):
    errors = []
    for name in original.schema.names:
        one, other = (
            pd.Series([record[name] for record in table.records()]).value_counts()
            for table in (original, release)
        )
        errors.append(one.sub(other, fill_value=0).abs().sum() / (2 * len(original)))
    return 1 - (max(errors) if each else sum(errors) / len(errors))


def written_out(table):
    """Full dummy variables of the schema's categories, numbers as they are."""
    frame = pd.DataFrame(table.records())
    parts = []
    for column in table.schema.columns:
        if column.kind == "category":
            values = pd.Categorical(frame[column.name], categories=list(column.values))
            parts.append(pd.get_dummies(values).astype(float).to_numpy())
        else:
            parts.append(frame[[column.name]].astype(float).to_numpy())
    return np.hstack(parts)


def slow_covariance(original, release, norm):
    one, other = (np.atleast_2d(np.cov(written_out(t).T)) for t in (original, release))
    gap = np.abs(one - other)
    return gap.sum(axis=1).max() if norm == "row" else gap.sum()


def slow_correlation(original, release):
    worst = 0.0
    one, other = written_out(original), written_out(release)
    for i in range(one.shape[1]):
        for j in range(i):
            measured = [
                None
                if np.ptp(table[:, i]) == 0 or np.ptp(table[:, j]) == 0
                else np.corrcoef(table[:, i], table[:, j])[0, 1]
                for table in (one, other)
            ]
            if (measured[0] is None) != (measured[1] is None):
                worst = max(worst, 1.0)
            elif measured[0] is not None:
                worst = max(worst, abs(measured[0] - measured[1]))
    return worst


# --- the same by the definition -------------------------------------------------------------------


@quick
@given(pairs(), st.booleans())
def test_histograms_are_those_of_the_definition(pair, each):
    assert value(Histogram(each=each), *pair) == pytest.approx(slow_histogram(*pair, each=each))


@quick
@given(pairs(), st.sampled_from(["row", "sum"]))
def test_covariances_are_those_of_the_definition(pair, norm):
    expected = slow_covariance(*pair, norm)
    measured = value(Covariance(norm=norm), *pair)
    if expected > 1e-6:
        assert measured == pytest.approx(1 / expected, rel=1e-6)
    else:
        assert measured > 1e5


@quick
@given(pairs())
def test_correlations_are_those_of_the_definition(pair):
    assert value(Correlation(), *pair) == pytest.approx(slow_correlation(*pair), abs=1e-6)


@quick
@given(tables(discrete=True, min_rows=2), st.randoms(use_true_random=False))
def test_the_original_in_another_order_is_perfect(table, random):
    rows = list(range(len(table)))
    random.shuffle(rows)
    turned = table.take(rows)
    assert value(Histogram(), table, turned) == value(Histogram(each=True), table, turned) == 1
    assert value(Covariance(), table, turned) == value(Covariance(norm="sum"), table, turned)
    assert value(Covariance(), table, turned) == math.inf
    assert value(Correlation(), table, turned) == 0


# --- by hand --------------------------------------------------------------------------------------


def test_histograms_by_hand():
    original, release = people("AABB", [1, 1, 2, 3]), people("ABBB", [1, 1, 2, 2])
    # town: |1 - 2| + |3 - 2| = 2 of 8; age: |2 - 1| + |0 - 1| = 2 of 8.
    assert value(Histogram(), original, release) == pytest.approx(1 - 1 / 4)
    release = people("AABB", [1, 1, 5, 6])
    assert value(Histogram(), original, release) == pytest.approx(1 - (0 + 1 / 2) / 2)
    reading = read(Histogram(each=True), original, release)
    assert reading.value == pytest.approx(1 / 2)
    assert (reading.n, reading.better, reading.low) == (4, "higher", reading.value)


def test_a_release_of_another_size_loses_for_it():
    table = example_table(rows=100).drop("home")
    assert value(Histogram(), table, table.take(np.arange(80))) == pytest.approx(0.9)
    assert value(Histogram(), table, table.concat(*[table] * 9)) == pytest.approx(1 - 9 / 2)


def test_the_histogram_of_a_real_number_has_a_bin_for_each_value():
    schema = Schema(columns=(Column(name="pay", kind="real", nullable=True),))
    original = Table.of(schema, {"pay": [1.0, 1.0, 2.5, None]})
    assert value(Histogram(), original, original) == 1
    assert value(Histogram(), original, original.take([0, 1, 3, 3])) == pytest.approx(3 / 4)


def test_covariances_by_hand():
    # Both tables: var of town A 1/3. age: 1, 1, 2, 2 has var 1/3; 1, 1, 2, 4 has var 2.
    # cov(A, age): -1/3 and, with mean age 2, ((-1 - 1) - (0 + 2)) / 2 / 3 = -2/3; B the opposite.
    original, release = people("AABB", [1, 1, 2, 2]), people("AABB", [1, 1, 2, 4])
    assert value(Covariance(), original, release) == pytest.approx(1 / (1 / 3 + 1 / 3 + 5 / 3))
    total = 5 / 3 + 4 * 1 / 3
    assert value(Covariance(norm="sum"), original, release) == pytest.approx(1 / total)


def test_correlations_by_hand():
    original, release = people("AABB", [1, 1, 2, 2]), people("AABB", [1, 2, 1, 2])
    assert value(Correlation(), original, release) == pytest.approx(1)
    assert read(Correlation(), original, release).better == "lower"
    # Signs may turn around altogether.
    assert value(Correlation(), original, people("BBAA", [1, 1, 2, 2])) == pytest.approx(2)


def test_a_category_lost_in_the_release_differs_by_one():
    original, release = people("AABB", [1, 2, 1, 2]), people("AAAA", [1, 2, 1, 2])
    assert value(Correlation(), original, release) == 1
    assert value(Correlation(), release, original) == 1
    # Constant in both: nothing is lost.
    assert value(Correlation(), release, people("AAAA", [1, 1, 2, 2])) == 0


@pytest.mark.parametrize("measure", [Covariance(), Correlation()])
def test_one_record_has_no_covariance(measure):
    table = people("AB", [1, 2])
    reading = read(measure, table, table.take([0]))
    assert not reading.measured
    assert reading.note == "fewer than two records"


def test_an_empty_release_has_lost_everything():
    table = people("AB", [1, 2])
    assert value(Histogram(), table, table.take([])) == 0.5
    assert not read(Histogram(), table.take([]), table).measured
