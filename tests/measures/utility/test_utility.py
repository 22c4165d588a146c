"""Marginals against a plain slow reference."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.errors import PartError
from quintain.measures import reading_rng
from quintain.measures.utility.table.marginals import Marginals, marginal, total_variation
from quintain.testing import example, example_table
from quintain.testing.strategies import schemas, tables

SCHEMA = Schema(
    columns=(
        Column(name="a", kind="category", values=("x", "y")),
        Column(name="b", kind="integer", low=-1, high=1, nullable=True),
        Column(name="c", kind="real"),
    )
)
ORIGINAL = Table.of(
    SCHEMA, {"a": ["x", "x", "y", "y"], "b": [-1, None, 1, 1], "c": [0.0, 1.0, 2.0, 3.0]}
)
RELEASE = Table.of(
    SCHEMA, {"a": ["x", "x", "x", "y"], "b": [-1, None, None, 0], "c": [9.0, 9.0, 9.0, 9.0]}
)

quick = settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])


def distance(original, release, ways=1):
    return Marginals(ways=ways).measure(original, release, None, rng=reading_rng())[f"tv{ways}"]


def slow(original, release, ways):
    """By the definition, with dictionaries."""
    names = [column.name for column in original.schema.columns if column.discrete]
    distances = []
    for chosen in combinations(names, ways):
        shares = []
        for table in (original, release):
            records = [tuple(record[name] for name in chosen) for record in table.records()]
            shares.append({v: n / len(records) for v, n in Counter(records).items()})
        values = set(shares[0]) | set(shares[1])
        distances.append(sum(abs(shares[0].get(v, 0) - shares[1].get(v, 0)) for v in values) / 2)
    return sum(distances) / len(distances)


@st.composite
def pairs(draw):
    schema = draw(schemas(min_columns=2, max_columns=4, discrete=True))
    return draw(tables(schema, min_rows=1)), draw(tables(schema, min_rows=1))


@quick
@given(pairs(), st.sampled_from([1, 2]))
def test_the_distance_is_that_of_the_definition(pair, ways):
    assert distance(*pair, ways).value == pytest.approx(slow(*pair, ways))


@quick
@given(pairs(), st.sampled_from([1, 2]))
def test_the_distance_is_symmetric_and_in_range(pair, ways):
    forth, back = distance(*pair, ways).value, distance(*pair[::-1], ways).value
    assert forth == pytest.approx(back)
    assert 0 <= forth <= 1 + 1e-12


@quick
@given(pairs())
def test_two_columns_at_a_time_are_at_least_as_far_apart_as_one(pair):
    # Every column is in as many pairs as every other, and no pair is nearer than its columns.
    assert distance(*pair, 2).value >= distance(*pair, 1).value - 1e-12


@quick
@given(tables(discrete=True, min_rows=1), st.randoms(use_true_random=False))
def test_a_shuffled_copy_is_at_no_distance(table, random):
    rows = list(range(len(table)))
    random.shuffle(rows)
    copied = table.take(rows * 3)
    assert distance(table, copied).value == pytest.approx(0)


def test_one_column_at_a_time_by_hand():
    # a: 1/2, 1/2 against 3/4, 1/4 is 1/4. b: -1, 1, missing are 1/4, 1/2, 1/4 against 1/4, 0, 1/2
    # with 1/4 for the new value 0: (1/2 + 1/4 + 1/4) / 2 = 1/2. c: each original value has a bin of
    # its own, and all released values are in the last: (3 * 1/4 + 3/4) / 2 = 3/4.
    reading = distance(ORIGINAL, RELEASE)
    assert reading.value == pytest.approx((1 / 4 + 1 / 2 + 3 / 4) / 3)
    assert (reading.low, reading.high) == (reading.value, reading.value)
    assert (reading.n, reading.better, reading.method) == (4, "lower", "exact")


def test_two_columns_at_a_time_by_hand():
    # (x, -1) 1/4 and 1/4; (x, missing) 1/4 and 1/2; (y, 1) 1/2 and 0; (y, 0) 0 and 1/4:
    # (1/4 + 1/2 + 1/4) / 2 = 1/2. Of a and c, only (y, last bin) is in both, 1/4 and 1/4: 3/4. Of
    # b and c, nothing is in both: 1.
    assert distance(ORIGINAL, RELEASE, 2).value == pytest.approx((1 / 2 + 3 / 4 + 1) / 3)


def test_nothing_in_common_is_one():
    schema = Schema(columns=(SCHEMA["a"], SCHEMA["b"]))
    one = Table(schema, {"a": [0, 0], "b": [0, 0]})
    other = Table(schema, {"a": [1, 1], "b": [-1, -1]})
    assert distance(one, other).value == distance(one, other, 2).value == 1


def test_counts_have_a_place_for_missing_values_first():
    assert marginal(ORIGINAL, ("b",)).tolist() == [1, 1, 0, 2]
    assert marginal(ORIGINAL, ("a", "b")).tolist() == [[0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 2]]


def test_an_empty_release_has_nothing_in_common():
    assert distance(ORIGINAL, RELEASE.take([])).value == 1
    assert total_variation(np.zeros(3, int), np.zeros(3, int)) == 0


@pytest.mark.parametrize("ways", [1, 2])
def test_without_enough_columns_of_a_finite_domain_there_is_nothing_to_compare(ways):
    # Were nothing a distance of 0, a release of nonsense would be perfect.
    columns = (SCHEMA["a"], Column(name="who", kind="id"))[2 - ways :]
    cells = {"a": ["x", "y"], "who": ["p", "q"]}
    table = Table.of(Schema(columns=columns), {c.name: cells[c.name] for c in columns})
    reading = distance(table, table, ways)
    assert not reading.measured
    assert reading.note == f"fewer than {ways} columns have a finite domain"


def test_the_size_of_the_release_does_not_matter():
    assert distance(ORIGINAL, ORIGINAL.concat(ORIGINAL)).value == 0


def test_more_noise_is_farther_away():
    table = example_table(rows=2000).drop("home")
    rng = np.random.default_rng(1)
    readings = []
    for share in (0.0, 0.3, 0.6, 1.0):
        changed = {
            name: np.where(
                rng.random(2000) < share,
                rng.integers(table.schema[name].size, size=2000),
                table.columns[name],
            )
            for name in table.schema.names
        }
        readings.append(distance(table, table.replace(changed), 2).value)
    assert readings == sorted(readings)
    assert readings[0] == 0


def test_data_that_are_no_table_are_refused():
    series = example("series")
    with pytest.raises(PartError, match="expected a table with one row per person, not series"):
        distance(series, series)
