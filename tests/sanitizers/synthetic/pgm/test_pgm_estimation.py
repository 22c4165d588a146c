"""Graphical models from noisy marginals, compared with joint tables computed in full."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from quintain.sanitizers.synthetic.pgm import (
    Domain,
    Measurement,
    estimate,
    estimate_total,
    nearest_counts,
)
from quintain.sanitizers.synthetic.pgm.measurement import fuse
from quintain.sanitizers.synthetic.pgm.minimise import minimise
from quintain.sanitizers.synthetic.pgm.reconcile import reconcile
from tests.sanitizers.synthetic.pgm.pgm_cases import QUICK, SEEDS, domains, joint_of, shapes, summed


@st.composite
def forests(draw):
    """Draw a domain, with all its columns and pairs that form no cycle."""
    domain = draw(domains(max_columns=6))
    pairs = []
    for place, name in enumerate(domain.names[1:], start=1):
        if draw(st.booleans()) or place == 1:
            pairs.append((domain.names[draw(st.integers(0, place - 1))], name))
    return domain, [*((name,) for name in domain.names), *pairs]


def random_joint(domain, seed, zeros=False):
    rng = np.random.default_rng(seed)
    joint = rng.gamma(0.5, size=domain.sizes) + 0.01
    if zeros:
        joint *= rng.random(domain.sizes) < 0.7
        joint.flat[0] += 0.1
    return 1000 * joint / joint.sum()


def exact(joint, domain, cliques, variance=1.0):
    return [Measurement.of(c, summed(joint, domain, c), variance) for c in cliques]


def noisy(domain, cliques, seed):
    """Compute marginals of a random joint table, with noise of different strengths."""
    rng = np.random.default_rng(seed)
    joint = random_joint(domain, seed)
    out = []
    for c in cliques:
        sigma = rng.uniform(5, 40)
        counts = summed(joint, domain, c)
        out.append(Measurement.of(c, counts + rng.normal(0, sigma, counts.shape), sigma**2))
    return out


def loss(tables, measured):
    return sum(
        float(((table - m.counts) ** 2 / m.variance).sum()) / 2
        for table, m in zip(tables, measured, strict=True)
    )


def model_loss(model, measured):
    return loss([model.marginal(m.columns) for m in measured], measured)


def least_loss(measured, domain, total):
    """Find the smallest loss of any joint table, by non-negative least squares on all cells."""
    cells = int(np.prod(domain.sizes))
    rows, right = [1e4 * np.ones(cells) / total], [1e4]
    for m in measured:
        unit = np.eye(cells).reshape(cells, *domain.sizes)
        for cell, count, variance in zip(
            np.array([summed(u, domain, m.columns).ravel() for u in unit]).T,
            m.counts.ravel(),
            m.variance.ravel(),
            strict=True,
        ):
            rows.append(cell / np.sqrt(variance))
            right.append(count / np.sqrt(variance))
    _, distance = nnls(np.array(rows), np.array(right))
    return distance**2 / 2


# --- measurements ---------------------------------------------------------------------------------


def test_measurements_are_checked():
    with pytest.raises(ValueError, match="variance of a measurement must be a positive number"):
        Measurement.of(("a",), [1.0], 0.0)
    with pytest.raises(ValueError, match="counts of a measurement must be finite"):
        Measurement.of(("a",), [np.nan], 1.0)
    with pytest.raises(ValueError, match=r"counts of a have the shape \(2,\); the domain expects"):
        estimate([Measurement.of(("a",), [1.0, 2.0], 1.0)], Domain.of({"a": 3}))
    with pytest.raises(ValueError, match="no marginal was measured"):
        estimate_total([])


def test_repeated_measurements_are_averaged_by_precision():
    domain = Domain.of({"a": 2, "b": 1})
    one = Measurement.of(("a", "b"), [[1.0], [2.0]], 1.0)
    other = Measurement.of(("b", "a"), [[5.0, 6.0]], 3.0)
    (both,) = fuse([one, other], domain)
    # Precisions 1 and 1/3: weights 3/4 and 1/4.
    np.testing.assert_allclose(both.counts, [[2.0], [3.0]])
    np.testing.assert_allclose(both.variance, 0.75)


def test_the_total_is_averaged_by_precision_and_never_below_one():
    # Sums 90 with variance 2 and 120 with variance 4: (90/2 + 120/4) / (1/2 + 1/4) = 100.
    one = Measurement.of(("a",), [40.0, 50.0], 1.0)
    other = Measurement.of(("b",), [30.0, 30.0, 30.0, 30.0], 1.0)
    assert estimate_total([one, other]) == pytest.approx(100.0)
    assert estimate_total([Measurement.of(("a",), [-7.0], 1.0)]) == 1.0


@QUICK
@given(SEEDS)
def test_the_nearest_counts_are_the_nearest(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 8))
    counts, variance = rng.normal(3, 10, size), rng.uniform(0.5, 4, size)
    total = float(rng.uniform(1, 30))
    nearest = nearest_counts(counts, variance, total)
    assert nearest.sum() == pytest.approx(total)
    assert nearest.min() >= 0
    m = Measurement.of(("a",), counts, variance)
    best = least_loss([m], Domain.of({"a": size}), total)
    assert loss([nearest], [m]) == pytest.approx(best, rel=1e-4, abs=1e-4)


# --- estimation -----------------------------------------------------------------------------------


@QUICK
@given(SEEDS)
def test_the_minimum_of_a_quadratic_is_found(seed):
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(8, 8))
    matrix, vector = half @ half.T + np.eye(8), rng.normal(size=8)
    lowest = minimise(
        lambda x: (float(x @ matrix @ x / 2 - vector @ x), matrix @ x - vector),
        np.zeros(8),
        scale=np.diag(matrix).copy(),
        done=lambda slope: bool(np.abs(slope).max() < 1e-8),
        limit=500,
    )
    np.testing.assert_allclose(lowest, np.linalg.solve(matrix, vector), atol=1e-5)


@QUICK
@given(shapes(), SEEDS)
def test_adjusted_counts_can_replace_the_measured_ones(shape, seed):
    domain, cliques = shape
    measured = fuse(noisy(domain, cliques, seed), domain)
    agreed = reconcile(measured, domain, 1000.0, tolerance=0.1)
    gaps = []
    for number in range(3):
        joint = random_joint(domain, seed + number)
        given_, adjusted = (
            loss([summed(joint, domain, m.columns) for m in ms], ms)
            for ms in (measured, agreed.adjusted)
        )
        assert adjusted >= agreed.least - 1e-6
        gaps.append(given_ - adjusted)
    assert max(gaps) - min(gaps) <= 1e-6 * max(1.0, *np.abs(gaps))


@QUICK
@given(shapes(max_columns=4, max_size=3), SEEDS, st.booleans())
def test_no_distribution_fits_noisy_marginals_better(shape, seed, direct):
    domain, cliques = shape
    measured = noisy(domain, cliques, seed)
    model = estimate(measured, domain, total=1000.0, tolerance=1e-3, direct=direct)
    best = least_loss(measured, domain, 1000.0)
    assert model_loss(model, measured) <= best + 1e-2 + 1e-3 * best


@QUICK
@given(shapes(), SEEDS)
def test_without_noise_the_marginals_are_kept_and_nothing_else_is_assumed(shape, seed):
    domain, cliques = shape
    joint = random_joint(domain, seed)
    model = estimate(exact(joint, domain, cliques), domain, tolerance=1e-4)
    assert model.total == pytest.approx(1000.0)
    # The distribution of largest entropy with these marginals, by fitting the joint to each.
    entropic = np.full(domain.sizes, 1000.0 / domain.cells(domain.names))
    for _ in range(2000):
        before = entropic
        for clique in cliques:
            axes = tuple(a for a, name in enumerate(domain.names) if name not in clique)
            have, want = (t.sum(axis=axes, keepdims=True) for t in (entropic, joint))
            entropic = entropic * want / have
        if np.abs(entropic - before).max() < 1e-9:
            break
    np.testing.assert_allclose(joint_of(model), entropic, atol=0.1)
    np.testing.assert_allclose(model.marginal(domain.names), entropic, atol=0.1)


@QUICK
@given(shapes(max_columns=4), SEEDS)
def test_marginals_with_zeros_are_kept(shape, seed):
    domain, cliques = shape
    joint = random_joint(domain, seed, zeros=True)
    model = estimate(exact(joint, domain, cliques), domain, tolerance=1e-2)
    for clique in cliques:
        np.testing.assert_allclose(model.marginal(clique), summed(joint, domain, clique), atol=1.0)


@QUICK
@given(forests(), SEEDS)
def test_the_direct_and_the_general_fit_of_a_tree_agree(forest, seed):
    domain, cliques = forest
    measured = noisy(domain, cliques, seed)
    fast, general = (
        estimate(measured, domain, tolerance=1e-3, direct=direct) for direct in (True, False)
    )
    assert fast.total == general.total
    # Noise has standard deviations of 5 to 40.
    for clique in cliques:
        np.testing.assert_allclose(fast.marginal(clique), general.marginal(clique), atol=0.5)


@QUICK
@given(shapes(), SEEDS)
def test_marginals_of_a_model_agree_with_each_other(shape, seed):
    domain, cliques = shape
    model = estimate(noisy(domain, cliques, seed), domain)
    for clique in model.tree.cliques:
        table = model.marginal(clique)
        assert table.min() >= 0
        assert table.sum() == pytest.approx(model.total)
        for axis, name in enumerate(clique):
            others = tuple(a for a in range(len(clique)) if a != axis)
            np.testing.assert_allclose(
                table.sum(axis=others), model.marginal((name,)), atol=1e-6 * model.total
            )


def test_columns_that_were_not_measured_are_uniform_and_independent():
    domain = Domain.of({"a": 2, "b": 4})
    model = estimate([Measurement.of(("a",), [30.0, 70.0], 1.0)], domain)
    np.testing.assert_allclose(model.marginal(("b", "a")), np.outer(np.ones(4), [7.5, 17.5]))
    blank = estimate([], domain, total=8.0)
    np.testing.assert_allclose(blank.marginal(("a", "b")), np.ones((2, 4)))


def test_negative_counts_become_zero():
    domain = Domain.of({"a": 3, "b": 2})
    counts = np.array([[50.0, -4.0], [-3.0, 50.0], [-6.0, -5.0]])
    measured = [
        Measurement.of(("a", "b"), counts, 1.0),
        Measurement.of(("a",), [50.0, 50.0, -9.0], 1.0),
        Measurement.of(("b",), [50.0, 50.0], 1.0),
    ]
    table = estimate(measured, domain, total=100.0).marginal(("a", "b"))
    np.testing.assert_allclose(table, [[50, 0], [0, 50], [0, 0]], atol=1e-3)
