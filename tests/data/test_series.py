"""Series: ragged time series, and the rectangular array they are padded to."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Series, Table, as_table
from quintain.data.columns import Columns
from quintain.errors import PartError

SCHEMA = Schema(
    shape="series",
    columns=(
        Column(name="stay", kind="id", role="person"),
        Column(name="hour", kind="real", role="time"),
        Column(name="pulse", kind="real", nullable=True),
    ),
)
# Person 7 has one row, 8 has three, 9 none.
SERIES = Series(
    SCHEMA,
    np.array([7, 8, 9]),
    np.array([0, 1, 4, 4]),
    np.array([[0, 60], [0, 70], [2, math.nan], [5, 75]], float),
)


@st.composite
def series(draw):
    lengths = draw(st.lists(st.integers(0, 4), max_size=5))
    number = st.one_of(st.just(math.nan), st.integers(-5, 5).map(float))
    values = draw(st.lists(st.tuples(number, number), min_size=sum(lengths), max_size=sum(lengths)))
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=int)])
    rows = np.array(values, float).reshape(-1, 2)
    return Series(SCHEMA, np.arange(len(lengths)), offsets, rows)


def test_lengths_are_rows_a_person():
    assert len(SERIES) == 3
    assert SERIES.lengths.tolist() == [1, 3, 0]
    assert repr(SERIES) == "<Series 3 persons, 4 rows, ('hour', 'pulse')>"


def test_padding_stands_on_the_left():
    array, padding = SERIES.padded(4)
    assert array.shape == (3, 4, 2)
    assert array[0].tolist() == [[-1, -1], [-1, -1], [-1, -1], [0, 60]]
    assert array[1, :2].tolist() == [[-1, -1], [0, 70]]
    assert array[1, 3].tolist() == [5, 75]
    assert padding.tolist() == [
        [True, True, True, False],
        [True, False, False, False],
        [True, True, True, True],
    ]


def test_padding_can_stand_on_the_right_with_another_filling():
    array, padding = SERIES.padded(2, fill=9.0, side="right")
    assert array[0].tolist() == [[0, 60], [9, 9]]
    assert padding[0].tolist() == [False, True]


def test_padding_with_an_integer_does_not_round_what_was_measured():
    data = Series(SCHEMA, np.array([7]), np.array([0, 1]), np.array([[0.5, 36.6]]))
    array, _ = data.padded(2, fill=0)
    assert array[0].tolist() == [[0, 0], [0.5, 36.6]]


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_longer_series_keeps_its_first_rows(side):
    array, padding = SERIES.padded(1, side=side)
    assert array[:2].tolist() == [[[0, 60]], [[0, 70]]]
    assert padding.tolist() == [[False], [False], [True]]


def test_a_value_that_was_not_measured_is_no_padding():
    array, padding = SERIES.padded(3)
    assert math.isnan(array[1, 1, 1])
    assert not padding[1].any()


@settings(deadline=None, max_examples=50)
@given(series(), st.integers(0, 6), st.sampled_from(["left", "right"]))
def test_padding_is_what_a_loop_would_do(data, length, side):
    array, padding = data.padded(length, side=side)
    assert array.shape == (len(data), length, 2)
    for person in range(len(data)):
        rows = data.values[data.offsets[person] : data.offsets[person + 1]][:length]
        begin = length - len(rows) if side == "left" else 0
        expected = np.full((length, 2), -1.0)
        expected[begin : begin + len(rows)] = rows
        np.testing.assert_array_equal(array[person], expected)
        assert (~padding[person]).nonzero()[0].tolist() == [*range(begin, begin + len(rows))]


def test_take_gives_persons_in_the_order_asked_for_and_as_often():
    chosen = SERIES.take([1, 0, 1])
    assert chosen.ids.tolist() == [8, 7, 8]
    assert chosen.lengths.tolist() == [3, 1, 3]
    assert chosen.values[:, 0].tolist() == [0, 2, 5, 0, 0, 2, 5]


def test_take_takes_a_mask():
    assert SERIES.take(np.array([True, False, True])).equals(SERIES.take([0, 2]))


@pytest.mark.parametrize("nobody", [[], np.array([], int), np.zeros(3, bool)])
def test_take_nobody_gives_an_empty_series(nobody):
    nothing = SERIES.take(nobody)
    assert len(nothing) == len(nothing.values) == 0
    assert nothing.schema == SCHEMA


@settings(deadline=None, max_examples=50)
@given(series())
def test_taking_everybody_changes_nothing(data):
    assert data.take(np.arange(len(data))).equals(data)


def test_rows_name_their_person():
    rows = SERIES.to_rows()
    assert isinstance(rows, Columns)
    assert rows.columns["stay"].tolist() == [7, 8, 8, 8]
    assert rows.records()[2] == {"stay": 8, "hour": 2.0, "pulse": None}


@settings(deadline=None, max_examples=50)
@given(series())
def test_a_series_survives_its_rows(data):
    # Nobody without rows can come back from rows.
    present = data.take(data.lengths > 0)
    assert Series.from_rows(data.to_rows()).equals(present)


def test_rows_of_a_person_may_be_anywhere_and_keep_their_order():
    rows = Table.of(SCHEMA, {"stay": [9, 4, 9], "hour": [5, 1, 3], "pulse": [1, 2, None]})
    data = Series.from_rows(rows)
    assert data.ids.tolist() == [9, 4]
    assert data.values[:, 0].tolist() == [5, 3, 1]


def test_the_person_may_stand_in_any_column():
    turned = SCHEMA.select(["hour", "stay", "pulse"])
    rows = Table.of(turned, {"stay": ["b", "a"], "hour": [1, 2], "pulse": [3, 4]})
    data = Series.from_rows(rows)
    assert data.values.tolist() == [[1, 3], [2, 4]]
    assert data.to_rows().records()[0] == {"hour": 1.0, "stay": "b", "pulse": 3.0}


def test_rows_without_a_person_column_are_refused():
    schema = Schema(shape="series", columns=SCHEMA.columns[1:])
    with pytest.raises(ValueError, match="needs an id column with the role 'person'"):
        Series.from_rows(Table.of(schema, {"hour": [1], "pulse": [2]}))


@pytest.mark.parametrize(
    ("ids", "offsets", "values", "words"),
    [
        ([7], [0, 1], [[0.0]], r"values must be rows x 2, not \(1, 1\)"),
        ([7], [0, 1], [0.0, 1.0], r"values must be rows x 2"),
        ([7], [0, 2], [[0.0, 1.0]], "offsets must run from 0 to the number of rows"),
        ([7], [1, 1], [[0.0, 1.0]], "offsets must run from 0 to the number of rows"),
        ([7, 8], [0, 1], [[0.0, 1.0]], "one step per person"),
        ([7, 8, 9], [0, 2, 1, 2], [[0.0, 1.0]] * 2, "offsets must not decrease"),
    ],
)
def test_offsets_and_values_that_do_not_fit_are_refused(ids, offsets, values, words):
    with pytest.raises(ValueError, match=words):
        Series(SCHEMA, np.array(ids), np.array(offsets), np.array(values))


def test_arrays_are_read_only_and_copied():
    values = np.array([[0.0, 1.0]])
    data = Series(SCHEMA, np.array([1]), np.array([0, 1]), values)
    values[0, 0] = 9
    assert data.values[0, 0] == 0
    for array in (data.ids, data.offsets, data.values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5


def test_a_digest_covers_persons_borders_values_and_schema():
    fever = Column(name="fever", kind="real")
    other = Schema(shape="series", columns=(*SCHEMA.columns[:2], fever))
    variants = [
        SERIES,
        Series(SCHEMA, [7, 8, 6], SERIES.offsets, SERIES.values),
        Series(SCHEMA, SERIES.ids, [0, 2, 4, 4], SERIES.values),
        Series(SCHEMA, SERIES.ids, SERIES.offsets, np.nan_to_num(SERIES.values)),
        Series(other, SERIES.ids, SERIES.offsets, SERIES.values),
    ]
    assert len({variant.digest() for variant in variants}) == len(variants)
    assert not any(SERIES.equals(variant) for variant in variants[1:])


def test_a_part_for_tables_says_what_it_was_given_instead():
    with pytest.raises(PartError, match="expected a table with one row per person, not series"):
        as_table(SERIES)
