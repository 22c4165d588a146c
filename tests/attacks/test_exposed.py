"""Exposed records: who stands out, beside a plain computation over all pairs."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.attacks import exposed
from quintain.attacks.exposed import isolation, most_exposed
from quintain.data import Column, Schema, Table

SCHEMA = Schema(
    columns=(
        Column(name='a "quoted" name', kind="category", values=("x", 'y "z"'), nullable=True),
        Column(name="age", kind="integer", low=0, high=10),
        Column(name="wage", kind="real", nullable=True),
        Column(name="same", kind="real"),
    )
)
CELLS = st.tuples(
    st.sampled_from([None, "x", 'y "z"']),
    st.integers(0, 10),
    st.sampled_from([None, 0.0, 2.5, 10.0]),
    st.just(7.0),
)


def table_of(rows):
    return Table.of(SCHEMA, dict(zip(SCHEMA.names, zip(*rows, strict=True), strict=True)))


def plain_distance(one, other, width):
    """Gower's distance of two records, cell by cell."""
    category = float(one[0] != other[0])
    age = abs(one[1] - other[1]) / 10
    if one[2] is None or other[2] is None:
        wage = float(one[2] is not other[2])
    else:
        wage = abs(one[2] - other[2]) / width if width else 0.0
    return (category + age + wage) / 4


@settings(max_examples=60, deadline=None)
@given(st.lists(CELLS, min_size=2, max_size=12), st.integers(1, 5))
def test_isolation_is_the_mean_over_the_nearest_others(rows, neighbours):
    wages = [row[2] for row in rows if row[2] is not None]
    width = max(wages) - min(wages) if wages else 0.0
    expected = []
    for i, one in enumerate(rows):
        away = sorted(plain_distance(one, rows[j], width) for j in range(len(rows)) if j != i)
        expected.append(np.mean(away[:neighbours]))
    got = isolation(table_of(rows), neighbours=neighbours)
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_the_loner_comes_first_and_copies_come_last():
    rows = [("x", 1, 1.0, 7.0)] * 8 + [("x", 2, 1.0, 7.0)] + [('y "z"', 10, None, 7.0)]
    assert most_exposed(table_of(rows), 3, neighbours=2).tolist() == [9, 8, 0]
    assert most_exposed(table_of(rows), 0).tolist() == []
    assert len(most_exposed(table_of(rows), 99)) == 10


def test_one_record_and_no_record_are_no_error():
    assert most_exposed(table_of([("x", 1, 1.0, 7.0)]), 5).tolist() == [0]


def test_in_a_large_table_the_rare_ones_are_still_found(monkeypatch):
    rng = np.random.default_rng(0)
    rows = [("x", int(rng.integers(0, 5)), 1.0, 7.0) for _ in range(500)]
    rows[123] = ('y "z"', 10, None, 7.0)
    rows[321] = ("x", 9, 10.0, 7.0)
    every = most_exposed(table_of(rows), 2)
    monkeypatch.setattr(exposed, "_WORK", 20 * 500 * 4)
    assert most_exposed(table_of(rows), 2).tolist() == every.tolist() == [123, 321]
