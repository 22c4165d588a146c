"""Rules that a release must keep: the number of records, and no repeated record."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.errors import Faults, Rejected
from quintain.registry import build
from quintain.releases.rule import DistinctRows, RowsRule
from quintain.testing import example, example_table
from quintain.testing.strategies import tables

quick = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def messages(rule, release, original=None):
    faults = Faults("release.csv")
    rule.check(example_table(rows=50) if original is None else original, release, faults)
    return [fault.message for fault in faults]


def of(rows):
    return example_table(rows=rows)


# --- how many -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [10, 11, 19, 20])
def test_both_bounds_are_allowed(rows):
    assert messages(RowsRule(least=10, most=20), of(rows)) == []


def test_one_record_too_few_is_too_few():
    assert messages(RowsRule(least=10), of(9)) == ["has 9 records; at least 10 are required"]


def test_one_record_too_many_is_too_many():
    assert messages(RowsRule(most=20), of(21)) == ["has 21 records; the limit is 20"]


def test_an_empty_release_is_refused_unless_the_rules_say_otherwise():
    assert messages(RowsRule(), of(5).take([])) == ["has 0 records; at least 1 are required"]
    assert messages(RowsRule(least=0), of(5).take([])) == []


def test_without_an_upper_bound_any_number_will_do():
    assert messages(RowsRule(), of(5000)) == []


@pytest.mark.parametrize("rows", [49, 51])
def test_as_many_as_the_original_is_neither_more_nor_less(rows):
    assert messages(RowsRule(same=True), of(50)) == []
    assert messages(RowsRule(same=True), of(rows)) == [
        f"has {rows} records; expected 50, as many as the original"
    ]


def test_a_number_that_is_wrong_twice_is_reported_once():
    assert len(messages(RowsRule(same=True, least=100), of(40))) == 1


def test_the_records_of_a_series_are_its_persons():
    series = example("series", rows=200)
    assert len(series) == 20
    assert messages(RowsRule(least=20, most=20), series, series) == []


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"least": 5, "most": 4}, "least 5 is above most 4"),
        ({"least": -1}, "least='-1'"),
        ({"most": 0}, "most='0'"),
        ({"fewest": 3}, "fewest: unknown parameter"),
    ],
)
def test_bounds_that_make_no_sense_are_refused(spec, words):
    with pytest.raises(Rejected, match=words):
        build("rule", {"use": "rows", **spec})


def test_bounds_may_be_the_same():
    assert messages(RowsRule(least=7, most=7), of(7)) == []


# --- none twice -----------------------------------------------------------------------------------

SCHEMA = Schema(
    columns=(
        Column(name="sex", kind="category", values=("f", "m"), nullable=True),
        Column(name="pay", kind="real", nullable=True),
    )
)


def pairs(*records):
    return Table.of(SCHEMA, {"sex": [r[0] for r in records], "pay": [r[1] for r in records]})


def test_different_records_are_accepted():
    assert messages(DistinctRows(), pairs(("f", 1), ("m", 1), ("f", 2))) == []


def test_every_repetition_names_the_record_it_repeats():
    release = pairs(("f", 1), ("m", 1), ("f", 1), ("m", 1), ("f", 1))
    assert messages(DistinctRows(), release) == [
        "repeats the record on line 1",
        "repeats the record on line 2",
        "repeats the record on line 1",
    ]


def test_missing_values_are_values_like_others():
    assert messages(DistinctRows(), pairs((None, None), ("f", None), (None, 1))) == []
    assert messages(DistinctRows(), pairs((None, None), (None, None))) == [
        "repeats the record on line 1"
    ]


def test_no_records_repeat_nothing():
    assert messages(DistinctRows(), pairs()) == []


@pytest.mark.slow
@quick
@given(tables())
def test_as_many_faults_as_records_are_not_the_first_of_their_kind(table):
    records = [tuple(record.items()) for record in table.records()]
    assert len(messages(DistinctRows(), table)) == len(records) - len(set(records))


@pytest.mark.slow
@quick
@given(tables(min_rows=1), st.data())
def test_the_record_that_is_repeated_stands_before_and_is_the_same(table, data):
    again = data.draw(st.integers(0, len(table) - 1))
    longer = table.concat(table.take([again]))
    *_, message = messages(DistinctRows(), longer)
    first = int(message.removeprefix("repeats the record on line ")) - 1
    assert first <= again
    assert longer.records()[first] == longer.records()[-1]


def test_thousands_of_repetitions_are_not_all_listed_but_all_counted():
    release = Table(SCHEMA, {"sex": np.zeros(5000, int), "pay": np.zeros(5000)})
    assert len(messages(DistinctRows(), release)) == 1000
    faults = Faults("release.csv")
    DistinctRows().check(release, release, faults)
    assert faults.total == 4999
