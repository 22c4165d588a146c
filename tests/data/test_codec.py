"""Cells: which values are accepted or refused, and that writing and reading changes nothing."""

import math
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quintain.data import Column
from quintain.data.arrays import MISSING_TIME
from quintain.data.codec import decode_values, encode_values, format_texts, parse_texts
from quintain.testing.strategies import cells, columns

ANY_INTEGER = Column(name="n", kind="integer")
AGE = Column(name="age", kind="integer", low=17, high=90)
ANY_REAL = Column(name="x", kind="real")
SHARE = Column(name="x", kind="real", low=0, high=1)
SEX = Column(name="sex", kind="category", values=("f", "m"))
DAY = Column(name="day", kind="time")
WHO = Column(name="who", kind="id")


def refused(column, text):
    return bool(parse_texts(column, [text])[1][0])


def parsed(column, *texts):
    contents, bad = parse_texts(column, texts)
    assert not bad.any(), [text for text, wrong in zip(texts, bad, strict=True) if wrong]
    return contents.tolist()


# fmt: off
NO_INTEGERS = [
    "40.0", "40.", "4e1", "+40", "+5", " 5", " 40", "40 ", "007", "040", "-0", "--4", "40-", "-",
    "", "NA", "nan", "inf", "None", "0x28", "4_0", "4,0", "４０", "٤٠", "40\n", "1" * 19,
]
NO_REALS = [
    "1e400", "-1e400", "inf", "-inf", "Infinity", "nan", "NaN", "NA", "null", "", " 1", "1 ", "1\n",
    "+1.5", "1,5", "0x1p3", "1_0.5", "1.5f", ".", "-", "e5", "1e", "1.5.2", "１", "0." + "1" * 70,
]
# fmt: on


@pytest.mark.parametrize("text", NO_INTEGERS)
def test_what_only_looks_like_an_integer_is_refused(text):
    assert refused(ANY_INTEGER, text)
    assert refused(AGE, text)


def test_integers_are_read():
    assert parsed(ANY_INTEGER, "0", "5", "-7", "9" * 18) == [0, 5, -7, 10**18 - 1]
    assert parsed(AGE, "17", "90") == [0, 73]


@pytest.mark.parametrize("text", ["16", "91", "-17", "0"])
def test_integers_outside_the_bounds_are_refused(text):
    assert refused(AGE, text)


@pytest.mark.parametrize("text", NO_REALS)
def test_what_is_no_finite_number_is_refused(text):
    assert refused(ANY_REAL, text)


def test_reals_are_read():
    texts = ("1", "-1.5", "1e3", "1E-3", "2.e+2", ".5", "-.5", "5.", "0", "1e-400")
    assert parsed(ANY_REAL, *texts) == [1, -1.5, 1e3, 1e-3, 200, 0.5, -0.5, 5, 0, 0]


def test_bounds_of_reals_are_included():
    assert parsed(SHARE, "0", "1") == [0, 1]
    assert refused(SHARE, "-1e-300")
    assert refused(SHARE, "1.0000000000000002")


@pytest.mark.parametrize("text", ["F", "f ", " f", "", "fm", "NA", "0"])
def test_a_category_is_one_of_its_values_to_the_letter(text):
    assert refused(SEX, text)


def test_categories_are_coded_in_their_order():
    assert parsed(SEX, "m", "f", "m") == [1, 0, 1]
    assert parse_texts(SEX, ["f"])[0].dtype == np.int32


def test_a_category_may_be_called_na():
    odd = Column(name="x", kind="category", values=("NA", "nan", "null", "None", " "))
    assert parsed(odd, "NA", "nan", "null", "None", " ") == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "text", ["2011-1-5", "2011-02-30", "11-01-05", "2011-01-05 ", "2011-01-05T00", "", "today"]
)
def test_a_time_is_written_in_its_format_to_the_letter(text):
    assert refused(DAY, text)


