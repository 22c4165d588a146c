"""PATE-GAN on odd input: few records, constant columns, and what it refuses."""

import math

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.errors import PartError, Rejected
from quintain.registry import build
from quintain.testing import example, example_table, people
from tests.sanitizers.synthetic.pategan.pategan_cases import (
    Recorder,
    chain,
    fitted,
    integers,
    released,
)


@pytest.mark.parametrize("share", [0.0, 0.5])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 9e5])
@pytest.mark.parametrize("rows", [1, 2])
def test_very_few_records_are_enough(rows, epsilon, share):
    data = people(example_table()).take(np.arange(rows))
    release = released(data, epsilon=epsilon, marginal_share=share, rows=5)
    assert len(release.data) == 5


@pytest.mark.parametrize("sizes", [(1,), (1, 1), (2,), (1, 3)], ids=str)
def test_columns_with_a_single_value(sizes):
    data = Table(integers(*sizes), {f"c{i}": np.zeros(40, int) for i in range(len(sizes))})
    release = released(data, epsilon=1000.0)
    assert abs(len(release.data) - 40) <= 1
    assert (release.data.codes() == 0).mean() > 0.9


def test_records_that_are_all_equal():
    data = Table(integers(5, 5, 5), {f"c{i}": np.full(200, i) for i in range(3)})
    release = released(data, epsilon=1000.0, rows=200)
    assert (release.data.codes() == [0, 1, 2]).mean() > 0.98


@pytest.mark.slow
def test_two_hundred_columns():
    data = chain(*[2 + i % 3 for i in range(200)], rows=200)
    release = released(data, epsilon=500.0, queries=40, rounds=1, rows=100)
    assert len(release.data.schema.columns) == 200
    assert len(release.data) == 100


def test_more_teachers_than_records():
    assert len(released(chain(3, 4, rows=20), teachers=500, rows=10).data) == 10


def test_more_rounds_than_queries():
    noise = Recorder()
    released(chain(3, 4), noise=noise, epsilon=100.0, queries=3, rounds=10)
    assert [size for _, size in noise.answers] == [3, 4, 1, 1, 1]


def test_a_domain_too_large_to_count_is_refused():
    data = Table(integers(6_000_000, 2), {"c0": np.arange(10), "c1": np.zeros(10, int)})
    with pytest.raises(PartError, match="have 6,000,002 possible values in all; the limit is"):
        fitted(data)


def test_a_column_without_bounds_is_refused():
    schema = Schema(columns=(Column(name="weight", kind="real"),))
    with pytest.raises(PartError, match="needs bounds for every column"):
        released(Table(schema, {"weight": np.zeros(5)}))
    with pytest.raises(PartError, match="is for table, not for transactions"):
        released(example("transactions", rows=20))


def test_a_value_missing_against_the_schema_is_refused():
    with pytest.raises(PartError, match="column 'c0' has missing values, which its schema forbids"):
        released(Table(integers(2), {"c0": np.array([0, -1])}))


def test_a_category_outside_the_schema_is_refused():
    schema = Schema(columns=(Column(name="sex", kind="category", values=("f", "m")),))
    with pytest.raises(PartError, match="column 'sex' has values that its schema does not list"):
        released(Table(schema, {"sex": np.array([0, 2])}))


@pytest.mark.parametrize("epsilon", [0, -1, math.inf, math.nan, 1e6, "much"])
def test_an_invalid_epsilon_is_refused(epsilon):
    with pytest.raises(Rejected, match="epsilon"):
        build("sanitizer", {"use": "pategan", "epsilon": epsilon})


@pytest.mark.parametrize("delta", [-1e-9, 1, math.nan])
def test_an_invalid_delta_is_refused(delta):
    with pytest.raises(Rejected, match="delta"):
        build("sanitizer", {"use": "pategan", "delta": delta})
