"""Distances between series: blocks of products against plain differences."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from quintain.data import Column, Schema, Series
from quintain.kernels import series as fast
from quintain.kernels.series import PreparedSeries, prepare


def stays(persons: int, seed: int, features: int = 4) -> PreparedSeries:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 9, persons)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    values = rng.normal(size=(int(offsets[-1]), 1 + features))
    values[:, 0] = np.arange(len(values)) * 1000.0
    names = [Column(name="stay", kind="id", role="person")]
    names += [Column(name=f"c{j}", kind="real", nullable=True) for j in range(1 + features)]
    schema = Schema(shape="series", columns=tuple(names))
    return prepare(Series(schema, np.arange(persons), offsets, values), 8)


def slow(queries: PreparedSeries, base: PreparedSeries, use: str) -> np.ndarray:
    columns = {"all": slice(None), "time": slice(0, 1), "features": slice(1, None)}[use]
    flat = [side.padded()[:, :, columns].reshape(len(side), -1) for side in (queries, base)]
    return cdist(*flat, "sqeuclidean")


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks so small that there are several of both kinds."""
    monkeypatch.setattr(fast, "QUERIES", 7)
    monkeypatch.setattr(fast, "BASE", 11)


@pytest.mark.parametrize("use", ["all", "time", "features"])
def test_nearest_agrees_with_plain_differences(use, small_blocks):
    queries, base = stays(40, seed=1), stays(25, seed=2)
    plain = slow(queries, base, use)
    squares, closest = fast.nearest(fast.cloud(queries, use), fast.cloud(base, use))
    np.testing.assert_allclose(squares, plain.min(axis=1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        plain[np.arange(40), closest], plain.min(axis=1), rtol=1e-4, atol=1e-4
    )
    matrix = fast.all_distances(fast.cloud(queries, use), fast.cloud(base, use))
    np.testing.assert_allclose(matrix, plain, rtol=1e-5, atol=1e-4)


def test_copies_are_at_distance_zero_whatever_the_unit_of_time(small_blocks):
    queries = stays(40, seed=1)
    squares, closest = fast.nearest(fast.cloud(queries), fast.cloud(queries))
    assert (squares == 0).all()
    assert closest.tolist() == list(range(40))


def test_a_point_is_not_its_own_neighbour(small_blocks):
    queries = stays(30, seed=3)
    plain = slow(queries, queries, "features")
    np.fill_diagonal(plain, np.inf)
    squares, _ = fast.nearest(*[fast.cloud(queries, "features")] * 2, others=True)
    np.testing.assert_allclose(squares, plain.min(axis=1), rtol=1e-5, atol=1e-6)


def test_an_empty_base_is_infinitely_far():
    two, none = fast.points(np.zeros((2, 3))), fast.points(np.zeros((0, 3)))
    assert fast.nearest(two, none)[0].tolist() == [np.inf, np.inf]
