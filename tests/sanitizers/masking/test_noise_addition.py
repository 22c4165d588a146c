"""Noise addition: the noise has the stated spread and correlations, and stays in bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data.codec import missing_cells
from quintain.errors import PartError, Rejected
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.sanitizers.masking.mask import numeric
from quintain.sanitizers.masking.noise_addition import NoiseAddition
from quintain.testing.strategies import tables
from tests.sanitizers.masking.masking_cases import masked, persons


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
def test_the_noise_has_the_stated_standard_deviation_and_shape(distribution):
    data = persons(20_000)
    after, release = masked(
        "noise-addition", data, columns=["weight"], share=0.5, distribution=distribution
    )
    added = after.columns["weight"] - data.columns["weight"]
    spread = data.columns["weight"].std()
    assert added.std() == pytest.approx(0.5 * spread, rel=0.03)
    assert added.mean() == pytest.approx(0, abs=3 * 0.5 * spread / np.sqrt(20_000))
    # The mean of |x| is sqrt(2 / pi) standard deviations if Gaussian, sqrt(1 / 2) if Laplace.
    expected = {"gaussian": np.sqrt(2 / np.pi), "laplace": np.sqrt(0.5)}[distribution]
    assert np.abs(added).mean() / added.std() == pytest.approx(expected, rel=0.02)
    assert release.claim is None


def test_correlated_noise_keeps_the_correlation_and_independent_noise_does_not():
    data = persons(20_000)
    data = data.replace({"weight": 2.0 * data.columns["age"] + data.columns["weight"]})
    before = np.corrcoef(data.numbers("age"), data.columns["weight"])[0, 1]
    released = []
    for together in (True, False):
        after, _ = masked(
            "noise-addition", data, columns=["weight", "age"], share=0.3, together=together
        )
        inner = (after.numbers("age") > 17) & (after.numbers("age") < 90)  # the others are clipped
        old = np.corrcoef(data.numbers("age")[inner], data.columns["weight"][inner])[0, 1]
        new = np.corrcoef(after.numbers("age")[inner], after.columns["weight"][inner])[0, 1]
        released.append(new - old)
    assert before > 0.9
    assert abs(released[0]) < 0.02
    assert released[1] < -0.05


@pytest.mark.slow
@given(
    tables(min_rows=1),
    st.sampled_from([{}, {"distribution": "laplace"}, {"together": True}]),
    st.floats(0.01, 10),
)
def test_numbers_stay_in_their_bounds_and_missing_cells_stay_missing(table, kind, share):
    names = tuple(column.name for column in table.schema.columns if numeric(column))
    if not names:
        return
    part = NoiseAddition(share=share, **kind)
    rng, noise = np.random.default_rng(0), Noise.for_test(1)
    try:
        moved = part.mask(table, names, rng=rng, noise=noise)
    except PartError as error:
        assert "there is no covariance" in str(error)
        return
    for name in names:
        column, after = table.schema[name], table.replace(moved).numbers(name)
        gaps = missing_cells(column, table.columns[name])
        np.testing.assert_array_equal(np.isnan(after), gaps)
        low = -np.inf if column.low is None else column.low
        high = np.inf if column.high is None else column.high
        assert ((after >= low) & (after <= high) & np.isfinite(after) | gaps).all()


def test_columns_together_need_gaussian_noise():
    with pytest.raises(Rejected, match="noise for all columns together must be gaussian"):
        build("sanitizer", {"use": "noise-addition", "together": True, "distribution": "laplace"})
