"""Swapping: a column keeps its values, and a value moves only to a close rank."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.masking.swapping import Swapping
from quintain.testing.strategies import tables
from tests.sanitizers.masking.masking_cases import counts, masked, persons

COLUMNS = ["age", "grade", "town", "weight", "left"]


@pytest.mark.slow
@given(tables(min_rows=1), st.floats(0, 1), st.floats(0.01, 1), st.integers(0, 99))
def test_every_column_keeps_its_values(table, share, window, seed):
    part = Swapping(share=share, window=window)
    rng = np.random.default_rng(0)
    release = sanitize(part, table, rng=rng, noise=Noise.for_test(seed)).release
    for name in table.schema.names:
        old, new = (np.sort(t.columns[name]) for t in (table, release.data))
        np.testing.assert_array_equal(old, new)


def test_a_number_goes_no_further_than_the_window():
    data = persons(2000)
    after, _ = masked("swapping", data, columns=["weight"], window=0.05)
    rank = rankdata(data.columns["weight"])
    place = dict(zip(data.columns["weight"].tolist(), rank.tolist(), strict=True))
    moved = np.abs([place[weight] for weight in after.columns["weight"].tolist()] - rank)
    assert moved.max() < 100
    assert moved.mean() > 20
    assert (moved > 0).mean() > 0.98  # all but those left over in a stretch of odd length


def test_dependence_survives_a_narrow_window_and_not_a_wide_one():
    data = persons(5000)
    left = []
    for window in (0.02, 1.0):
        after, _ = masked("swapping", data, columns=["age"], window=window)
        left.append(np.corrcoef(after.columns["age"], after.columns["grade"])[0, 1])
    assert left[0] > 0.9
    assert abs(left[1]) < 0.05


def test_unordered_categories_are_swapped_with_anybody():
    data = persons(5000)
    after, _ = masked("swapping", data, columns=["town"])
    assert counts(after, "town") == counts(data, "town")
    together = (after.columns["town"] == 0) & (data.columns["town"] == 0)
    assert together.mean() == pytest.approx((data.columns["town"] == 0).mean() ** 2, abs=0.03)


def test_only_the_share_takes_part():
    data = persons(1000)
    after, release = masked("swapping", data, columns=["weight"], share=0.1)
    changed = int((after.columns["weight"] != data.columns["weight"]).sum())
    assert 80 <= changed <= 100
    assert release.methods[0].rows == changed
    assert release.claim is None


def test_a_swap_is_mutual():
    data = persons(300)
    after, _ = masked("swapping", data, columns=["weight"])
    where = {weight: row for row, weight in enumerate(data.columns["weight"].tolist())}
    partner = [where[weight] for weight in after.columns["weight"].tolist()]
    assert all(partner[partner[row]] == row for row in range(300))
