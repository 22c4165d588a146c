"""Noise addition: how far numbers move, and where they stop."""

import numpy as np
import pytest
from scipy.stats import chisquare

from quintain.data import Column, Schema, Table
from quintain.errors import PartError, Rejected
from tests.sanitizers.masking.masking_cases import masked, persons

WIDE = Schema(
    columns=(
        Column(name="id", kind="integer", low=0, high=99_999),
        Column(name="x", kind="integer", low=0, high=2000),
        Column(name="open", kind="integer", low=-5),
    )
)


def flat(rows=20_000):
    values = {"id": np.arange(rows), "x": np.full(rows, 1000), "open": np.full(rows, 3)}
    return Table(WIDE, values)


def moves(**parameters):
    after, _ = masked("integer-noise", flat(), columns=["x"], **parameters)
    return after.columns["x"].astype(int) - 1000


def test_laplace_noise_has_its_distribution():
    # P(0) = (1 - q) / (1 + q) with q = exp(-1 / scale), and q times less for each step.
    moved, q = moves(scale=2.0), np.exp(-1 / 2.0)
    steps = np.arange(-5, 6)
    expected = (1 - q) / (1 + q) * q ** np.abs(steps)
    counts = np.array([(moved == step).sum() for step in steps])
    rest = len(moved) - counts.sum(), len(moved) * (1 - expected.sum())
    assert chisquare([*counts, rest[0]], [*(expected * len(moved)), rest[1]]).pvalue > 1e-4


def test_gaussian_noise_has_its_width():
    moved = moves(scale=10.0, distribution="gaussian")
    assert abs(moved.mean()) < 0.4
    assert moved.std() == pytest.approx(10.0, rel=0.03)


def test_uniform_noise_reaches_its_ends_and_no_further():
    moved = moves(scale=3, distribution="uniform")
    assert chisquare(np.bincount(moved + 3, minlength=7)).pvalue > 1e-4


def test_numbers_stay_in_the_domain_and_missing_ones_stay_missing():
    data = persons()
    after, release = masked("integer-noise", data, columns=["age", "left"], scale=30)
    for name, top in (("age", 73), ("left", 9)):
        known = data.columns[name] >= 0
        values = after.columns[name]
        assert (values[~known] == -1).all()
        assert values[known].min() == 0
        assert values[known].max() == top
    differs = [after.columns[n] != data.columns[n] for n in ("age", "left")]
    assert release.methods[0].rows == (differs[0] | differs[1]).sum()
    assert release.claim is None


def test_a_number_with_one_bound_is_clipped_there_only():
    after, _ = masked("integer-noise", flat(), columns=["open"], scale=50)
    assert after.numbers("open").min() == -5
    assert after.numbers("open").max() > 100


def test_categories_get_no_noise():
    with pytest.raises(PartError, match="needs an integer; 'town' has none"):
        masked("integer-noise", persons(), columns=["town"])


def test_a_uniform_scale_that_is_no_whole_number_is_refused():
    with pytest.raises(Rejected, match=r"must be a whole number, not 1\.5"):
        masked("integer-noise", persons(), distribution="uniform", scale=1.5)
