"""PrivBayes on odd input: few records, constant columns, and what it refuses."""

import math

import numpy as np
import pytest

from quintain.data import Table
from quintain.errors import PartError, Rejected
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic import privbayes
from quintain.sanitizers.synthetic.privbayes import PrivBayes
from quintain.testing import example, example_table, people
from tests.sanitizers.plain_rows import as_rows
from tests.sanitizers.synthetic.privbayes.privbayes_cases import (
    Recorder,
    fitted,
    integers,
    known_network,
    released,
    sanitized,
)


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 1e5])
def test_very_few_records_are_enough(rows, epsilon):
    data = people(example_table()).take(np.arange(rows))
    release = sanitize(
        PrivBayes(epsilon=epsilon, rows=5),
        data,
        rng=np.random.default_rng(0),
        noise=Noise.for_test(0),
    ).release
    assert len(release.data) == 5


def test_constant_columns_cost_nothing():
    schema = integers(a=1, b=4, c=1, d=2)
    data = Table(schema, {name: np.zeros(400, int) for name in schema.names})
    noise = Recorder()
    result = sanitized(data, noise=noise, epsilon=100.0)
    assert len(noise.counts) == 1 + 2
    assert len(noise.choices) == 1
    assert len(result.trace.focal_points) == 4
    assert not result.release.data.codes().any()


def test_only_constant_columns():
    data = Table(integers(a=1, b=1), {"a": np.zeros(40, int), "b": np.zeros(40, int)})
    result = sanitized(data, epsilon=1000.0)
    assert len(result.release.data) == 40
    assert {len(point.given) for point in result.trace.focal_points} == {0}


@pytest.mark.slow
def test_two_hundred_columns():
    rng = np.random.default_rng(0)
    schema = integers(**{f"c{i:03}": 2 + i % 3 for i in range(200)})
    data = Table(schema, {c.name: rng.integers(c.size, size=300) for c in schema.columns})
    result = sanitized(data, epsilon=500.0, rows=300)
    assert sum(len(point.given) for point in result.trace.focal_points) > 200


def test_a_domain_too_large_to_count_is_refused():
    data = Table(integers(a=6_000_000, b=2), {"a": np.arange(10), "b": np.zeros(10, int)})
    with pytest.raises(PartError, match="have 6,000,002 possible values in all; the limit is"):
        fitted(data)


def test_a_column_without_bounds_is_refused():
    with pytest.raises(PartError, match="needs bounds for every column"):
        released(as_rows(example("transactions", rows=20)))


def test_a_value_missing_against_the_schema_is_refused():
    data = Table(integers(a=2), {"a": np.array([0, -1])})
    with pytest.raises(PartError, match="column 'a' has missing values, which its schema forbids"):
        released(data)


@pytest.mark.parametrize("epsilon", [0, -1, math.inf, math.nan, 1e6, "much"])
def test_an_invalid_epsilon_is_refused(epsilon):
    with pytest.raises(Rejected, match="epsilon"):
        build("sanitizer", {"use": "privbayes", "epsilon": epsilon})


def test_a_tiny_epsilon_does_not_give_endless_records():
    assert fitted(known_network(50), epsilon=1e-9).size <= privbayes.MOST_RECORDS
