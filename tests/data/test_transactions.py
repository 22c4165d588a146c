"""Transactions: many rows a person, with time."""

import numpy as np
import pytest

from quintain.data import Column, Schema, Transactions
from quintain.data.files import read_bytes, to_bytes
from quintain.errors import Faults
from quintain.releases import publish
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
    with pytest.raises(ValueError, match="need a column with the role person or customer"):
        rows.persons()
    with pytest.raises(ValueError, match="need a column with the role time"):
        _ = rows.time_column


AIRPORTS = "who,day\nDEL,2011-01-02\nCDG,2011-01-02\n,2011-01-03\n"


def _read(text: str, **person: object) -> Transactions:
    column = WHO.model_copy(update={"nullable": True, **person})
    faults = Faults("rows.csv")
    schema = Schema(
        shape="transactions", columns=(column, DAY.model_copy(update={"nullable": True}))
    )
    rows = read_bytes(text.encode(), "rows.csv", schema, faults=faults)
    assert isinstance(rows, Transactions), faults.findings
    return rows


def test_a_person_called_del_is_a_person_unless_the_column_says_otherwise():
    rows = _read(AIRPORTS)
    assert rows.deleted_rows().tolist() == [False, False, True]
    assert rows.records()[0]["who"] == "DEL"
    shown = publish(rows, rng=np.random.default_rng(0))
    assert sorted(shown.columns["who"].tolist()) == ["CDG", "DEL"]
    assert to_bytes(rows, ".csv").decode() == "who,day\nDEL,2011-01-02\nCDG,2011-01-02\n,\n"


def test_a_column_may_spell_a_missing_person():
    rows = _read("who,day\nDEL,nonsense\nCDG,2011-01-02\n", missing="DEL")
    assert rows.deleted_rows().tolist() == [True, False]
    assert rows.records()[0] == {"who": None, "day": None}
    assert len(publish(rows, rng=np.random.default_rng(0))) == 1
    for suffix in (".csv", ".parquet"):
        faults = Faults("again")
        again = read_bytes(to_bytes(rows, suffix), f"again{suffix}", rows.schema, faults=faults)
        assert again is not None and again.equals(rows)
    assert to_bytes(rows, ".csv") == b"who,day\nDEL,\nCDG,2011-01-02\n"


def test_where_a_missing_person_is_spelled_an_empty_cell_is_a_fault():
    faults = Faults("rows.csv")
    schema = Schema(
        shape="transactions",
        columns=(WHO.model_copy(update={"nullable": True, "missing": "DEL"}), DAY),
    )
    assert read_bytes(b"who,day\n,2011-01-02\n", "rows.csv", schema, faults=faults) is None
    assert "or DEL" in str(faults.findings[0])
