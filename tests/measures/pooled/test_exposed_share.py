"""The exposed share: found at 1 % false positives, with a bound that holds over all splits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from quintain.measures.intervals import clopper_pearson
from quintain.measures.pooled.exposed import advantage, exposed_share, smallest_bounded
from quintain.measures.pooled.halves import halves
from tests.measures.pooled.test_advantage import pool


def slow_share(scores, members, *, rng, splits=15):
    """The definition, person by person and threshold by threshold."""
    splits_shown = []
    for _ in range(splits):
        first, _ = halves(scores, members, rng=rng)
        ways = []
        for chosen, judged in ((first, ~first), (~first, first)):
            best = (-1.0, 0, np.inf)
            for number, attack in enumerate(scores):
                inside, outside = attack[chosen & members], attack[chosen & ~members]
                few = [t for t in set(attack[chosen]) if (outside >= t).sum() <= len(outside) / 100]
                threshold = min(few, default=np.inf)
                t, f = (inside >= threshold).mean(), (outside >= threshold).mean()
                share = max(0.0, (t - f) / (1 - f))
                if share > best[0]:
                    best = (share, number, threshold)
            _, number, threshold = best
            inside, outside = (scores[number][judged & side] for side in (members, ~members))
            hits, false = int((inside >= threshold).sum()), int((outside >= threshold).sum())
            # 5 %, half of it for one split, half of that for one way, in which two rates may err.
            hit, wrong = (
                clopper_pearson(count, len(side), 1 - 0.05 / 4)
                for count, side in ((hits, inside), (false, outside))
            )
            rates = (
                (hits / len(inside), false / len(outside)),
                (hit[0], wrong[1]),
                (hit[1], wrong[0]),
            )
            ways.append([max(0.0, (t - f) / (1 - f)) for t, f in rates])
        values, lows, highs = zip(*ways, strict=True)
        splits_shown.append((sum(values) / 2, max(lows), max(highs)))
    return np.median(splits_shown, axis=0)


@pytest.mark.parametrize(("n", "m", "share"), [(300, 300, 0.3), (240, 120, 0.6), (150, 400, 0.0)])
def test_the_share_is_that_of_the_definition(n, m, share):
    scores, members = pool(np.random.default_rng(n), n, m, share, attacks=2)
    scores[0] = scores[0].round()  # equal scores are found together or not at all
    reading = exposed_share(scores, members, rng=np.random.default_rng(1))
    value, low, high = slow_share(scores, members, rng=np.random.default_rng(1))
    assert reading.low == pytest.approx(low)
    assert reading.value == pytest.approx(max(low, value))
    assert reading.high == pytest.approx(max(low, value, high))


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3])
def test_the_bound_is_below_the_true_share(share):
    rng = np.random.default_rng(7)
    wrong = 0
    for number in range(40):
        scores, members = pool(rng, 300, 300, share, lift=50.0)
        reading = exposed_share(scores, members, rng=np.random.default_rng(number))
        wrong += reading.low > share
        assert reading.low <= reading.value <= reading.high
    assert binomtest(wrong, 40, 0.05, alternative="greater").pvalue > 0.01, wrong


def test_a_small_shift_of_everybody_is_an_advantage_and_exposes_hardly_anybody():
    rng = np.random.default_rng(3)
    members = np.arange(4000) < 2000
    scores = [rng.normal(size=4000) + 0.5 * members]
    assert advantage(scores, members, rng=rng).low > 0.2
    reading = exposed_share(scores, members, rng=rng)
    # Of a normal law that is moved by half a standard deviation, 3.4 % are above the last 1 %.
    assert reading.value < 0.04
    assert reading.low < 0.024


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 1000), st.integers(2, 60), st.sampled_from([np.exp, np.arctan]))
def test_only_the_order_of_scores_matters(seed, n, transform):
    scores, members = pool(np.random.default_rng(seed), n, n, 0.4)
    moved = [transform(attack / 60) for attack in scores]
    one, other = (
        exposed_share(given, members, rng=np.random.default_rng(0)) for given in (scores, moved)
    )
    assert one == other
    assert 0 <= one.low <= one.value <= one.high <= 1


def test_few_controls_give_small_shares_no_bound_and_the_reading_says_so():
    rng = np.random.default_rng(0)
    least = smallest_bounded(500, 500)
    assert 0.04 < least < 0.08
    scores, members = pool(rng, 500, 500, 0.03, lift=50.0)
    reading = exposed_share(scores, members, rng=rng)
    assert reading.low == 0
    assert "500 outside, shares below about 6.5 % get no bound" in reading.note
    scores, members = pool(rng, 500, 500, 0.15, lift=50.0)
    assert exposed_share(scores, members, rng=rng).low > 0
    assert smallest_bounded(5, 5) == smallest_bounded(0, 10) == 1.0
    assert smallest_bounded(20_000, 20_000) < 0.01


def test_nothing_to_compare_is_said():
    rng = np.random.default_rng(0)
    assert not exposed_share([], np.arange(9) < 4, rng=rng).measured
    assert not exposed_share([np.full(9, np.nan)], np.arange(9) < 4, rng=rng).measured
    assert not exposed_share([np.arange(9.0)], np.ones(9, bool), rng=rng).measured
    reading = exposed_share([np.zeros(100)], np.arange(100) < 50, rng=rng)
    assert (reading.low, reading.value) == (0.0, 0.0)
