"""Ranks with ties, against SciPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from quintain.kernels.ranks import average_ranks


@settings(deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30))
def test_tied_ranks_are_those_of_scipy(values):
    assert average_ranks(values).tolist() == rankdata(values, method="average").tolist()


@settings(deadline=None)
@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=30))
def test_ranks_of_reals_are_those_of_scipy(values):
    assert average_ranks(values).tolist() == rankdata(values, method="average").tolist()


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), max_size=30))
def test_ranks_add_up_whatever_is_tied(values):
    assert average_ranks(values).sum() == len(values) * (len(values) + 1) / 2


@pytest.mark.parametrize("values", [[], [5], [5, 5]])
def test_few_values_have_ranks(values):
    expected = {0: [], 1: [1.0], 2: [1.5, 1.5]}[len(values)]
    assert average_ranks(np.array(values, float)).tolist() == expected
