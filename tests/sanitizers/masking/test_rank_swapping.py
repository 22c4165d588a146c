"""Rank swapping: a column keeps its values, and no value moves further than the window."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from quintain.data.codec import missing_cells
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.sanitizers.masking.mask import has_order
from quintain.sanitizers.masking.swapping import RankSwapping, close_pairs
from quintain.testing.strategies import tables
from tests.sanitizers.masking.masking_cases import counts, masked, persons


@given(st.integers(0, 60), st.integers(1, 20), st.integers(0, 99))
def test_pairs_are_disjoint_close_and_as_many_as_possible(size, window, seed):
    first, second = close_pairs(size, window, Noise.for_test(seed))
    everyone = [*first.tolist(), *second.tolist()]
    assert len(set(everyone)) == len(everyone)
    assert ((second > first) & (second - first <= window)).all()
    alone = np.setdiff1d(np.arange(size), everyone)
    assert (np.diff(alone) > window).all()  # no two that are left could still be a pair


@pytest.mark.slow
@given(tables(min_rows=1), st.floats(0.01, 1), st.integers(0, 9))
def test_every_column_keeps_its_values_and_missing_cells_stay_in_place(table, window, seed):
    names = tuple(column.name for column in table.schema.columns if has_order(column))
    if not names:
        return
    part = RankSwapping(window=window)
    moved = part.mask(table, names, rng=np.random.default_rng(0), noise=Noise.for_test(seed))
    for name in names:
        column, before = table.schema[name], table.columns[name]
        np.testing.assert_array_equal(np.sort(before), np.sort(moved[name]))
        np.testing.assert_array_equal(
            missing_cells(column, before), missing_cells(column, moved[name])
        )


def test_a_rank_changes_by_at_most_the_window_and_most_of_them_change():
    data = persons(2000)
    after, _ = masked("rank-swapping", data, columns=["weight"], window=0.05)
    rank = rankdata(data.columns["weight"])
    place = dict(zip(data.columns["weight"].tolist(), rank.tolist(), strict=True))
    moved = np.abs([place[weight] for weight in after.columns["weight"].tolist()] - rank)
    assert moved.max() <= 100
    assert moved.max() > 90  # the whole window is used, also across every border of blocks
    assert (moved > 0).mean() > 0.99
    assert counts(after, "weight") == counts(data, "weight")


def test_a_column_without_an_order_gets_a_sentence():
    with pytest.raises(PartError, match="needs a number, a time or an ordered category; 'town'"):
        masked("rank-swapping", persons(), columns=["town"])
