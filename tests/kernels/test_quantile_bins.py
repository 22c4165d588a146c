"""Quantile bins: quantiles of one table, common values alone, missing values apart."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.kernels.value_classes import QuantileBins
from quintain.testing import example_table

REAL = Schema(columns=(Column(name="x", kind="real", nullable=True),))


def table(values) -> Table:
    """A table of one real column."""
    return Table(REAL, {"x": np.array(values, float)})


def test_a_table_with_finite_domains_is_its_own_result():
    people = example_table()
    assert QuantileBins.of(people, 10).encode(people) is people


def test_ten_numbers_fall_into_five_bins_of_two():
    bins = QuantileBins.of(table(range(10)), 5)
    assert bins.encode(table(range(10))).columns["x"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert bins.encode(table([-7, 99, np.nan])).columns["x"].tolist() == [0, 4, -1]


def test_a_value_that_fills_a_bin_is_alone_in_it():
    gains = [0.0] * 80 + list(range(1, 21))
    bins = QuantileBins.of(table(gains), 10)
    codes = bins.encode(table(gains)).columns["x"]
    assert len(set(codes[:80])) == 1 and codes[0] not in codes[80:]


def test_a_column_without_any_value_has_one_bin():
    assert QuantileBins.of(table([np.nan] * 3), 10).coded["x"].size == 1


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), st.integers(1, 30))
def test_codes_are_in_the_order_of_the_values(values, count):
    bins = QuantileBins.of(table(values), count)
    codes = bins.encode(table(sorted(values))).columns["x"]
    assert (np.diff(codes) >= 0).all()
    assert codes.min() >= 0 and codes.max() < bins.coded["x"].size <= 2 * count
