"""Numbers of values and rows: looked up or sorted, they agree with NumPy's sorting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data.arrays import Array, number_rows, number_values, occurrences


def reference(columns: list[Array], rows: int) -> Array:
    """Number the rows by one column after the other, and sort every time."""
    keys = np.zeros(rows, np.int64)
    for column in columns:
        codes = np.unique(column, return_inverse=True)[1]
        both = keys * (codes.max(initial=0) + 1) + codes
        keys = np.unique(both, return_inverse=True)[1]
    return keys


def column(rng: np.random.Generator, rows: int, kind: str) -> Array:
    values = rng.integers(-1, rng.integers(1, 40), rows)
    if kind == "real":
        return np.where(values < 0, np.nan, values / 3)
    if kind == "far apart":
        return values * 2**40
    return values.astype(kind)


kinds = st.lists(st.sampled_from(["int8", "int32", "int64", "str", "real", "far apart"]))


@given(kinds, st.integers(0, 60), st.integers(0, 2**32))
def test_rows_are_numbered_in_their_order(kinds: list[str], rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = [column(rng, rows, kind) for kind in kinds]
    np.testing.assert_array_equal(number_rows(columns, rows), reference(columns, rows))


@given(kinds, st.integers(0, 60), st.integers(0, 2**32))
def test_values_are_numbered_and_counted(kinds: list[str], rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for values in (column(rng, rows, kind) for kind in kinds):
        _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
        np.testing.assert_array_equal(number_values(values), places)
        np.testing.assert_array_equal(occurrences(values), counts)


@pytest.mark.parametrize("low", [-(2**63), 2**63 - 5])
def test_numbers_at_the_ends_of_what_an_integer_holds(low: int) -> None:
    values = low + np.array([3, 0, 4, 0])
    assert number_values(values).tolist() == [1, 0, 2, 0]
    assert occurrences(values).tolist() == [2, 1, 1]
    both = np.append(values, 0)
    np.testing.assert_array_equal(number_values(both), np.unique(both, return_inverse=True)[1])
