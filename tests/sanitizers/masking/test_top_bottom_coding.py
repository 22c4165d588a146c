"""Top and bottom coding: the limits, and the numbers beyond them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.errors import PartError, Rejected
from tests.sanitizers.masking.masking_cases import masked, persons


def test_numbers_beyond_fixed_limits_become_the_limits():
    data = persons()
    after, release = masked("top-bottom-coding", data, columns=["age"], low=25, high=60)
    age = data.numbers("age")
    assert (after.numbers("age") == np.clip(age, 25, 60)).all()
    assert release.methods[0].rows == ((age < 25) | (age > 60)).sum()
    assert release.methods[0].columns == ("age",)
    assert release.claim is None


@given(st.floats(0, 0.49), st.integers(1, 60), st.integers(0, 5))
def test_no_more_than_the_share_lies_beyond_a_quantile(share, rows, seed):
    data = persons(rows, seed)
    after, _ = masked("top-bottom-coding", data, columns=["weight"], share=share)
    before, now = data.columns["weight"], after.columns["weight"]
    assert (now > before).sum() <= share * rows
    assert (now < before).sum() <= share * rows
    middle = now == before
    assert middle.any()
    assert now.min() == before[middle].min()
    assert now.max() == before[middle].max()


def test_a_number_with_a_lower_bound_only_is_coded_like_any_other():
    schema = Schema(columns=(Column(name="id", kind="integer", low=5),))
    after, _ = masked("top-bottom-coding", Table.of(schema, {"id": [5, 34, 90]}), low=10, high=50)
    assert [record["id"] for record in after.records()] == [10, 34, 50]


def test_one_limit_can_be_fixed_and_the_other_a_quantile():
    data = persons(100)
    after, release = masked("top-bottom-coding", data, columns=["weight"], high=75, share=0.1)
    weights = np.sort(data.columns["weight"])
    assert after.columns["weight"].max() == 75
    assert after.columns["weight"].min() == weights[10]
    assert "above 75" in release.methods[0].detail


def test_missing_values_stay_missing():
    data = persons()
    after, _ = masked("top-bottom-coding", data, columns=["left"], low=3, high=6)
    missing = data.columns["left"] < 0
    assert (after.columns["left"][missing] == -1).all()
    assert set(after.columns["left"][~missing].tolist()) == {3, 4, 5, 6}


def test_all_numbers_are_coded_if_no_column_is_named():
    _, release = masked("top-bottom-coding", persons())
    assert release.methods[0].columns == ("id", "age", "weight", "left")


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"columns": ["town"]}, "top-bottom-coding-v1 needs a number; 'town' has none"),
        ({"columns": ["age"], "low": 5}, "column 'age': the limit 5 is not in the domain"),
        (
            {"columns": ["age"], "low": 20.2, "high": 20.8},
            "the low limit 21 is above the high limit 20",
        ),
    ],
)
def test_what_cannot_be_coded_gets_a_sentence(parameters, sentence):
    with pytest.raises(PartError, match=sentence):
        masked("top-bottom-coding", persons(), **parameters)


def test_limits_the_wrong_way_round_are_refused():
    with pytest.raises(Rejected, match=r"low 60.0 is above high 20.0"):
        masked("top-bottom-coding", persons(), low=60, high=20)


def dates(*texts):
    columns = (
        Column(name="id", kind="integer", low=0, high=99),
        Column(name="born", kind="time", nullable=True),
    )
    return Table.of(Schema(columns=columns), {"id": range(len(texts)), "born": texts})


def test_times_are_coded_if_they_are_named():
    data = dates("1910-05-01", None, "1960-01-01", "2019-12-31")
    after, release = masked(
        "top-bottom-coding", data, columns=["born"], low="1930-01-01", high="2000-01-01"
    )
    cells = after.csv_bytes().decode().split()[1:]
    assert cells == ["0,1930-01-01", "1,", "2,1960-01-01", "3,2000-01-01"]
    assert release.methods[0].detail.startswith("numbers below 1930-01-01 or above 2000-01-01")
    _, plain = masked("top-bottom-coding", data)
    assert plain.methods[0].columns == ("id",)


def test_times_beyond_a_quantile_become_the_quantile():
    data = dates(*(f"2020-01-{day:02}" for day in range(1, 11)))
    after, _ = masked("top-bottom-coding", data, columns=["born"], share=0.2)
    days = [int(line.rpartition("-")[2]) for line in after.csv_bytes().decode().split()[1:]]
    assert days == [3, 3, 3, 4, 5, 6, 7, 8, 8, 8]


@pytest.mark.parametrize(
    ("column", "limit", "words"),
    [
        ("born", 5, "column 'born': the limit must be a time such as '2020-01-31', not 5.0"),
        ("born", "soon", "the limit of column born='soon': expected a time written %Y-%m-%d"),
        ("id", "2020-01-01", "column 'id': the limit must be a number, not '2020-01-01'"),
    ],
)
def test_a_limit_of_the_wrong_kind_gets_a_sentence(column, limit, words):
    with pytest.raises(PartError, match=words):
        masked("top-bottom-coding", dates("2020-01-01"), columns=[column], high=limit)
