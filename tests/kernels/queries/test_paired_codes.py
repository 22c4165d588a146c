"""Counting by pairs of columns gives what counting column by column gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.kernels.pair_tables import AgreementLookup, Pairing, agreement_counts


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(0, 40), st.integers(1, 25))
def test_lookups_equal_comparisons(seed, width, rows, targets):
    rng = np.random.default_rng(seed)
    sizes = tuple(rng.integers(1, 120, width).tolist())
    columns = [rng.integers(0, size, rows).astype(np.uint8) for size in sizes]
    wanted = [rng.integers(0, size, targets).astype(np.uint8) for size in sizes]
    pairing = Pairing(sizes)
    keys = pairing.keys(columns)
    counted = AgreementLookup.of(pairing, wanted).counts(keys)
    assert counted.tolist() == agreement_counts(columns, wanted).tolist()
    for values, size, counts in zip(columns, sizes, pairing.value_counts(keys), strict=True):
        assert counts.tolist() == np.bincount(values, minlength=size).tolist()


def test_columns_with_too_many_pairs_of_values_are_refused():
    with pytest.raises(ValueError, match="65536 pairs of values or more"):
        Pairing((256, 256))
