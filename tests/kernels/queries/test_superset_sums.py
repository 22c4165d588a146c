"""All 2**d queries about a target equal what counting one query after the other gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.kernels.pair_tables import agreement_counts, set_sizes, superset_sums


def counted_directly(columns, target):
    """One query at a time: the records that agree with the target in all its columns."""
    out = []
    for number in range(1 << len(columns)):
        agrees = np.ones(len(columns[0]), bool)
        for j, values in enumerate(columns):
            if number >> j & 1:
                agrees &= values == target[j]
        out.append(int(agrees.sum()))
    return out


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 40))
def test_superset_sums_equal_direct_counts(seed, width, rows):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(-1, 3, rows) for _ in range(width)]
    targets = [rng.integers(-1, 3, 3) for _ in range(width)]
    sums = superset_sums(agreement_counts(columns, targets))
    for t in range(3):
        assert sums[t].tolist() == counted_directly(columns, [values[t] for values in targets])


def test_every_record_agrees_in_no_column_at_all_and_sets_know_their_size():
    columns = [np.arange(10)] * 4
    sums = superset_sums(agreement_counts(columns, [np.array([3])] * 4))
    assert sums[0, 0] == 10 and sums[0, 1:].tolist() == [1] * 15
    assert set_sizes(4).tolist() == [bin(number).count("1") for number in range(16)]


def test_too_many_columns_are_refused():
    with pytest.raises(ValueError, match="the limit is 16"):
        agreement_counts([np.zeros(1)] * 17, [np.zeros(1)] * 17)