def test_times_are_seconds_since_1970():
    assert parsed(DAY, "1970-01-01", "1970-01-02", "1969-12-31") == [0, 86_400, -86_400]
    clock = Column(name="t", kind="time", time_format="%Y-%m-%dT%H:%M:%SZ")
    assert parsed(clock, "2011-01-05T06:07:08Z") == [
        int(datetime(2011, 1, 5, 6, 7, 8, tzinfo=UTC).timestamp())
    ]


@pytest.mark.parametrize("text", ["", "a\tb", "a\nb", "\x7f", "\x1b[31m"])
def test_an_id_has_no_control_characters(text):
    assert refused(WHO, text)


def test_ids_are_text_as_written():
    assert parsed(WHO, "007", "7", " x", "Zoë") == ["007", "7", " x", "Zoë"]


@pytest.mark.parametrize(
    ("column", "missing"),
    [(SEX, -1), (AGE, -1), (DAY, MISSING_TIME)],
)
def test_an_empty_cell_is_missing_where_values_may_be_missing(column, missing):
    nullable = column.model_copy(update={"nullable": True})
    assert refused(column, "")
    assert parsed(nullable, "") == [missing]
    assert decode_values(nullable, np.array([missing])) == [None]
    assert format_texts(nullable, np.array([missing])) == [""]


def test_a_missing_real_is_not_a_number():
    nullable = ANY_REAL.model_copy(update={"nullable": True})
    assert math.isnan(parsed(nullable, "")[0])
    assert decode_values(nullable, np.array([math.nan, 1])) == [None, 1.0]
    assert refused(nullable, "nan")


def test_only_the_cells_that_are_wrong_are_called_wrong():
    _, bad = parse_texts(AGE, ["40", "x", "17", "", "90"])
    assert bad.tolist() == [False, True, False, True, False]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_what_is_written_is_read_back(data):
    column = data.draw(columns())
    contents = encode_values(column, data.draw(st.lists(cells(column), max_size=8)))
    texts = format_texts(column, contents)
    again, bad = parse_texts(column, texts)
    assert not bad.any()
    assert decode_values(column, again) == decode_values(column, contents)


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_real_keeps_all_its_digits(value):
    (text,) = format_texts(ANY_REAL, np.array([value]))
    (again,) = parsed(ANY_REAL, text)
    assert again == value
    assert math.copysign(1, again) == math.copysign(1, value)


@settings(deadline=None)
@given(st.text(max_size=8))
def test_no_text_makes_the_parsers_stumble(text):
    for column in (AGE, ANY_INTEGER, ANY_REAL, SEX, DAY, WHO):
        contents, bad = parse_texts(column, [text])
        assert len(contents) == len(bad) == 1


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        (AGE, 16, "age='16': expected an integer in 17..90"),
        (AGE, 17.5, "age='17.5': expected an integer in 17..90"),
        (AGE, "40.0", "age='40.0': expected an integer in 17..90"),
        (AGE, None, "age='': expected an integer in 17..90"),
        (SHARE, 2, "x='2.0': expected a number in 0..1"),
        (SEX, "x", "sex='x': expected one of 2 values such as f, m"),
    ],
)
def test_a_plain_value_outside_the_domain_is_refused(column, value, words):
    with pytest.raises(ValueError) as caught:
        encode_values(column, [value])
    assert str(caught.value) == words


def test_plain_values_come_in_many_types():
    assert encode_values(AGE, [40, 40.0, np.int64(40), np.float32(40), "40"]).tolist() == [23] * 5
    assert encode_values(ANY_REAL, [1, 1.5, np.float32(0.5), "2"]).tolist() == [1, 1.5, 0.5, 2]
    day = datetime(1970, 1, 2, tzinfo=UTC)
    assert encode_values(DAY, [day, "1970-01-02"]).tolist() == [86_400, 86_400]
    assert encode_values(WHO, [3, 5]).tolist() == [3, 5]
    assert encode_values(WHO, [3, "x"]).tolist() == ["3", "x"]
    assert encode_values(SEX, np.array(["f", "m"])).tolist() == [0, 1]
