"""Learned moments: what the public sanitizer teaches about its own averages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.attacks import Knowledge
from quintain.attacks.membership.series.averages import SeriesAverages
from quintain.attacks.membership.series.learned_moments import LearnedMoments, learn_transmission
from quintain.data.sources.icu import Icu
from quintain.errors import KnowledgeError
from quintain.guesses.membership import Membership, members_and_scores
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.releases import Release
from quintain.samples.sample import Subset
from quintain.sanitizers import sanitize
from quintain.sanitizers.sanitizer import Shadow
from quintain.sanitizers.series.lagged_gaussian import LaggedGaussian

HIDER = LaggedGaussian(shrinkage=0.3)


@pytest.fixture(scope="module")
def game():
    """Half of 200 stays, and new series from their averages."""
    rng = np.random.default_rng(5)
    sample = Subset(fraction=0.5).draw(Icu(rows=200, features=20, steps=16).generate(rng), rng=rng)
    made = sanitize(HIDER, sample.private, rng=rng, noise=Noise.for_test(5))
    question, truth = Membership().ask(sample, made.release)
    return question, truth, sample.population, made.release


def accuracy(attack, game, **known):
    question, truth, _, release = game
    situation = Situation(Membership(), release, Knowledge(question, **known))
    guess = play_or_raise(attack, situation, rng=np.random.default_rng(0))
    members, probabilities = members_and_scores(truth, guess)
    return float(((probabilities > 0.5) == members).mean())


def test_own_runs_of_the_hider_show_its_members(game):
    """Chance is one half, give or take .035; `benchmarks.hide_and_seek.averages` has 20 draws."""
    learned = accuracy(LearnedMoments(shadows=12), game, base=game[2], code=Shadow(HIDER))
    assert learned > 0.58
    assert learned > accuracy(SeriesAverages(), game) - 0.05


def test_it_needs_the_base_data_and_the_code(game):
    with pytest.raises(KnowledgeError, match="base"):
        accuracy(LearnedMoments(), game, code=Shadow(HIDER))
    with pytest.raises(KnowledgeError, match="code"):
        accuracy(LearnedMoments(), game, base=game[2])


def test_a_release_without_rows_shows_nobody(game):
    question, truth, population, release = game
    nothing = Release(release.data.take([]))
    none = accuracy(
        LearnedMoments(shadows=3),
        (question, truth, population, nothing),
        base=population,
        code=Shadow(HIDER),
    )
    assert none == 0.5


@given(
    offset=st.floats(-5, 5),
    gain=st.floats(0.1, 2),
    noise=st.floats(0.01, 1),
    seed=st.integers(0, 1000),
)
def test_offset_gain_and_noise_are_those_of_the_runs(offset, gain, noise, seed):
    rng = np.random.default_rng(seed)
    private = rng.normal(size=(400, 3))
    released = offset + gain * private + noise * rng.normal(size=(400, 3))
    found = learn_transmission(private, released)
    np.testing.assert_allclose(found[0], offset, atol=6 * (gain + noise) / 20)
    np.testing.assert_allclose(found[1], gain, atol=6 * noise / 20)
    np.testing.assert_allclose(np.sqrt(found[2]), noise, rtol=0.25)
