"""Fitting records: the search finds what comparing every record with every condition finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from quintain.data import Column, Schema, Table
from quintain.guesses import Condition, Conditions, Guess, Truth
from quintain.guesses.predicates import fitting_records, predicate_table
from quintain.measures import Case
from quintain.measures.privacy.isolation import isolations

SCHEMA = Schema(
    columns=(
        Column(name="colour", kind="category", values=("red", "o'hara", '"x"', "é")),
        Column(name="grade", kind="category", values=("a", "b", "c"), ordered=True, nullable=True),
        Column(name="age", kind="integer", low=-3, high=3, nullable=True, missing="?"),
        Column(name="steps", kind="integer"),
        Column(name="wage", kind="real", nullable=True),
        Column(name="day", kind="time", nullable=True),
    )
)
VALUES = {
    "colour": ["red", "o'hara", '"x"', "é"],
    "grade": ["a", "b", "c", None],
    "age": [-3, -1, 0, 2, 3, None],
    "steps": [-1, 0, 7, 1000],
    "wage": [-1.5, 0.0, 2.25, 1e9, None],
    "day": ["2020-01-01", "2021-05-05", None],
}
ENDS = {
    "colour": ["red", "o'hara", '"x"', "é", "unknown", ""],
    "grade": ["a", "b", "c", "", "z"],
    "age": ["-3", "-1", "0", "2", "?", "", "99", "x"],
    "steps": ["-1", "0", "8", "", "x"],
    "wage": ["-1.5", "0.0", "3", "", "nan"],
    "day": ["2020-01-01", "2022-01-01", "", "x"],
}


@st.composite
def conditions(draw: st.DrawFn) -> list[Condition]:
    names = draw(st.lists(st.sampled_from(SCHEMA.names), min_size=1, max_size=4, unique=True))
    ends = [(draw(st.sampled_from(ENDS[n])), draw(st.sampled_from(ENDS[n]))) for n in names]
    return [Condition(name, low, high) for name, (low, high) in zip(names, ends, strict=True)]


def people(rows: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    draws = {name: rng.integers(len(values), size=rows) for name, values in VALUES.items()}
    return Table.of(SCHEMA, {n: [VALUES[n][at] for at in draws[n].tolist()] for n in SCHEMA.names})


def plain_isolations(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Every record beside every condition, members and others apart."""
    inside = case.truth.table.columns["member"] == 1
    records = case.truth.table.drop("member")
    given_ones = Conditions.of(case.guess.table, records.schema)
    isolated, matches = np.zeros(len(records), bool), []
    for number in np.unique(given_ones.predicate).tolist():
        fits = given_ones.matches(number, records)
        matches.append(int((fits & ~inside).sum()))
        if (fits & inside).sum() == 1:
            isolated |= fits & inside
    luck = hypergeom.pmf(1, int((~inside).sum()), np.array(matches), int(inside.sum()))
    return isolated, luck


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(conditions(), min_size=1, max_size=6), st.integers(0, 40), st.integers(0, 5))
def test_the_rows_are_those_of_the_plain_comparison(predicates, rows, seed) -> None:
    table = people(rows, seed)
    read = Conditions.of(predicate_table(predicates, SCHEMA), SCHEMA)
    fitting = fitting_records(read, table)
    assert len(fitting) == len(predicates)
    for number, found_rows in enumerate(fitting):
        assert found_rows.tolist() == np.flatnonzero(read.matches(number, table)).tolist()


@settings(max_examples=60, deadline=None)
@given(st.lists(conditions(), min_size=1, max_size=8), st.integers(0, 9))
def test_isolations_are_those_of_the_plain_loop(predicates, seed) -> None:
    table = people(60, seed)
    member = Column(name="member", kind="integer", low=0, high=1)
    inside = np.random.default_rng(seed).permutation(60) < (30 if seed % 2 else 20)
    truth = Table(Schema(columns=(member, *SCHEMA.columns)), {"member": inside, **table.columns})
    case = Case(Truth(truth), Guess(predicate_table(predicates, SCHEMA)))
    isolated, luck = isolations(case)
    plain_isolated, plain_luck = plain_isolations(case)
    np.testing.assert_array_equal(isolated, plain_isolated)
    np.testing.assert_array_equal(luck, plain_luck)
