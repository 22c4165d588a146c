"""Schemas: what a column may be, and the message about a cell that is something else."""

import math

import pytest
from hypothesis import given, settings
from pydantic import ValidationError

from quintain.data import Column, Schema
from quintain.data.column import LARGEST_DOMAIN
from quintain.testing.strategies import schemas

SEX = Column(name="sex", kind="category", values=("f", "m"))
AGE = Column(name="age", kind="integer", low=17, high=90)
PAY = Column(name="pay", kind="real", nullable=True)
HOME = Column(name="home", kind="id", role="household")
DAY = Column(name="day", kind="time", role="time")
SCHEMA = Schema(title="people", columns=(HOME, SEX, AGE, PAY, DAY))


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"kind": "category"}, "category 'x' needs its list of values"),
        (
            {"kind": "real", "values": ("a",)},
            "'x' is not a category, so it cannot have a list of values",
        ),
        ({"kind": "category", "values": ("a", "b", "a")}, "category 'x' lists a value twice"),
        ({"kind": "id", "missing": "NA"}, "'x' is not nullable, so missing = 'NA' has no effect"),
        (
            {"kind": "category", "values": ("a",), "nullable": True, "missing": "a"},
            "'x' is nullable: 'a' means missing, so drop this value",
        ),
        ({"kind": "integer", "low": 5, "high": 4}, "low 5.0 is above high 4.0"),
        ({"kind": "integer", "low": 0.5}, "'x' is an integer, so its bound cannot be 0.5"),
        ({"kind": "integer", "high": 7.25}, "'x' is an integer, so its bound cannot be 7.25"),
        (
            {"kind": "integer", "low": 0, "nullable": True},
            "'x' is a nullable integer, so it needs low",
        ),
        ({"kind": "real", "high": math.inf}, "'x': inf is not a bound; leave it out"),
        ({"kind": "integer", "low": -math.inf}, "'x': -inf is not a bound; leave it out"),
        ({"kind": "real", "low": math.nan}, "'x': nan is not a bound; leave it out"),
        ({"kind": "category", "values": ("a\nb",)}, "category 'x' contains a control character"),
        ({"kind": "category", "values": ("a\rb",)}, "category 'x' contains a control character"),
        (
            {"kind": "category", "values": ("", "a"), "nullable": True},
            "'x' is nullable: the empty text means missing, so drop this value",
        ),
        (
            {"kind": "text"},
            "Input should be 'category', 'integer', 'real', 'time', 'id' or 'coordinates'",
        ),
        ({"kind": "real", "colour": "red"}, "Extra inputs are not permitted"),
    ],
)
def test_a_column_that_makes_no_sense_is_refused(facts, words):
    with pytest.raises(ValidationError, match=words):
        Column(name="x", **facts)


def test_a_domain_of_one_value_is_a_domain():
    assert Column(name="x", kind="integer", low=3, high=3).size == 1
    assert Column(name="x", kind="category", values=("only",)).size == 1


def test_a_schema_needs_columns():
    with pytest.raises(ValidationError, match="a schema needs at least one column"):
        Schema(columns=())


def test_a_schema_names_every_column_that_is_there_twice():
    with pytest.raises(ValidationError, match="these column names appear twice: age, sex"):
        Schema(columns=(SEX, AGE, SEX, AGE, PAY))


@pytest.mark.parametrize(
    ("column", "discrete"),
    [
        (SEX, True),
        (AGE, True),
        (Column(name="x", kind="integer"), False),
        (Column(name="x", kind="integer", low=0), False),
        (Column(name="x", kind="integer", high=0), False),
        (Column(name="x", kind="real", low=0, high=1), False),
        (HOME, False),
        (DAY, False),
    ],
)
def test_categories_and_bounded_integers_have_a_finite_domain(column, discrete):
    assert column.discrete == discrete


def test_an_integer_with_too_many_values_to_list_has_no_finite_domain():
    assert Column(name="x", kind="integer", low=1, high=LARGEST_DOMAIN).discrete
    assert not Column(name="x", kind="integer", low=0, high=LARGEST_DOMAIN).discrete


