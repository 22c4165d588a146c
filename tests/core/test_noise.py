"""Privacy noise against exact probabilities.

Every draw comes from a fixed test seed, so a test either always passes or always fails; the bounds
are wide enough (five standard errors, or a p-value of 1e-4) that a right sampler passes.
"""

import math

import numpy as np
import pytest
from scipy.stats import chisquare

from quintain.errors import NoiseError
from quintain.randomness import noise
from quintain.randomness.noise import Noise

SCALES = [0.3, 1, 2.5, 40]
DRAWS = 40_000


def laplace_probability(k, scale):
    q = math.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** np.abs(k)


def gaussian_probability(k, sigma):
    reach = np.arange(-int(12 * sigma) - 12, int(12 * sigma) + 13)
    return np.exp(-(k**2) / (2 * sigma**2)) / np.exp(-(reach**2) / (2 * sigma**2)).sum()


def p_value(draws, probability, scale):
    """Chi-square of draws against exact probabilities; rare values share one bin a side."""
    values = np.arange(int(30 * scale) + 30)
    expected = len(draws) * probability(values, scale)
    edge = int(np.argmax(expected < 10)) - 1
    inner = np.arange(-edge, edge + 1)
    counts = [(draws < -edge).sum(), *((draws == k).sum() for k in inner), (draws > edge).sum()]
    middle = len(draws) * probability(inner, scale)
    tail = (len(draws) - middle.sum()) / 2
    return chisquare(counts, [tail, *middle, tail]).pvalue


# --- discrete Laplace and Gaussian ----------------------------------------------------------------


@pytest.mark.parametrize("scale", SCALES)
def test_laplace_draws_have_the_exact_probabilities(scale):
    draws = Noise.for_test(11).laplace(scale, DRAWS)
    assert p_value(draws, laplace_probability, scale) > 1e-4


@pytest.mark.parametrize("sigma", SCALES)
def test_gaussian_draws_have_the_exact_probabilities(sigma):
    draws = Noise.for_test(12).gaussian(sigma, DRAWS)
    assert p_value(draws, gaussian_probability, sigma) > 1e-4


@pytest.mark.parametrize("scale", [1, 2.5])
def test_the_comparison_would_notice_noise_that_is_merely_rounded(scale):
    rng = np.random.default_rng(1)
    rounded = np.rint(rng.laplace(0, scale, DRAWS))
    assert p_value(rounded, laplace_probability, scale) < 1e-6


@pytest.mark.parametrize("scale", [1, 2.5])
def test_the_comparison_would_notice_a_zero_that_is_twice_as_likely(scale):
    rng = np.random.default_rng(1)
    magnitude = rng.geometric(1 - math.exp(-1 / scale), DRAWS) - 1
    naive = magnitude * rng.choice([-1, 1], DRAWS)
    assert p_value(naive, laplace_probability, scale) < 1e-6


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", SCALES)
def test_noise_is_as_often_below_zero_as_above(kind, scale):
    draws = getattr(Noise.for_test(13), kind)(scale, DRAWS)
    sides = np.sign(draws[draws != 0])
    assert abs(sides.sum()) < 5 * math.sqrt(len(sides))


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [0.3, 7, 2**30])
def test_noise_is_integer(kind, scale):
    draws = getattr(Noise.for_test(14), kind)(scale, 100)
    assert draws.dtype == np.int64
    assert draws.shape == (100,)


def test_a_huge_laplace_scale_gives_the_right_mean_and_variance():
    scale, size = 2.0**39, 20_000
    draws = Noise.for_test(15).laplace(scale, size).astype(float)
    # Standard deviation sqrt(2) b; kurtosis 6, so a sample variance is right to sqrt(5 / n).
    assert abs(draws.mean()) < 5 * math.sqrt(2) * scale / math.sqrt(size)
    assert abs(draws.var() / (2 * scale**2) - 1) < 5 * math.sqrt(5 / size)


