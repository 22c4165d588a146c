"""Cell suppression: classes of k or values of k, and as few empty cells as are needed."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.masking.cell_suppression import CellSuppression
from quintain.testing.strategies import schemas, tables

TABLES = schemas(kinds=("category", "integer", "real", "time")).flatmap(
    lambda schema: tables(schema, min_rows=1)
)


def suppressed(table, **parameters):
    part = CellSuppression(**parameters)
    result = sanitize(part, table, rng=np.random.default_rng(0), noise=Noise.for_test(1))
    return result.release, result.trace.origins


def rows(table):
    return [tuple(record.values()) for record in table.records()]


def assert_only_emptied(table, release, origins):
    """Every cell is the one of its origin, or empty in a column that may be empty."""
    old, new = rows(table), rows(release)
    for at, cells in zip(origins, new, strict=True):
        for column, before, after in zip(table.schema.columns, old[at], cells, strict=True):
            assert after == before or (after is None and column.nullable)


@pytest.mark.slow
@given(TABLES, st.integers(1, 4))
def test_every_class_has_k_records_and_cells_are_true_or_empty(table, k):
    try:
        release, origins = suppressed(table, k=k)
    except PartError as error:
        assert "would leave nothing" in str(error)
        return
    assert all(count >= k for count in Counter(rows(release.data)).values())
    assert_only_emptied(table, release.data, origins)


@pytest.mark.slow
@given(TABLES, st.integers(1, 4))
def test_values_of_fewer_than_k_records_are_emptied_and_no_others(table, k):
    release, origins = suppressed(table, k=k, target="values")
    assert sorted(origins.tolist()) == list(range(len(table)))
    assert_only_emptied(table, release.data, origins)
    before = {name: Counter(r[name] for r in table.records()) for name in table.schema.names}
    for at, record in zip(origins, release.data.records(), strict=True):
        for name, value in record.items():
            old = table.take([at]).records()[0][name]
            rare = before[name][old] < k and table.schema[name].nullable
            assert value == (None if rare else old)


def test_a_table_that_is_k_anonymous_stays_as_it_is():
    schema = Schema(columns=(Column(name="x", kind="real", nullable=True),))
    table = Table.of(schema, {"x": [1.5, 1.5, None, None]})
    release, _ = suppressed(table, k=2)
    assert rows(release.data) == [(1.5,), (1.5,), (None,), (None,)]
    assert release.methods[0].detail == "0 cells emptied, for at least 2 records in every class"


def test_the_column_is_emptied_that_saves_most_records():
    columns = tuple(Column(name=n, kind="category", values=tuple("abcd"), nullable=True)
                    for n in ("one", "two"))  # fmt: skip
    cells = {"one": ["a", "a", "a", "b"], "two": ["a", "b", "c", "d"]}
    release, _ = suppressed(Table.of(Schema(columns=columns), cells), k=3)
    # Without "two" the first three are a class of 3; the last is alone even with empty cells.
    assert rows(release.data) == [("a", None)] * 3
    assert [method.rows for method in release.methods] == [3, 1]


def test_records_are_deleted_where_no_column_may_be_empty():
    schema = Schema(columns=(Column(name="x", kind="integer", low=0, high=9),))
    release, origins = suppressed(Table.of(schema, {"x": [1, 1, 2]}), k=2)
    assert rows(release.data) == [(1,), (1,)]
    assert origins.tolist() == [0, 1]
