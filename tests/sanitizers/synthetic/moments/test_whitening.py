"""Linear maps between covariances: exact, and with directions that do not depend on a library."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.sanitizers.synthetic.moments import colouring, principal_axes

SEEDS = st.integers(0, 10**6)


def covariance(size, rank, seed):
    factors = np.random.default_rng(seed).normal(size=(size, rank))
    return factors @ factors.T


@pytest.mark.parametrize("variant", ["svd", "zca"])
@given(size=st.integers(1, 8), seed=SEEDS)
def test_one_covariance_becomes_the_other(variant, size, seed):
    start, target = covariance(size, size + 3, seed), covariance(size, size + 3, seed + 1)
    mapping = colouring(start, target, variant)
    assert mapping @ start @ mapping.T == pytest.approx(target, abs=1e-8)


@given(size=st.integers(2, 8), seed=SEEDS, data=st.data())
def test_axes_of_fewer_dimensions_are_reached_from_more(size, seed, data):
    rank = data.draw(st.integers(1, size))
    start, target = covariance(size, size + 3, seed), covariance(size, rank, seed + 1)
    for variant in ("svd", "zca"):
        mapping = colouring(start, target, variant)
        assert mapping @ start @ mapping.T == pytest.approx(target, abs=1e-8)


def test_no_variance_gives_no_variance():
    assert (colouring(np.zeros((2, 2)), np.eye(2), "svd") == 0).all()
    assert (colouring(np.eye(2), np.zeros((2, 2)), "zca") == 0).all()


def test_zca_leaves_data_that_need_no_change():
    start = covariance(5, 9, 0)
    assert colouring(start, start, "zca") == pytest.approx(np.eye(5), abs=1e-9)


@given(size=st.integers(1, 8), seed=SEEDS)
def test_axes_point_where_their_largest_component_is_positive(size, seed):
    matrix = covariance(size, size + 3, seed)
    variances, axes = principal_axes(matrix)
    assert (np.diff(variances) <= 0).all()
    assert (axes * variances) @ axes.T == pytest.approx(matrix, abs=1e-8)
    for axis in axes.T:
        size_of = [round(abs(component), 9) for component in axis]
        assert axis[size_of.index(max(size_of))] > 0


def test_the_direction_a_library_gives_does_not_matter(monkeypatch):
    matrix = covariance(6, 9, 3)
    plain = principal_axes(matrix)
    eigh = np.linalg.eigh
    monkeypatch.setattr(
        np.linalg, "eigh", lambda m: (eigh(m)[0], eigh(m)[1] * [-1, 1, 1, -1, -1, 1])
    )
    flipped = principal_axes(matrix)
    assert (plain[1] == flipped[1]).all()
