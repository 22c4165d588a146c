"""People: trees of rows from tables, and what stays together when people are chosen."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.data.learning.people import learn_people
from quintain.data.people import People, Ragged
from quintain.data.people_schema import PeopleSchema, TableSchema
from quintain.errors import DataError

CUSTOMERS = pd.DataFrame({"customer": ["c", "a", "b"], "country": ["FR", "DE", "FR"]})
INVOICES = pd.DataFrame(
    {
        "customer": ["a", "b", "a", None],
        "invoice": [7, 3, 9, 4],
        "day": pd.to_datetime(["2011-03-01", "2011-01-01", "2011-02-01", "2011-01-05"]),
    }
)
LINES = pd.DataFrame({"invoice": [9, 7, 3, 7, 4], "item": ["tea", "jam", "tea", "ink", "jam"]})
SHOP = {"customers": CUSTOMERS, "lines": LINES, "invoices": INVOICES}


def shop() -> People:
    return People.read(learn_people(SHOP, "customer").schema, SHOP)


def test_keys_and_references_are_learned_and_are_no_attributes():
    schema = learn_people(SHOP, "customer").schema
    links = [(t.name, t.parent, t.key, t.reference, t.order) for t in schema.tables]
    assert links == [
        ("customers", "", "customer", None, ()),
        ("invoices", "", "invoice", "customer", ("day",)),
        ("lines", "invoices", None, "invoice", ()),
    ]
    assert [c.name for t in schema.tables for c in t.columns] == ["country", "day", "item"]
    assert PeopleSchema.model_validate_json(schema.model_dump_json()) == schema


def test_rows_follow_their_parents_up_to_people():
    people = shop()
    assert people.size == 3 and people.keys.tolist() == ["c", "a", "b"]
    assert people.tables["invoices"].person.tolist() == [1, 2, 1, -1]
    assert people.tables["lines"].person.tolist() == [1, 1, 2, 1, -1]
    assert people.tables["invoices"].index().rows(1).tolist() == [2, 0]  # by day
    assert people.tables["customers"].lengths().tolist() == [1, 1, 1]


def test_people_are_taken_with_all_they_own():
    few = shop().take([2, 1])
    assert few.keys.tolist() == ["b", "a"]
    lines = few.tables["lines"]
    assert lines.rows.records() == [{"item": item} for item in ("tea", "jam", "tea", "ink")]
    assert lines.person.tolist() == [1, 1, 0, 1] and lines.parent.tolist() == [2, 0, 1, 0]
    assert few.tables["customers"].rows.records() == [{"country": "FR"}, {"country": "DE"}]
    with pytest.raises(ValueError, match="chosen twice"):
        shop().take([1, 1])


def test_counts_are_of_people_by_values():
    lines = shop().tables["lines"]
    codes = lines.rows.columns["item"]
    counts = lines.counts(codes, 3).toarray()
    plain = np.zeros((3, 3))
    for person, code in zip(lines.person, codes, strict=True):
        if person >= 0:
            plain[person, code] += 1
    assert (counts == plain).all()


def test_every_fault_of_all_tables_is_told():
    wrong = {
        **SHOP,
        "customers": pd.concat([CUSTOMERS, CUSTOMERS[:1]]),
        "lines": LINES.assign(invoice=[9, 8, 3, 6, 4]),
    }
    schema = learn_people(SHOP, "customer").schema
    with pytest.raises(DataError) as error:
        People.read(schema, wrong)
    told = sorted(str(fault) for fault in error.value.faults)
    assert told == [
        "customers:4 customer='c': expected each key once; customers:1 has it, too",
        "lines:2 invoice='8': expected a key of invoices; no row there has this one",
        "lines:4 invoice='6': expected a key of invoices; no row there has this one",
    ]
    with pytest.raises(DataError, match="lines: there is no such table"):
        People.read(schema, {"customers": CUSTOMERS, "invoices": INVOICES})
    with pytest.raises(DataError, match="no column 'patient'"):
        learn_people(SHOP, "patient")


def test_every_fault_of_a_schema_is_told():
    day = Column(name="day", kind="time")
    tables = (
        TableSchema(name="a", columns=(day,)),
        TableSchema(name="b", columns=(day,), reference="day", parent="c", order=("hour",)),
    )
    with pytest.raises(ValueError) as error:
        PeopleSchema(tables=tables)
    for part in ("needs a key", "must come before", "'hour'", "cannot be a column"):
        assert part in str(error.value)


@given(st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=1, max_size=12), st.randoms())
def test_a_table_with_a_unit_becomes_people_and_back(names, random):
    schema = Schema(
        columns=(
            Column(name="who", kind="id", nullable=True),
            Column(name="number", kind="integer", low=0, high=99),
        )
    )
    table = Table.of(schema, {"who": [n or None for n in names], "number": range(len(names))})
    people = People.of_table(table, "who")
    rows = people.tables["rows"]
    assert people.keys.tolist() == list(dict.fromkeys(name for name in names if name))
    back = [people.keys[person] if person >= 0 else "" for person in rows.person]
    assert back == names
    chosen = random.sample(range(people.size), random.randint(0, people.size))
    few = people.take(chosen)
    for place, person in enumerate(chosen):
        one, other = few.tables["rows"], rows
        kept = [r["number"] for r in one.rows.take(one.index().rows(place)).records()]
        assert kept == [r["number"] for r in other.rows.take(other.index().rows(person)).records()]


@given(st.lists(st.integers(-1, 4), max_size=20))
def test_ragged_lists_have_each_row_once(person):
    ragged = Ragged.of(np.array(person, np.int64), 5)
    for who in range(5):
        assert ragged.rows(who).tolist() == [
            row for row, number in enumerate(person) if number == who
        ]
    assert ragged.lengths().tolist() == [person.count(who) for who in range(5)]
