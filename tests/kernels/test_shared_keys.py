"""Rows that may meet: no key of both sides is lost, and keys of one side alone are rare."""

from __future__ import annotations

import numpy as np
import pytest

from quintain.kernels.shared_keys import rows_that_may_meet


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
@pytest.mark.parametrize("sizes", [(0, 0), (0, 3), (50, 80), (5000, 4000)])
def test_every_key_of_both_sides_is_kept(kind, sizes) -> None:
    rng = np.random.default_rng(sum(sizes))
    one, other = (rng.integers(0, 2**62, size).astype(kind) for size in sizes)
    other[: len(one) // 2] = one[: len(one) // 2]
    ours, theirs = rows_that_may_meet(one, other)
    assert set(np.flatnonzero(np.isin(one, other))) <= set(ours)
    assert set(np.flatnonzero(np.isin(other, one))) <= set(theirs)
    assert len(ours) <= 0.6 * len(one)
