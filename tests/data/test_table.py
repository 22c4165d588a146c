"""Tables: rows under a schema, stored as read-only arrays."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.data.arrays import MISSING_TIME
from quintain.testing.strategies import tables

SCHEMA = Schema(
    columns=(
        Column(name="who", kind="id"),
        Column(name="sex", kind="category", values=("f", "m"), nullable=True),
        Column(name="age", kind="integer", low=17, high=90, nullable=True),
        Column(name="pay", kind="real", nullable=True),
        Column(name="born", kind="time", nullable=True),
        Column(name="debt", kind="integer", low=-5),
    )
)
VALUES = {
    "who": ["ann", "bob", "eve"],
    "sex": ["f", "m", None],
    "age": [40, None, 17],
    "pay": [1.5, None, -2],
    "born": ["1970-01-02", "1969-12-31", None],
    "debt": [-5, 0, 12],
}
TABLE = Table.of(SCHEMA, VALUES)
COLOURS = Schema(
    columns=(
        Column(name="colour", kind="category", values=("red", "green", "blue")),
        Column(name="size", kind="integer", low=-2, high=9),
    )
)

quick = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def test_columns_are_held_as_codes_numbers_and_seconds():
    contents = TABLE.columns
    assert contents["who"].tolist() == ["ann", "bob", "eve"]
    assert contents["sex"].tolist() == [0, 1, -1]
    assert contents["age"].tolist() == [23, -1, 0]  # 40 - 17, missing, 17 - 17
    assert contents["pay"].tolist()[::2] == [1.5, -2.0]
    assert math.isnan(contents["pay"][1])
    assert contents["born"].tolist() == [86_400, -86_400, MISSING_TIME]
    assert contents["debt"].tolist() == [0, 5, 17]  # -5 is code 0, also without an upper bound


def test_every_kind_of_column_has_its_dtype():
    kinds = {name: array.dtype for name, array in TABLE.columns.items()}
    assert kinds["sex"] == kinds["age"] == np.int32
    assert kinds["born"] == kinds["debt"] == np.int64
    assert kinds["pay"] == np.float64
    assert kinds["who"].kind == "U"
    assert Table.of(SCHEMA, {**VALUES, "who": [3, 1, 2]}).columns["who"].dtype == np.int64


def test_records_give_plain_values_back():
    first, second, third = TABLE.records()
    assert (first["who"], first["sex"], first["age"], first["debt"]) == ("ann", "f", 40, -5)
    assert (second["age"], second["pay"]) == (None, None)
    assert (third["sex"], third["born"], third["pay"]) == (None, None, -2.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"age": [40, 91, 17]}, "age='91': expected an integer in 17..90, or empty"),
        ({"sex": ["f", "x", "m"]}, "sex='x': expected one of 2 values such as f, m, or empty"),
        ({"debt": [0, None, 0]}, "debt='': expected an integer of at least -5"),
        ({"pay": [0, math.inf, 0]}, "pay='inf': expected a number, or empty"),
        ({"debt": [0, math.inf, 0]}, "debt='inf': expected an integer of at least -5"),
        ({"age": [40, 17.5, 17]}, "age='17.5': expected an integer in 17..90"),
        ({"born": ["1970-01-02", "1970-1-2", None]}, "born='1970-1-2': expected a time written"),
        ({"who": ["ann", "", "eve"]}, "who='': expected an identifier"),
    ],
)
def test_a_value_outside_the_domain_is_refused(change, words):
    with pytest.raises(ValueError, match=words.replace("..", r"\.\.")):
        Table.of(SCHEMA, {**VALUES, **change})


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match=r"columns of different lengths: \[1, 2\]"):
        Table(COLOURS, {"colour": [0], "size": [1, 2]})


def test_columns_that_are_not_in_the_schema_are_left_out():
    table = Table(COLOURS, {"colour": [0], "size": [1], "secret": [7]})
    assert set(table.columns) == {"colour", "size"}


def test_arrays_are_read_only():
    for array in TABLE.columns.values():
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


def test_a_table_does_not_share_memory_with_what_it_was_made_from():
    codes = np.array([0, 1], np.int32)
    table = Table(COLOURS, {"colour": codes, "size": [1, 2]})
    codes[0] = 2
    assert table.columns["colour"].tolist() == [0, 1]


@quick
@given(tables(min_rows=1))
def test_arrays_stay_read_only_whatever_is_done_to_a_table(table):
    again = [table.take([0]), table.concat(table), table.select(table.schema.names)]
    for made in [table, *again, table.replace({})]:
        assert not any(array.flags.writeable for array in made.columns.values())


def test_take_gives_rows_in_the_order_asked_for_and_as_often():
    assert TABLE.take([2, 0, 2]).records() == [TABLE.records()[i] for i in (2, 0, 2)]


def test_take_takes_a_mask():
    assert TABLE.take(np.array([True, False, True])).records() == TABLE.take([0, 2]).records()


def test_take_nothing_gives_an_empty_table():
    for nothing in ([], np.array([]), np.zeros(3, bool)):
        empty = TABLE.take(nothing)
        assert len(empty) == 0
        assert empty.schema == SCHEMA
        assert empty.records() == []


def test_select_and_drop_keep_the_contents():
    assert TABLE.select(["age", "sex"]).records()[0] == {"age": 40, "sex": "f"}
    assert TABLE.drop("who", "pay", "born", "debt").records()[0] == {"sex": "f", "age": 40}


def test_select_what_is_not_there_says_what_is():
    with pytest.raises(KeyError, match="unknown column 'aeg'; available: who, sex"):
        TABLE.select(["aeg"])


def test_replace_changes_some_columns_and_not_the_original():
    changed = TABLE.replace({"sex": [1, 1, 1]})
    assert [record["sex"] for record in changed.records()] == ["m", "m", "m"]
    assert [record["age"] for record in changed.records()] == [40, None, 17]
    assert TABLE.columns["sex"].tolist() == [0, 1, -1]


def test_concat_puts_rows_one_after_the_other():
    both = TABLE.concat(TABLE.take([1]), TABLE.take([]))
    assert both.records() == [*TABLE.records(), TABLE.records()[1]]


@quick
@given(tables(), st.data())
def test_parts_of_a_table_put_together_again_are_the_table(table, data):
    cut = data.draw(st.integers(0, len(table)))
    rows = np.arange(len(table))
    assert table.take(rows[:cut]).concat(table.take(rows[cut:])).equals(table)


def test_codes_are_discrete_columns_side_by_side():
    codes = TABLE.codes(["age", "sex"])
    assert codes.tolist() == [[23, 0], [-1, 1], [0, -1]]
    assert codes.dtype == np.int32
    assert TABLE.codes([]).shape == (3, 0)


def test_a_column_without_a_finite_domain_has_no_codes():
    with pytest.raises(
        ValueError, match="column 'pay' has no codes, because its domain is not finite"
    ):
        TABLE.codes(["sex", "pay"])


def test_numbers_are_what_people_wrote():
    np.testing.assert_array_equal(TABLE.numbers("age"), [40, np.nan, 17])
    np.testing.assert_array_equal(TABLE.numbers("pay"), [1.5, np.nan, -2])
    np.testing.assert_array_equal(TABLE.numbers("debt"), [-5, 0, 12])
    np.testing.assert_array_equal(TABLE.numbers("sex"), [0, 1, np.nan])


@quick
@given(tables(), st.data())
def test_sorted_rows_do_not_tell_their_old_order(table, data):
    shuffled = table.take(data.draw(st.permutations(range(len(table)))))
    assert table.take(table.order()).records() == shuffled.take(shuffled.order()).records()


def test_rows_are_sorted_by_the_first_column_first():
    table = Table.of(COLOURS, {"colour": ["blue", "red", "blue", "red"], "size": [1, 9, 0, -2]})
    assert table.take(table.order()).records() == [
        {"colour": "red", "size": -2},
        {"colour": "red", "size": 9},
        {"colour": "blue", "size": 0},
        {"colour": "blue", "size": 1},
    ]


@quick
@given(tables(max_rows=8))
def test_rows_have_the_same_key_exactly_if_they_are_equal(table):
    keys, records = table.row_keys(), table.records()
    assert keys.dtype == np.int64
    for i in range(len(table)):
        for j in range(i):
            assert (keys[i] == keys[j]) == (records[i] == records[j])


def test_row_keys_of_many_wide_columns_do_not_overflow():
    # 40 columns of 1000 values: a number for every possible row would need 400 bits.
    names = [f"c{i}" for i in range(40)]
    schema = Schema(columns=tuple(Column(name=n, kind="integer", low=0, high=999) for n in names))
    contents = np.random.default_rng(1).integers(1000, size=(500, 40))
    table = Table(schema, {name: contents[:, i] for i, name in enumerate(names)})
    keys = table.concat(table).row_keys()
    assert len(np.unique(keys)) == 500
    assert (keys[:500] == keys[500:]).all()


@pytest.mark.slow
@quick
@given(tables(min_rows=1), st.data())
def test_any_other_cell_gives_another_digest(table, data):
    name = data.draw(st.sampled_from(table.schema.names))
    row = data.draw(st.integers(0, len(table) - 1))
    donor = data.draw(st.integers(0, len(table) - 1))
    column = table.columns[name].copy()
    assume(not np.array_equal(column[row], column[donor], equal_nan=column.dtype.kind == "f"))
    column[row] = column[donor]
    changed = table.replace({name: column})
    assert changed.digest() != table.digest()
    assert not changed.equals(table)


def test_a_digest_covers_the_schema_the_order_and_the_number_of_rows():
    narrow = Schema(columns=(COLOURS.columns[0],))
    wide = Schema(
        columns=(Column(name="colour", kind="category", values=("red", "green", "blue", "x")),)
    )
    table = Table.of(narrow, {"colour": ["red", "blue"]})
    others = [
        Table.of(wide, {"colour": ["red", "blue"]}),
        table.take([1, 0]),
        table.take([0]),
        table.take([0, 1, 1]),
    ]
    assert len({table.digest(), *(other.digest() for other in others)}) == 5
    assert not any(table.equals(other) for other in others)


@quick
@given(tables())
def test_a_digest_repeats(table):
    assert table.take(np.arange(len(table))).digest() == table.digest()


def test_a_digest_does_not_depend_on_the_longest_text_there_was():
    names = Schema(columns=(Column(name="who", kind="id"),))
    both = Table.of(names, {"who": ["ann", "maximilian"]})
    assert both.take([0]).equals(Table.of(names, {"who": ["ann"]}))


@quick
@given(tables())
def test_a_table_made_of_its_own_records_is_the_same(table):
    records = table.records()
    again = Table.of(table.schema, {n: [r[n] for r in records] for n in table.schema.names})
    assert again.records() == records


def test_a_table_says_what_it_is():
    assert repr(TABLE) == "<Table 3 rows: who, sex, age, pay, born, debt>"


def test_a_notebook_shows_ten_rows_and_no_markup_from_the_data():
    schema = Schema(columns=(Column(name="<i>", kind="category", values=("<script>", "b")),))
    shown = Table(schema, {"<i>": np.zeros(25, int)})._repr_html_()
    assert "<script>" not in shown
    assert "<i>" not in shown
    assert shown.count("<td>") == 10
    assert "25 rows" in shown