def test_a_huge_gaussian_sigma_gives_the_right_mean_and_variance():
    sigma, size = 2.0**39, 20_000
    draws = Noise.for_test(16).gaussian(sigma, size).astype(float)
    assert abs(draws.mean()) < 5 * sigma / math.sqrt(size)
    assert abs(draws.var() / sigma**2 - 1) < 5 * math.sqrt(2 / size)


def test_a_tiny_scale_gives_zeros():
    assert not Noise.for_test(17).laplace(1e-6, 1000).any()
    assert not Noise.for_test(17).gaussian(1e-6, 1000).any()


def test_low_bits_of_large_noise_are_even():
    # Floating-point noise of this size would leave multiples of a power of two.
    draws = Noise.for_test(18).laplace(2.0**38, 4000)
    assert abs((draws % 2 == 0).sum() - 2000) < 5 * math.sqrt(1000)
    assert abs((draws % 4 == 3).sum() - 1000) < 5 * math.sqrt(750)


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_no_draws_are_an_empty_array(kind):
    assert getattr(Noise.for_test(1), kind)(2.0, 0).shape == (0,)


@pytest.mark.parametrize("scale", [0, -1, 1e-7, 1e-200, math.nan, math.inf, 2.0**40])
def test_a_scale_that_gives_no_noise_is_refused(scale):
    with pytest.raises(NoiseError, match=r"Laplace noise needs a scale between 1e-6 and 2\*\*40"):
        Noise.for_test(1).laplace(scale, 3)
    with pytest.raises(NoiseError, match=r"Gaussian noise needs a scale between 1e-6 and 2\*\*40"):
        Noise.for_test(1).gaussian(scale, 3)


# --- uniform draws --------------------------------------------------------------------------------


@pytest.mark.parametrize("high", [1, 2, 3, 10, 256])
def test_integers_are_uniform(high):
    counts = np.bincount(Noise.for_test(21).integers(high, 20_000), minlength=high)
    assert len(counts) == high
    assert high == 1 or chisquare(counts).pvalue > 1e-4


