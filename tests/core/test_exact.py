"""Exact draws against digits that floats do not have, and the plain formulas they replaced."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from quintain.randomness.exact import UniformNumber, choose_exactly, exponential
from quintain.randomness.noise import Noise, _gaussian_bounds, _laplace_bounds

BITS = 53 + 4 * 64
"""The bits of a scripted number: its draw and four further words."""


def scripted(value):
    """A uniform number with the first bits of a value."""
    digits = int(value * 2**BITS)
    words = iter([digits >> 64 * place & (2**64 - 1) for place in (3, 2, 1, 0)])
    return UniformNumber((digits >> 256) / 2**53, lambda: next(words))


def digits_of(power, precision=90):
    """exp(power) as a fraction with many digits."""
    with localcontext(prec=precision):
        return Fraction(Decimal(power).exp())


TINY = Fraction(1, 2**200)


# --- single comparisons ---------------------------------------------------------------------------


@pytest.mark.parametrize("power", ["0.5", "1", "37.5", "50", "100"])
def test_a_number_next_to_an_exponential_is_on_the_right_side(power):
    value = digits_of(f"-{power}")
    for number, below in (
        (value - value * TINY * 2**100, True),
        (value * (1 + TINY * 2**100), False),
    ):
        assert scripted(number).is_below(lambda bits: exponential(Fraction(power), bits)) is below


@pytest.mark.parametrize("power", ["1e-30", "0.1", "3", "36.7", "700", "1e7", "1e300"])
@pytest.mark.parametrize("bits", [61, 200])
def test_the_bounds_contain_the_exponential_and_are_close(power, bits):
    low, high = exponential(Fraction(power), bits)
    if Decimal(power) < 1000:
        assert low <= digits_of(f"-{power}", 400) <= high
    assert 0 <= low < high <= 1
    assert high - low <= Fraction(1, 2**bits)


def test_certainty_is_certain():
    assert UniformNumber(1 - 2.0**-53, None).is_below(lambda bits: exponential(Fraction(0), bits))


def script(monkeypatch, draw, *words):
    """Let every uniform number be a draw, and every word one of these."""
    left = list(words)
    monkeypatch.setattr(Noise, "uniform", lambda self, size: np.full(size, draw))
    monkeypatch.setattr(
        Noise, "words", lambda self, size: np.array([left.pop(0) for _ in range(size)], np.uint64)
    )


def test_a_coin_of_probability_1e_minus_60_is_not_taken_for_one_of_1e_minus_16(monkeypatch):
    # 53 zero bits have probability 1.1e-16; the next word decides against the event.
    script(monkeypatch, 0.0, 2**40)
    assert not Noise.for_test(1).bernoulli(1e-60, 1)[0]
    script(monkeypatch, 0.0, 0, 0, 0)
    assert Noise.for_test(1).bernoulli(1e-60, 1)[0]


@pytest.mark.parametrize(("word", "kept"), [(2**64 - 1, False), (0, True)])
def test_a_probability_between_two_draws_is_met_by_further_bits(monkeypatch, word, kept):
    draw = math.floor(0.1 * 2**53) / 2**53
    assert draw < 0.1 < draw + 2.0**-53
    script(monkeypatch, draw, word)
    assert bool(Noise.for_test(1).bernoulli(0.1, 1)[0]) is kept


# --- coins of noise: each is as likely as the formula says, to any digit --------------------------

SETTLED = [(2**64 - 1, False), (0, True)]
"""The next 64 bits of a draw just below or just above a probability, and which side it is on."""


def exactly(power):
    """exp(-power) of a fraction, with many digits."""
    with localcontext(prec=400):
        return Fraction((-Decimal(power.numerator) / Decimal(power.denominator)).exp())


def bits_below(value):
    """The first 53 bits of a number, as a float at most as large."""
    return math.floor(value * 2**53) / 2**53


@pytest.mark.parametrize("scale", [0.7, 3.0, 1e5])
@pytest.mark.parametrize("value", [1, 2, 5])
@pytest.mark.parametrize("place", [0, 1])
def test_the_bounds_of_a_laplace_coin_contain_its_probability(scale, value, place):
    values = np.array([7, 7])
    values[place] = value
    low, high = _laplace_bounds(values, scale)(place)(200)
    assert low <= exactly(value / Fraction(scale)) <= high
    assert high - low <= Fraction(1, 2**200)


@pytest.mark.parametrize(("sigma", "scale"), [(0.8, 1), (2.5, 3), (1e3, 1001)])
@pytest.mark.parametrize("proposal", [-4, 0, 3])
def test_the_bounds_of_a_gaussian_coin_contain_its_probability(sigma, scale, proposal):
    low, high = _gaussian_bounds(np.array([9, proposal]), sigma, scale)(1)(200)
    variance = Fraction(sigma) ** 2
    assert low <= exactly((abs(proposal) - variance / scale) ** 2 / (2 * variance)) <= high
    assert high - low <= Fraction(1, 2**200)


@pytest.mark.parametrize(("word", "kept"), SETTLED)
def test_a_laplace_coin_that_floats_cannot_settle_is_settled_by_further_bits(
    monkeypatch, word, kept
):
    script(monkeypatch, bits_below(exactly(Fraction(1))), word, word)
    coins = Noise.for_test(1)._coins(np.array(math.exp(-1)), 1, _laplace_bounds(np.array([2]), 2.0))
    assert coins.tolist() == [kept]


@pytest.mark.parametrize(("word", "kept"), SETTLED)
def test_a_gaussian_coin_that_floats_cannot_settle_is_settled_by_further_bits(
    monkeypatch, word, kept
):
    # A proposal of 2 with sigma 1 and scale 2 is 1.5 away from 1/2: exp(-1.125).
    wanted = math.exp(-1.125)
    script(monkeypatch, bits_below(exactly(Fraction(9, 8))), word, word)
    bounds = _gaussian_bounds(np.array([2]), 1.0, 2)
    assert Noise.for_test(1)._coins(np.array([wanted]), 1, bounds).tolist() == [kept]


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_noise_is_the_same_whether_floats_or_exact_bounds_settle_its_coins(monkeypatch, name):
    plain = getattr(Noise.for_test(4), name)(2.5, 300)
    monkeypatch.setattr("quintain.randomness.noise._CLOSE", 2.0)  # no coin is left to floats
    assert getattr(Noise.for_test(4), name)(2.5, 300).tolist() == plain.tolist()


# --- the exponential mechanism --------------------------------------------------------------------


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_rare_item_is_as_likely_before_a_frequent_one_as_behind_it(order):
    powers = [Fraction(0), Fraction(75, 2)]
    share = 1 / (1 + digits_of("-37.5"))  # of the first item
    border = share if order == (0, 1) else 1 - share
    exponents = [powers[i] for i in order]
    assert choose_exactly(exponents, scripted(border - TINY)) == 0
    assert choose_exactly(exponents, scripted(border + TINY)) == 1


def test_every_border_between_items_is_exact():
    powers = ["0.25", "3", "0", "41", "0.25"]
    weights = [digits_of(f"-{power}") for power in powers]
    exponents = [Fraction(power) for power in powers]
    for index in range(len(powers) - 1):
        border = sum(weights[: index + 1]) / sum(weights)
        assert choose_exactly(exponents, scripted(border - TINY)) == index
        assert choose_exactly(exponents, scripted(border + TINY)) == index + 1


@pytest.mark.parametrize("word", [0, 2**64 - 1])
def test_a_draw_that_floats_cannot_settle_is_settled_by_further_bits(monkeypatch, word):
    script(monkeypatch, 1 - 2.0**-53, word, word, word)
    # exp(-37.5) is 0.47 times 2**-53: floats never choose the second item.
    assert Noise.for_test(1).choose([75.0, 0.0], 1.0, 1.0) == (0 if word == 0 else 1)


@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_draws_that_floats_can_settle_are_what_they_were(scale):
    scores = np.random.default_rng(1).normal(size=(3000, 7)) * scale
    now, before = Noise.for_test(5), Noise.for_test(5)
    for row in scores:
        cumulative = np.cumsum(np.exp(row / 2 - (row / 2).max()))
        point = before.uniform(1)[0] * cumulative[-1]
        assert now.choose(row, 1.0, 1.0) == np.searchsorted(cumulative, point, side="right")
    assert now.bytes(8) == before.bytes(8)


def test_scores_and_budgets_at_the_edge_of_floats_are_chosen_from():
    noise = Noise.for_test(6)
    assert {noise.choose([1e308, -1e308], 1.0, 1.0) for _ in range(20)} == {0}
    assert {noise.choose([0.0, 0.0], 1e308, 1e-300) for _ in range(50)} == {0, 1}
    assert {noise.choose([0.0, 1e-310], 1e308, 1e-300) for _ in range(50)} == {1}
