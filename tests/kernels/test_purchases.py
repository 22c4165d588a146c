"""Purchases: which columns are read, how names are numbered, deleted rows, missing cells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Transactions
from quintain.errors import PartError, SubmissionError
from quintain.kernels.purchases import Purchases, encode_values, months_of
from quintain.testing.examples import example
from tests.measures.shopping_cases import ITEMS, SCHEMA, record, table


def test_columns_are_found_by_role_and_decoded():
    purchases = Purchases.of(
        table([record("b", "2010-12-02", "30", 2.5, 7), {"who": "DEL"}, record("a", DAY, "22B")])
    )
    assert purchases.persons.tolist() == ["a", "b"]
    assert purchases.person.tolist() == [1, -1, 0]
    assert purchases.day[[0, 2]].tolist() == [14_945, 14_944]
    assert purchases.items == ITEMS
    assert purchases.item.tolist() == [3, -1, 0]
    assert purchases.quantity[[0, 2]].tolist() == [7, 1]
    rows = purchases.live_rows()
    assert rows.price.tolist() == [2.5, 1.0]
    assert rows.persons.tolist() == ["a", "b"]


DAY = "2010-12-01"


def test_the_only_column_of_a_kind_needs_no_role():
    data = example("transactions", rows=50)
    assert isinstance(data, Transactions)
    purchases = Purchases.of(data)
    assert len(purchases) == 50
    assert purchases.live.all()
    assert purchases.quantity.min() >= 1


def test_two_columns_of_a_kind_without_a_role_are_refused():
    columns = [
        c.model_copy(update={"role": ""}) if c.name == "price" else c for c in SCHEMA.columns
    ]
    schema = Schema(shape="transactions", columns=(*columns, Column(name="weight", kind="real")))
    columns = {**table([record("a", DAY, "30")]).columns, "weight": np.ones(1)}
    with pytest.raises(PartError, match="no column has the role 'price'"):
        Purchases.of(Transactions(schema, columns))


def test_a_role_on_a_column_of_another_kind_is_refused():
    columns = [
        c.model_copy(update={"role": {"price": "item", "item": "price"}.get(c.role, c.role)})
        for c in SCHEMA.columns
    ]
    odd = Transactions(Schema(shape="transactions", columns=tuple(columns)), table([]).columns)
    with pytest.raises(
        PartError, match="has the role 'item', so its kind must be category, not real"
    ):
        Purchases.of(odd)


def test_a_cell_may_be_missing_in_deleted_rows_only():
    rows = [record("a", DAY, "30"), {"who": "DEL"}, {"who": "b", "day": DAY, "item": "30"}]
    with pytest.raises(SubmissionError) as refused:
        Purchases.of(table(rows))
    assert {(fault.line, fault.column) for fault in refused.value.faults} == {
        (3, "price"),
        (3, "count"),
    }


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["x", "DEL", "", "é", "DELETED", "y"])))
def test_numbers_of_texts_are_those_of_numpy(texts):
    values = np.array(texts, np.str_)
    codes, distinct = encode_values(values)
    expected, inverse = np.unique(values, return_inverse=True)
    assert distinct.tolist() == expected.tolist()
    assert codes.tolist() == inverse.tolist()


def test_texts_of_more_than_16_megabytes_have_one_list_of_numbers():
    names = np.array([f"{number:064d}" for number in (2, 0, 1)])
    codes, distinct = encode_values(np.tile(names, 100_000))
    assert distinct.tolist() == sorted(names.tolist())
    assert np.array_equal(codes, np.tile([2, 0, 1], 100_000))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-800_000, 2_900_000)))
def test_months_are_those_of_the_calendar(days):
    array = np.array(days, np.int32)
    expected = array.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    assert months_of(array).tolist() == expected.tolist()
