"""Aggregates: the fast ones are those of a plain loop over people."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.data.people import People
from quintain.kernels.aggregates import MOST, aggregate

SCHEMA = Schema(
    columns=(
        Column(name="ward", kind="category", values=("a", "b", "c"), nullable=True),
        Column(name="dose", kind="real", nullable=True),
        Column(name="day", kind="time"),
    )
)


def plain_row(rows):
    """The aggregates of one person, from records in order of time."""
    wards = [row["ward"] for row in rows if row["ward"] is not None]
    doses = [row["dose"] for row in rows if row["dose"] is not None]
    common = max(sorted(set(wards)), key=wards.count) if wards else None
    return {
        "number of rows": len(rows),
        "different ward": len(set(wards)),
        "most frequent ward": common,
        "mean of dose": np.mean(doses) if doses else None,
        "smallest dose": min(doses) if doses else None,
        "largest dose": max(doses) if doses else None,
        "spread of dose": np.std(doses) if doses else None,
        "last dose": doses[-1] if doses else None,
    }


CELLS = st.tuples(
    st.integers(0, 3),
    st.sampled_from([None, "a", "b", "c"]),
    st.sampled_from([None, 1.5, 2.0, -4.0]),
)


@pytest.mark.slow
@given(st.lists(CELLS, min_size=1, max_size=15), st.randoms())
def test_aggregates_are_those_of_a_loop(cells, random):
    days = random.sample(range(100), len(cells))
    table = Table.of(
        SCHEMA,
        {
            "ward": [ward for _, ward, _ in cells],
            "dose": [dose for _, _, dose in cells],
            "day": [f"2011-{1 + day // 28:02}-{1 + day % 28:02}" for day in days],
        },
    )
    person = np.array([who for who, _, _ in cells])
    (fast,) = aggregate(People.of_rows(table, person, 4))
    records, order = table.records(), np.argsort(days)
    for who, made in enumerate(fast.records()):
        slow = plain_row([records[i] for i in order if person[i] == who])
        for name, value in slow.items():
            assert made[name] == pytest.approx(value), name


def test_both_sides_have_the_same_columns_and_not_too_many():
    columns = tuple(Column(name=f"n{i}", kind="real") for i in range(20))
    table = Table(Schema(columns=columns), {c.name: np.arange(4.0) for c in columns})
    people = People.of_rows(table, np.array([0, 0, 1, 1]), 2)
    one, other = aggregate(people, people.take([1]))
    assert one.schema == other.schema and len(one.schema.names) == MOST
    assert (len(one), len(other)) == (2, 1)
