"""Cells: combinations of very many values still have numbers of their own."""

import numpy as np

from quintain.attacks.membership.tree_ratio import mutual_information
from quintain.data import Column, Schema, Table
from quintain.kernels.cells import cell_counts, cell_keys

WIDE = Schema(columns=tuple(Column(name=n, kind="integer", low=0, high=9_999_999) for n in "abcde"))


def test_rows_that_agree_have_equal_keys_even_if_combinations_cannot_be_numbered():
    rng = np.random.default_rng(0)
    table = Table(WIDE, {name: rng.integers(0, 10**7, 500) for name in WIDE.names})
    again = table.take(np.r_[np.arange(500), 3, 3])
    assert len(np.unique(cell_keys(again, WIDE.names))) == 500
    assert cell_counts(again, WIDE.names, table.take([3, 4])).tolist() == [3, 1]


def test_the_information_of_big_columns_needs_no_table_of_all_pairs():
    # Both columns have the same two values in the same rows: the entropy of a fair coin.
    twins = np.array([5, 9_999_999] * 50)
    table = Table(WIDE, dict.fromkeys(WIDE.names, twins))
    assert np.isclose(mutual_information(table, "a", "b"), np.log(2))
