"""The law of blind guessing, against plain counting and the figures of AMIC's final round."""

from itertools import product

import numpy as np
import pytest

from quintain.measures import BlindLaw

AMIC = BlindLaw.of_hits(100_000, 10_000, 100)


def test_the_noise_floor_of_amic():
    assert AMIC.expected == pytest.approx(0.1)
    assert AMIC.at_least(0.15) == pytest.approx(0.0725, abs=5e-5)
    assert AMIC.at_least(0.16) == pytest.approx(0.040, abs=5e-4)
    assert AMIC.best_of(16) == pytest.approx(0.156, abs=5e-4)
    assert AMIC.at_least(0.16, attackers=16) == pytest.approx(0.48, abs=5e-3)


def test_it_agrees_with_blind_guessers():
    rng = np.random.default_rng(3)
    law = BlindLaw.of_hits(50, 20, 8)
    hits = rng.hypergeometric(20, 30, 8, size=(40_000, 5)) / 8
    assert law.best_of(5) == pytest.approx(hits.max(axis=1).mean(), abs=0.004)
    assert law.at_least(0.75, 5) == pytest.approx((hits.max(axis=1) >= 0.75).mean(), abs=0.01)
    mean = law.mean_of(5)
    assert mean.expected == pytest.approx(law.expected)
    assert mean.at_least(0.6) == pytest.approx((hits.mean(axis=1) >= 0.6 - 1e-9).mean(), abs=0.006)


@pytest.mark.parametrize("entries", [1, 2, 3])
def test_the_law_of_a_mean_is_that_of_all_outcomes_counted_out(entries):
    law = BlindLaw.of_hits(6, 2, 3)
    mean = law.mean_of(entries)
    outcomes = list(product(range(len(law.values)), repeat=entries))
    chances = [np.prod(law.probabilities[list(picked)]) for picked in outcomes]
    means = [law.values[list(picked)].mean() for picked in outcomes]
    for value in (0.0, 0.2, 1 / 3, 0.5, 2 / 3):
        expected = sum(p for p, m in zip(chances, means, strict=True) if m >= value - 1e-9)
        assert mean.at_least(value) == pytest.approx(expected)


def test_tails_far_out_are_small_and_not_nothing():
    assert 0 < AMIC.at_least(0.6) < 1e-25
    assert AMIC.at_least(0.0, 16) == 1.0