def test_the_size_of_a_domain_counts_both_bounds():
    assert SEX.size == 2
    assert AGE.size == 74  # 17, 18 ... 90
    assert Column(name="x", kind="integer", low=-2, high=9).size == 12


def test_a_column_without_a_finite_domain_has_no_size():
    with pytest.raises(ValueError, match="column 'pay' has no finite domain"):
        _ = PAY.size


def test_code_zero_stands_for_the_lowest_integer():
    assert AGE.offset == 17
    assert Column(name="x", kind="integer", low=-2).offset == -2
    assert Column(name="x", kind="integer", high=5).offset == 0
    assert SEX.offset == 0
    assert Column(name="x", kind="real", low=3).offset == 0


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"kind": "category", "values": ("a", "b")}, "expected one of 2 values such as a, b"),
        (
            {"kind": "category", "values": ("a", "b", "c", "d")},
            "expected one of 4 values such as a, b, c",
        ),
        ({"kind": "integer"}, "expected an integer"),
        ({"kind": "integer", "low": -2, "high": 9}, "expected an integer in -2..9"),
        ({"kind": "integer", "low": 1}, "expected an integer of at least 1"),
        ({"kind": "real", "high": 0.5}, "expected a number of at most 0.5"),
        ({"kind": "real", "low": 0, "high": 1}, "expected a number in 0..1"),
        ({"kind": "real", "nullable": True}, "expected a number, or empty"),
        ({"kind": "time", "time_format": "%Y/%m/%d"}, "expected a time written %Y/%m/%d"),
        ({"kind": "id"}, "expected an identifier without control characters"),
    ],
)
def test_what_a_cell_must_be_is_said_in_words(facts, words):
    assert Column(name="x", **facts).expected == words


def test_columns_are_found_by_name_and_by_role():
    assert SCHEMA["age"] is AGE
    assert SCHEMA.role("household") is HOME
    assert SCHEMA.role("secret") is None
    assert "age" in SCHEMA
    assert "Age" not in SCHEMA


def test_an_unknown_column_is_answered_with_those_there_are():
    with pytest.raises(KeyError, match="unknown column 'ag'; available: home, sex, age, pay, day"):
        _ = SCHEMA["ag"]


def test_attributes_are_everything_but_ids():
    assert [column.name for column in SCHEMA.attributes] == ["sex", "age", "pay", "day"]


def test_select_keeps_the_order_that_is_asked_for():
    assert SCHEMA.select(["pay", "sex"]).names == ("pay", "sex")
    assert SCHEMA.select(["pay"]).title == "people"


def test_drop_keeps_the_order_there_is():
    assert SCHEMA.drop("sex", "home").names == ("age", "pay", "day")


def test_extended_puts_columns_in_front():
    target = Column(name="target", kind="id")
    longer = SCHEMA.extended(target)
    assert longer.names == ("target", *SCHEMA.names)
    assert (longer.title, longer.shape) == (SCHEMA.title, SCHEMA.shape)
    with pytest.raises(ValidationError, match="appear twice: age"):
        SCHEMA.extended(AGE)


def test_a_schema_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        SCHEMA.title = "other"
    with pytest.raises(ValidationError, match="frozen"):
        AGE.low = 0


@pytest.mark.slow
@settings(deadline=None)
@given(schemas())
def test_a_schema_survives_its_file(schema):
    assert Schema.model_validate_json(schema.model_dump_json()) == schema


def test_a_schema_of_another_format_is_refused():
    text = SCHEMA.model_dump_json().replace("quintain.schema/1", "quintain.schema/2")
    with pytest.raises(ValidationError, match=r"quintain\.schema/1"):
        Schema.model_validate_json(text)


def test_a_notebook_shows_names_as_text_not_as_markup():
    column = Column(name="<b>x</b>", kind="category", values=("<script>",), role="a&b")
    shown = Schema(columns=(column,))._repr_html_()
    assert "<script>" not in shown
    assert "<b>" not in shown
    assert "&lt;b&gt;x&lt;/b&gt;" in shown
