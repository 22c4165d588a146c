"""Dummy variables and their moments, against pandas and NumPy."""

from dataclasses import astuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import quintain as q
from quintain.data import Column, Schema, Table
from quintain.kernels.dummies import Dummy, dummies, moments, moments_after_swaps
from quintain.testing import example_table
from quintain.testing.strategies import tables

quick = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])

SCHEMA = Schema(
    columns=(
        Column(name="who", kind="id"),
        Column(name="sex", kind="category", values=("f", "m")),
        Column(name="town", kind="category", values=("A", "B", "C"), nullable=True),
        Column(name="age", kind="integer", low=17, high=90),
        Column(name="pay", kind="real", nullable=True),
        Column(name="born", kind="time"),
    )
)
TABLE = Table.of(
    SCHEMA,
    {
        "who": ["1", "2", "3", "4"],
        "sex": ["f", "m", "m", "f"],
        "town": ["A", None, "C", "A"],
        "age": [20, 30, 40, 90],
        "pay": [1.5, None, 2.5, 8.0],
        "born": ["1990-01-01", "1980-01-01", "1970-01-01", "1920-01-01"],
    },
)


def slow(table):
    """Every variable written out record by record, in a frame."""
    columns = {}
    for column in table.schema.attributes:
        cells = [record[column.name] for record in table.records()]
        if column.kind == "category":
            for value in column.values:
                columns[Dummy(column.name, value)] = [float(cell == value) for cell in cells]
        else:
            if column.kind == "time":
                cells = table.numbers(column.name).tolist()
            present = [float(cell) for cell in cells if cell is not None]
            mean = sum(present) / len(present) if present else 0.0
            columns[Dummy(column.name)] = [mean if c is None else float(c) for c in cells]
        if column.nullable:
            columns[Dummy(column.name, "")] = [float(cell is None) for cell in cells]
    return pd.DataFrame(columns.values(), index=list(columns)).T


def test_the_variables_are_those_of_the_schema_without_ids():
    assert dummies(SCHEMA) == [
        *(Dummy("sex", "f"), Dummy("sex", "m")),
        *(Dummy("town", "A"), Dummy("town", "B"), Dummy("town", "C"), Dummy("town", "")),
        *(Dummy("age"), Dummy("pay"), Dummy("pay", ""), Dummy("born")),
    ]


def test_moments_are_those_of_the_written_out_variables():
    result, frame = moments(TABLE), slow(TABLE)
    assert result.rows == 4
    np.testing.assert_allclose(result.mean, frame.mean().to_numpy())
    np.testing.assert_allclose(result.covariance, np.cov(frame.to_numpy().T), rtol=1e-9, atol=1e-9)
    assert result.constant.tolist() == [len(set(frame[d])) == 1 for d in frame]


@quick
@given(tables(discrete=True, min_rows=2))
def test_moments_of_discrete_tables(table):
    result, frame = moments(table), slow(table)
    assert list(frame) == dummies(table.schema)
    np.testing.assert_allclose(result.mean, frame.mean().to_numpy(), atol=1e-9)
    expected = np.atleast_2d(np.cov(frame.to_numpy().T))
    np.testing.assert_allclose(result.covariance, expected, rtol=1e-7, atol=1e-8)


@quick
@given(tables(min_rows=2))
def test_the_order_of_the_rows_does_not_change_the_last_bit(table):
    if not table.schema.attributes:
        return
    turned = table.take(np.random.default_rng(0).permutation(len(table)))
    with np.errstate(over="ignore", invalid="ignore"):
        assert np.array_equal(moments(table).covariance, moments(turned).covariance, equal_nan=True)


def test_correlations_are_those_of_numpy_and_undefined_for_constants():
    table = example_table(rows=300)
    result, frame = moments(table).correlation(), slow(table)
    with np.errstate(invalid="ignore"):
        expected = np.corrcoef(frame.to_numpy().T)
    np.testing.assert_allclose(result, expected, atol=1e-12)
    assert np.isnan(result[3]).all(), "nobody has the colour that is never seen"


def test_one_row_has_no_covariance():
    with pytest.raises(ValueError, match="at least two rows"):
        moments(TABLE.take([0]))


def test_too_many_categories_are_refused_before_any_matrix_is_made():
    values = tuple(str(number) for number in range(20_001))
    schema = Schema(columns=(Column(name="town", kind="category", values=values),))
    words = "pairs of 20001 dummy variables; the limit is 20000: group the 20001 values of 'town'"
    for name in ("attack/tracing", "correlation", "covariance"):
        assert words in q.part(name).refusal(schema)


@quick
@given(st.booleans().flatmap(lambda whole: tables(discrete=whole, min_rows=2)), st.integers(0, 99))
def test_after_swaps_in_a_column_the_moments_are_those_of_the_table(table, seed):
    columns = table.schema.attributes
    if not columns:
        return
    rng = np.random.default_rng(seed)
    name = columns[seed % len(columns)].name
    swapped = table.replace({name: table.columns[name][rng.permutation(len(table))]})
    with np.errstate(over="ignore", invalid="ignore"):
        found, expected = moments_after_swaps(moments(table), swapped, name), moments(swapped)
    for one, other in zip(astuple(found), astuple(expected), strict=True):
        np.testing.assert_array_equal(one, other)
