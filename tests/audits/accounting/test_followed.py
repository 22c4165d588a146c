"""Followed noise: it becomes an answer when true values are added, and refuses everything else."""

import numpy as np
import pytest

from quintain.accounting.budget import Budget
from quintain.audits.accounting.costs import cost_of
from quintain.audits.accounting.followed import (
    Departure,
    FollowedNoise,
    NotFollowed,
    Tape,
    align,
)
from quintain.randomness.noise import Noise

USES = {
    "sum first": lambda counts, noise: counts + noise,
    "noise first": lambda counts, noise: noise + counts,
    "reshaped": lambda counts, noise: (counts.reshape(2, 2) + noise.reshape(2, 2)).ravel(),
    "scaled": lambda counts, noise: counts + 2 * noise,
    "divided": lambda counts, noise: counts + noise / 4,
    "cut": lambda counts, noise: np.concatenate([counts[:2] + noise[:2], counts[2:] + noise[2:]]),
    "one by one": lambda counts, noise: np.array(
        [c + n for c, n in zip(counts, noise, strict=True)]
    ),
    "turned": lambda counts, noise: counts - noise,
    "behind": lambda counts, noise: noise - counts,
    "as floats": lambda counts, noise: counts + noise.astype(float),
    "in place": lambda counts, noise: np.add(counts, noise),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("seed", [None, 5])
def test_the_neighbour_gets_the_answers_of_the_first_table(use, seed):
    counts = np.array([4, 0, 9, 2])
    first = Tape(seed)
    answers = USES[use](counts, FollowedNoise(first).laplace(3.0, 4))
    again = first.again()
    changed = counts + np.array([0, 0, 1, 0])
    same = USES[use](changed, FollowedNoise(again).laplace(3.0, 4))
    assert np.array_equal(answers, same) and type(same) is np.ndarray
    unit = 2 if use == "scaled" else 0.25 if use == "divided" else 1
    if use == "scaled":  # half a unit of the noise cannot be hidden by whole units
        assert cost_of(first, again, sampled=False).faults
    else:
        assert cost_of(first, again, sampled=False).laplace == [pytest.approx(1 / unit / 3)]


def test_noise_of_a_first_run_is_that_of_noise_itself():
    wanted = Noise.for_test(Tape(5).rng(0)).gaussian(7.0, 50)
    assert np.array_equal(np.zeros(50, int) + FollowedNoise(Tape(5)).gaussian(7.0, 50), wanted)
    assert not (np.zeros(50, int) + FollowedNoise(Tape(None)).gaussian(7.0, 50)).any()


@pytest.mark.parametrize(
    "use",
    [
        lambda noise: np.asarray(noise),
        lambda noise: int(noise[0]),
        lambda noise: float(noise[0]),
        lambda noise: noise > 0,
        lambda noise: noise == 0,
        lambda noise: bool(noise[0]),
        lambda noise: noise.sum(),
        lambda noise: np.sum(noise),
        lambda noise: np.where(noise, 1, 0),
        lambda noise: np.abs(noise),
        lambda noise: noise.max(),
        lambda noise: noise + noise,
        lambda noise: noise * noise,
        lambda noise: np.ones(3) / noise,
        lambda noise: noise.tolist(),
        lambda noise: noise.astype(str),
        lambda noise: np.array([1, 2, 3])[noise],
        lambda noise: (np.ones(3) + noise, np.zeros(3) + noise),
    ],
)
def test_no_other_use_of_noise_goes_unseen(use):
    with pytest.raises((NotFollowed, IndexError), match=r"test_followed\.py:|only integers"):
        use(FollowedNoise(Tape(3)).gaussian(2.0, 3))


def test_a_scale_that_differs_is_a_departure():
    first = Tape(None)
    FollowedNoise(first).laplace(3.0, 4)
    with pytest.raises(Departure, match=r"scale 3 for one table, laplace of scale 4"):
        FollowedNoise(first.again()).laplace(4.0, 4)


def test_the_budget_counts_as_with_other_noise():
    tape = Tape(None)
    noisy = Budget(1.0).count(np.array([[3, 5], [0, 1]]), 2.0, FollowedNoise(tape))
    assert noisy.tolist() == [[3.0, 5.0], [0.0, 1.0]]
    assert tape.draws()[0].truth.tolist() == [3, 5, 0, 1]


@pytest.mark.parametrize("seed", [None, 1])
def test_coins_are_the_same_in_both_runs(seed):
    first = Tape(seed)

    def toss(noise):
        return (
            noise.words(4).tolist(),
            noise.uniform(3).tolist(),
            noise.integers(9, 5).tolist(),
            noise.bernoulli(0.5, 6).tolist(),
            noise.bytes(8),
        )

    assert toss(FollowedNoise(first)) == toss(FollowedNoise(first.again()))


def test_coins_of_unequal_number_are_told_and_then_the_same_for_all():
    first = Tape(None)
    FollowedNoise(first).bernoulli(0.5, 6)
    second = first.again()
    FollowedNoise(second).bernoulli(0.5, 7)
    assert second.unequal == {0}
    assert FollowedNoise(Tape(None, together={0})).bernoulli(0.5, 7).all()
    assert not FollowedNoise(Tape(None, everybody=False, together={0})).bernoulli(0.5, 7).any()
    assert len(set(FollowedNoise(Tape(None, together={0})).words(7).tolist())) == 1
    rates = np.array([1.0, 0.0, 1.0])
    coins = FollowedNoise(Tape(None, together={0})).bernoulli(rates, 3)
    assert coins.tolist() == [True, False, True]


def test_a_value_that_one_table_has_gets_its_own_answer():
    first = Tape(None)
    np.array([50, 8, 1, 70]) + FollowedNoise(first).gaussian(5.0, 4)
    second = first.again()
    answers = np.array([50, 8, 71]) + FollowedNoise(second).gaussian(5.0, 3)
    assert answers.tolist() == [50, 8, 70]
    assert [(extra.place, extra.longer) for extra in second.extra] == [(2, True)]
    assert cost_of(first, second, sampled=False).rho == pytest.approx(1 / 50)


def test_lists_are_aligned_so_that_they_differ_least():
    rng = np.random.default_rng(0)
    for _ in range(50):
        longer = rng.integers(0, 1000, 12).astype(float)
        left_out = np.sort(rng.choice(12, 3, replace=False))
        shorter = np.delete(longer, left_out)
        assert np.array_equal(longer[align(longer, shorter)], shorter)
    assert align(np.array([1.0]), np.array([])).tolist() == []
