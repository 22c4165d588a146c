"""Transactions: many rows a person, with time."""

import numpy as np
import pytest

from quintain.data import Column, Schema, Transactions
from quintain.testing import example

WHO = Column(name="who", kind="id", role="customer")
DAY = Column(name="day", kind="time", role="time")
SCHEMA = Schema(shape="transactions", columns=(WHO, DAY))
ROWS = Transactions.of(
    SCHEMA, {"who": ["eve", "ann", "eve"], "day": ["2011-01-02", "2011-01-01", "2011-01-01"]}
)


def test_persons_are_distinct_and_sorted():
    assert ROWS.persons().tolist() == ["ann", "eve"]


def test_every_row_knows_its_person():
    assert ROWS.person_of_row().tolist() == [1, 0, 1]
    assert ROWS.person_of_row().dtype == np.int64


def test_persons_and_rows_agree_on_larger_data():
    data = example("transactions")
    assert (data.persons()[data.person_of_row()] == data.columns["customer"]).all()


def test_rows_keep_their_order():
    assert [record["who"] for record in ROWS.records()] == ["eve", "ann", "eve"]


def test_taken_and_joined_transactions_are_transactions():
    assert type(ROWS.take([0])) is Transactions
    assert type(ROWS.concat(ROWS)) is Transactions
    assert type(ROWS.replace({})) is Transactions
    assert repr(ROWS) == "<Transactions 3 rows: who, day>"


def test_person_and_time_are_found_by_role():
    assert ROWS.person_column is WHO
    assert ROWS.time_column is DAY


def test_the_role_person_goes_before_customer():
    person = Column(name="person", kind="id", role="person")
    schema = Schema(shape="transactions", columns=(WHO, person, DAY))
    rows = Transactions.of(schema, {"who": [1], "person": [2], "day": ["2011-01-01"]})
    assert rows.person_column is person


def test_transactions_without_a_person_or_a_time_say_so():
    alone = Schema(shape="transactions", columns=(Column(name="n", kind="integer"),))
    rows = Transactions.of(alone, {"n": [1]})
    with pytest.raises(ValueError, match="no column has a role among person, customer"):
        rows.persons()
    with pytest.raises(ValueError, match="no column has the role 'time'"):
        _ = rows.time_column
