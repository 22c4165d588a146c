"""Attacks that one far-out value, a rounding error or a shuffle cannot blind."""

from functools import cache

import numpy as np
import pytest
from benchmarks.hide_and_seek.single_rows import SingleRows

from quintain.attacks.membership.series.fingerprint import Fingerprint
from quintain.attacks.membership.series.greedy_matching import GreedyMatching
from quintain.attacks.membership.series.mikan import PersonsOrRows
from quintain.attacks.membership.series.nearest_series import SeriesDensityRatio, SeriesKnn
from quintain.attacks.membership.series.row_density import (
    ClippedNoise,
    RowDensity,
    bound_verdicts,
    find_bounds,
    fit_noise,
    verdicts,
)
from quintain.attacks.membership.series.series_attack import prepare_robustly
from quintain.data import Series
from quintain.data.sources.icu import Icu
from quintain.kernels.series import Scaling
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.pipeline import Pipeline
from quintain.sanitizers.series.bin_swap import BinSwap
from quintain.sanitizers.series.controls import FarOut
from quintain.sanitizers.series.noise import AddNoise, NoiseShuffle

STEPS = 24
BLIND = 3 * np.sqrt(0.25 / 300)


@cache
def stays(features: int = 20) -> Series:
    """Stays with one more feature that does not vary, as real stays have."""
    plain = Icu(rows=300, features=features, steps=STEPS).generate(np.random.default_rng(1))
    values = np.array(plain.values)
    values[:, -1] = np.where(np.isnan(values[:, -1]), np.nan, 1.0)
    return Series(plain.schema, plain.ids, plain.offsets, values)


@cache
def released(sanitizer, features: int = 20) -> Series:
    """A release of the first half of the stays."""
    private = stays(features).take(np.arange(150))
    rng = np.random.default_rng(2)
    return sanitize(sanitizer, private, rng=rng, noise=Noise.for_test(2)).release.data


def accuracy(attacker, sanitizer, features: int = 20) -> float:
    scores = attacker.scores(
        stays(features), released(sanitizer, features), STEPS, rng=np.random.default_rng(0)
    )
    order = np.argsort(scores, kind="stable")
    return float((order[150:] < 150).mean())


NOISE_FAR = Pipeline(steps=(AddNoise(), FarOut()))
SWAP_JITTER = Pipeline(steps=(BinSwap(), FarOut(distance=0)))
ATTACKS = (GreedyMatching, SeriesKnn, PersonsOrRows, SingleRows, SeriesDensityRatio, Fingerprint)


@pytest.mark.parametrize("kind", ATTACKS, ids=lambda kind: kind.id)
def test_a_far_out_value_blinds_the_scale_of_2020_and_not_the_robust_one(kind):
    robust, plain = kind(scaled_by="robust"), kind(scaled_by="own")
    kept = accuracy(robust, AddNoise())
    assert accuracy(robust, NOISE_FAR) == pytest.approx(kept, abs=0.04)
    assert abs(accuracy(plain, NOISE_FAR) - 0.5) <= BLIND
    assert kept >= accuracy(plain, AddNoise()) - 0.05


def test_matching_and_rows_find_nearly_everybody_behind_a_far_out_value():
    assert accuracy(GreedyMatching(scaled_by="robust"), NOISE_FAR) >= 0.98
    assert accuracy(RowDensity(), NOISE_FAR) >= 0.95


def test_rounding_errors_of_a_constant_feature_do_not_help_a_hider():
    robust, plain = SeriesKnn(scaled_by="robust"), SeriesKnn()
    assert accuracy(robust, SWAP_JITTER) == accuracy(robust, BinSwap())
    assert accuracy(plain, SWAP_JITTER) < accuracy(plain, BinSwap()) - 0.01
    jitter = np.array([[0.0, 1.0], [1.0, 1.0 + 1e-15], [2.0, 1.0 - 1e-15]])
    assert Scaling.of(jitter).span[1] < 1e-14
    assert Scaling.of(jitter, tolerance=1e-9).span[1] == 1


def test_a_release_in_other_units_is_put_on_the_scale_of_the_targets():
    plain = released(AddNoise())
    values = np.array(plain.values)
    values[:, 1:] *= 1000
    other = Series(plain.schema, plain.ids, plain.offsets, values)
    sides = [prepare_robustly(stays(), side, STEPS)[1].values[:, 1:] for side in (plain, other)]
    assert np.median(np.abs(sides[0] - sides[1])) < 0.1
    greedy = GreedyMatching(scaled_by="robust")
    scores = greedy.scores(stays(), other, STEPS, rng=np.random.default_rng(0))
    assert (np.argsort(scores)[150:] < 150).mean() > 0.95


# --- rows -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_shuffled_rows_are_found_by_their_density():
    found = accuracy(RowDensity(), NoiseShuffle(), features=70)
    assert found >= 0.95
    assert found >= accuracy(SingleRows(scaled_by="robust"), NoiseShuffle(), features=70) + 0.1


def test_clipping_to_the_range_of_the_members_publishes_it():
    found = bound_verdicts(stays(), released(NoiseShuffle()), STEPS)
    assert (found[:150] >= 0).all() and (found[150:] <= 0).all()
    assert (found > 0).sum() >= 5 and (found < 0).sum() >= 5
    assert not bound_verdicts(stays(), released(AddNoise()), STEPS).any()


def test_bounds_by_hand():
    rows = np.array([[5.0], [9.0], [1.0], [9.5], [5.0]])
    owner = np.array([0, 0, 1, 2, 3])
    released_rows = np.concatenate([np.linspace(5.1, 8.9, 20), [9.0] * 3, [5.0] * 4, [99.0]])
    bounds = find_bounds(released_rows[:, None])
    assert (bounds.low[0], bounds.high[0]) == (5.0, 9.0)
    # 0 alone has 9; both 0 and 3 have 5; 1 and 2 have values beyond.
    assert verdicts(rows, owner, 4, bounds).tolist() == [1, -1, -1, 0]


def test_the_noise_is_found_from_the_release():
    rng = np.random.default_rng(4)
    rows, spread = rng.random((2000, 6)), np.array([0.02, 0.1, 0.2, 0.1, 0.1, 0.05])
    noisy = rows[rng.choice(2000, 1500, replace=False)] + rng.normal(0, spread, (1500, 6))
    low, high = np.full(6, -np.inf), np.where(spread == 0.2, 1.0, np.inf)
    fitted = fit_noise(rows, np.clip(noisy, low, high), low, high)
    np.testing.assert_allclose(fitted.spread, spread, rtol=0.7)
    assert fitted.spread.argsort().tolist()[0] == 0 and fitted.spread.argmax() == 2


def test_likelihoods_are_those_of_noise_and_clipping():
    from scipy.stats import norm

    rows = np.random.default_rng(5).random((50, 2))
    released_rows = np.array([[0.3, 1.0], [0.9, 0.4]])
    noise = ClippedNoise(rows, np.array([0.2, 0.3]), np.full(2, -np.inf), np.array([np.inf, 1.0]))
    ((_, logs),) = noise.blocks(released_rows)
    first = norm.logpdf(0.3, rows[:, 0], 0.2) + norm.logsf(1.0, rows[:, 1], 0.3)
    second = norm.logpdf(0.9, rows[:, 0], 0.2) + norm.logpdf(0.4, rows[:, 1], 0.3)
    for row, expected in zip(logs, (first, second), strict=True):
        np.testing.assert_allclose(row - row[0], expected - expected[0], atol=0.05)
    weights = noise.by_person(released_rows, np.array([0, 10, 30]))
    assert weights.shape == (2, 3) and weights.max() <= 30