def test_integers_are_unbiased_where_a_remainder_would_not_be():
    # 2**64 is 2 2/3 times 3 * 2**61: plain remainders fall into the lower two thirds with
    # probability 3/4, unbiased integers with probability 2/3.
    high, size = 3 << 61, 20_000
    below = (Noise.for_test(22).integers(high, size) < high // 3 * 2).mean()
    assert abs(below - 2 / 3) < 5 * math.sqrt(2 / 9 / size)
    assert abs(below - 3 / 4) > 0.05


def test_integers_below_one_are_refused():
    with pytest.raises(NoiseError, match="cannot draw an integer below 0"):
        Noise.for_test(1).integers(0, 3)


@pytest.mark.parametrize("high", [2**63 + 1, 2**64 - 1, 2**64])
def test_integers_that_64_bits_cannot_hold_are_refused(high):
    with pytest.raises(NoiseError, match=f"cannot draw an integer below {high}"):
        Noise.for_test(1).integers(high, 3)
    assert (Noise.for_test(1).integers(2**63, 1000) >= 0).all()


def test_uniform_numbers_are_in_the_half_open_unit_interval():
    draws = Noise.for_test(23).uniform(20_000)
    assert draws.min() >= 0
    assert draws.max() < 1
    assert chisquare(np.histogram(draws, 50, (0, 1))[0]).pvalue > 1e-4


def test_bernoulli_is_true_as_often_as_asked():
    draws = Noise.for_test(24).bernoulli(0.3, 20_000)
    assert draws.dtype == bool
    assert abs(draws.mean() - 0.3) < 5 * math.sqrt(0.21 / 20_000)


def test_bernoulli_with_certainty_is_certain():
    assert Noise.for_test(25).bernoulli(1, 5000).all()
    assert not Noise.for_test(25).bernoulli(0, 5000).any()


def test_bernoulli_takes_a_probability_for_each_draw():
    draws = Noise.for_test(26).bernoulli(np.tile([0.0, 0.25, 1.0], 4000), 12_000).reshape(-1, 3)
    never, seldom, always = draws.mean(axis=0)
    assert (never, always) == (0, 1)
    assert abs(seldom - 0.25) < 5 * math.sqrt(0.1875 / 4000)


# --- the exponential mechanism --------------------------------------------------------------------


def test_the_exponential_mechanism_chooses_with_the_exact_frequencies():
    # Weights exp(epsilon u / (2 Delta)) with epsilon 3 and Delta 1.5 are exp(u).
    scores = np.array([0.0, 1.0, 2.5, 1.0])
    noise, size = Noise.for_test(31), 6000
    chosen = [noise.choose(scores, epsilon=3.0, sensitivity=1.5) for _ in range(size)]
    weights = np.exp(scores)
    assert chisquare(np.bincount(chosen), size * weights / weights.sum()).pvalue > 1e-4


def test_the_exponential_mechanism_does_not_overflow():
    noise = Noise.for_test(32)
    assert {noise.choose([1e6, 0.0], 1.0, 1.0) for _ in range(50)} == {0}
    assert {noise.choose([-1e6, -2e6], 1.0, 1.0) for _ in range(50)} == {0}


def test_the_exponential_mechanism_never_chooses_what_is_ruled_out():
    noise = Noise.for_test(33)
    assert {noise.choose([-math.inf, 0.0, -math.inf], 1.0, 1.0) for _ in range(200)} == {1}


@pytest.mark.parametrize(("draw", "chosen"), [(0.0, 1), (1 - 2.0**-53, 2)])
def test_not_even_the_rarest_draw_chooses_what_is_ruled_out(monkeypatch, draw, chosen):
    monkeypatch.setattr(Noise, "uniform", lambda self, size: np.full(size, draw))
    assert Noise.for_test(36).choose([-math.inf, 0.0, 0.0, -math.inf], 1.0, 1.0) == chosen


def test_a_single_candidate_is_chosen():
    assert Noise.for_test(34).choose([7.0], 1.0, 1.0) == 0


@pytest.mark.parametrize("scores", [[], [math.nan, 1.0], [1.0, math.inf], [-math.inf, -math.inf]])
def test_the_exponential_mechanism_needs_scores_it_can_compare(scores):
    with pytest.raises(NoiseError, match="needs scores, and the largest must be finite"):
        Noise.for_test(35).choose(scores, 1.0, 1.0)


# --- streams and keys -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "sensitivity"), [(1.0, 0.0), (-1.0, 1.0), (1.0, -1.0), (float("nan"), 1.0)]
)
def test_the_exponential_mechanism_refuses_a_budget_that_is_none(epsilon, sensitivity):
    with pytest.raises(NoiseError, match=f"{epsilon:g} and sensitivity {sensitivity:g} must be"):
        Noise.for_test(1).choose([1.0, 2.0], epsilon, sensitivity)


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [0.4, 1.0, 3.7])
def test_exact_bounds_settle_every_draw_as_floats_do(monkeypatch, kind, scale):
    def draws():
        return getattr(Noise.for_test(5), kind)(scale, 2_000)

    by_floats = draws()
    monkeypatch.setattr(noise, "_CLOSE", 2.0)  # as if every draw were too close for a float
    np.testing.assert_array_equal(draws(), by_floats)


def test_exact_bounds_settle_coins_as_floats_do(monkeypatch):
    wanted = np.linspace(0, 1, 500)
    by_floats = Noise.for_test(5).bernoulli(wanted, 500)
    monkeypatch.setattr(noise, "_CLOSE", 2.0)
    np.testing.assert_array_equal(Noise.for_test(5).bernoulli(wanted, 500), by_floats)
