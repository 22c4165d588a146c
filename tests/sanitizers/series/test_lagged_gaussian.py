"""New series from averages, ranges that are not published, and the rounding of 2020."""

import numpy as np
import pytest

from quintain.attacks.membership.series.averages import SeriesAverages
from quintain.attacks.membership.series.row_density import RowDensity, bound_verdicts
from quintain.data import Series
from quintain.data.sources.icu import Icu
from quintain.kernels.series import prepare
from quintain.measures import reading_rng
from quintain.measures.utility.series.diversity import SeriesDiversity
from quintain.measures.utility.series.skill_retention import SkillRetention
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.series.bin_swap import BinSwap
from quintain.sanitizers.series.lagged_gaussian import LaggedGaussian
from quintain.sanitizers.series.noise import NoiseShuffle

SOURCE = Icu(rows=300, features=20, steps=24)


@pytest.fixture(scope="module")
def stays() -> Series:
    return SOURCE.generate(np.random.default_rng(3))


def release(sanitizer, data, seed=0):
    rng = np.random.default_rng(0)
    return sanitize(sanitizer, data, rng=rng, noise=Noise.for_test(seed)).release.data


def found(attacker, targets, released):
    scores = attacker.scores(targets, released, 24, rng=np.random.default_rng(0))
    return float((np.argsort(scores, kind="stable")[150:] < 150).mean())


def test_averages_and_skill_stay(stays):
    released = release(LaggedGaussian(shrinkage=0), stays)
    one, other = (prepare(side, 24).values[:, 1:] for side in (stays, released))
    other = prepare(released, 24, scaling=prepare(stays, 24).scaling).values[:, 1:]
    np.testing.assert_allclose(other.mean(axis=0), one.mean(axis=0), atol=0.05)
    gap = np.corrcoef(other.T) - np.corrcoef(one.T)
    assert np.abs(gap).mean() < 0.06
    test = SOURCE.test_data(np.random.default_rng(3))
    readings = SkillRetention().measure(stays, released, test, rng=reading_rng())
    assert readings["step_skill"].value > 0.9 and readings["feature_skill"].value > 0.3
    assert released.lengths.min() >= 1 and released.lengths.max() <= 24


def test_rows_are_nobodys_and_averages_still_lean(stays):
    released = release(LaggedGaussian(shrinkage=0), stays.take(np.arange(150)))
    assert found(RowDensity(), stays, released) < 0.62
    assert not bound_verdicts(stays, released, 24).any()
    assert found(SeriesAverages(), stays, released) > 0.56


def test_shuffled_rows_need_not_publish_the_range_of_the_members(stays):
    private = stays.take(np.arange(150))
    assert bound_verdicts(stays, release(NoiseShuffle(), private), 24).any()
    assert not bound_verdicts(stays, release(NoiseShuffle(clip="schema"), private), 24).any()


def test_a_collapse_is_measured(stays):
    same = release(LaggedGaussian(shrinkage=0), stays)
    values = np.array(same.values)
    values[:, 1:] = values[:, 1:].mean(axis=0) + 0.03 * (values[:, 1:] - values[:, 1:].mean(axis=0))
    collapsed = Series(same.schema, same.ids, same.offsets, values)
    kept, lost = (
        SeriesDiversity().measure(stays, side, None, rng=reading_rng())["row_diversity"].value
        for side in (same, collapsed)
    )
    assert kept > 0.8 and lost < 0.05


def test_bin_and_swap_as_shipped_turns_one_into_a_little_less():
    plain = SOURCE.generate(np.random.default_rng(4))
    values = np.array(plain.values)
    values[:, -1] = np.where(np.isnan(values[:, -1]), np.nan, 1.0)
    always = Series(plain.schema, plain.ids, plain.offsets, values)
    exact, shipped = (
        release(BinSwap(as_shipped=shipped), always).values[:, -1] for shipped in (False, True)
    )
    assert set(exact[~np.isnan(exact)]) == {1.0}
    changed = shipped[~np.isnan(shipped)]
    assert 0 < np.ptp(changed[changed < 1]) < 1e-6
    assert np.median(1 - changed) == pytest.approx(1e-7, rel=0.2)
