"""Skill retention: sums against plain least squares, and releases in the order they deserve."""

import math

import numpy as np
import pytest

from quintain.data import Series
from quintain.data.sources.icu import Icu
from quintain.errors import PartError
from quintain.kernels.series import PreparedSeries, prepare
from quintain.measures import reading_rng
from quintain.measures.utility.series import skill_retention
from quintain.measures.utility.series.skill_retention import (
    Errors,
    SkillRetention,
    fit,
    fit_mean,
    jackknife_errors,
    overall_ratio,
    passed_share,
    retained_skill,
    sums,
    worst_ratio,
)
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.series.noise import AddNoise, NoiseShuffle

SOURCE = Icu(rows=500, features=12, steps=24)


@pytest.fixture(scope="module")
def stays() -> Series:
    return SOURCE.generate(np.random.default_rng(0))


@pytest.fixture(scope="module")
def others() -> Series:
    return SOURCE.test_data(np.random.default_rng(1))


def uniform(series: Series) -> Series:
    """Random numbers in the range of each column: nobody's data."""
    prepared = prepare(series, 24)
    drawn = np.random.default_rng(2).random(prepared.values.shape)
    drawn[:, 0] *= prepared.values[:, 0].max()
    return prepared.restore(drawn)


# --- ridge from sums ------------------------------------------------------------------------------


def described(prepared: PreparedSeries) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each row with the one before it and a 1; which rows have a next one; the next ones."""
    rows, has_next, following = [], [], []
    for a, b in zip(prepared.offsets[:-1], prepared.offsets[1:], strict=True):
        for row in range(a, b):
            before = prepared.values[max(row - 1, a)]
            rows.append([*prepared.values[row], *before, 1.0])
            has_next.append(row + 1 < b)
            if row + 1 < b:
                following.append(prepared.values[row + 1])
    return np.array(rows), np.array(has_next), np.array(following)


def slow_ridge(x: np.ndarray, y: np.ndarray, ridge: float) -> np.ndarray:
    """Least squares with the penalty as further rows; the last column is the 1."""
    penalty = np.diag(np.sqrt(len(x) * ridge * x[:, :-1].var(axis=0)))
    rows = np.hstack([penalty, np.zeros((len(penalty), 1))])
    return np.linalg.lstsq(np.vstack([x, rows]), np.vstack([y, np.zeros((len(rows), y.shape[1]))]))[
        0
    ]


def test_ridge_from_sums_is_least_squares(stays, others, monkeypatch):
    monkeypatch.setattr(skill_retention, "_ROWS", 24 * 7)
    train, test = prepare(stays, 24), prepare(others, 24)
    learned, tested = (sums(side, np.arange(len(side))) for side in (train, test))
    models, mean = fit(learned, [2, 5], 0.01), fit_mean(learned, [2, 5])
    x, has_next, following = described(train)
    z, test_next, test_following = described(test)
    weights = slow_ridge(x[has_next], following, 0.01)
    np.testing.assert_allclose(models.step, weights, rtol=1e-5, atol=1e-7)
    errors = ((z[test_next] @ weights - test_following) ** 2).sum(axis=0)
    np.testing.assert_allclose(models.step_errors(tested), errors, rtol=1e-5)
    for place, column in enumerate([2, 5]):
        kept = [j for j in range(27) if j not in (column, 13 + column)]
        weights = slow_ridge(x[:, kept], x[:, [column]], 0.01)
        errors = ((z[:, kept] @ weights)[:, 0] - z[:, column]) ** 2
        assert models.feature_errors(tested)[place] == pytest.approx(errors.sum(), rel=1e-5)
        plain = ((x[:, column].mean() - z[:, column]) ** 2).sum()
        assert mean.feature_errors(tested)[place] == pytest.approx(plain, rel=1e-9)
    plain = ((following.mean(axis=0) - test_following) ** 2).sum(axis=0)
    np.testing.assert_allclose(mean.step_errors(tested), plain, rtol=1e-9)


def test_a_column_that_does_not_vary_is_no_trouble(stays):
    values = np.array(stays.values)
    values[:, 3] = 7.0
    flat = Series(stays.schema, stays.ids, stays.offsets, values)
    readings = SkillRetention().measure(flat, flat, flat, rng=reading_rng())
    assert readings["feature_skill"].value == pytest.approx(1)
    assert readings["feature_ratio"].value == pytest.approx(1)


# --- statistics, by hand --------------------------------------------------------------------------

# Root mean squared errors of two columns: mean 2 and 4, original 1 and 2, release 1.5 and 12.
BY_HAND = Errors(
    mean=np.array([[8.0, 32.0], [0.0, 0.0]]),
    original=np.array([[2.0, 8.0], [0.0, 0.0]]),
    release=np.array([[4.5, 288.0], [0.0, 0.0]]),
    count=np.array([1.0, 1.0]),
)


def test_statistics_by_hand():
    # (2 - 1.5) / (2 - 1) = 0.5, and (4 - 12) / (4 - 2) = -4, which counts as -1.
    assert retained_skill(BY_HAND, 0.02) == pytest.approx(-0.25)
    assert math.isnan(retained_skill(BY_HAND, 0.9))
    assert worst_ratio(BY_HAND) == pytest.approx(6)
    assert passed_share(BY_HAND) == 0.5
    assert overall_ratio(BY_HAND) == pytest.approx(math.sqrt((2.25 + 144) / 5))


def test_jackknife_of_a_mean_is_the_t_interval():
    """For a mean the jackknife gives the usual standard error; here of five groups."""
    groups = np.array([[1.0], [2.0], [4.0], [7.0], [11.0]])
    errors = Errors(groups, groups, groups, np.ones(5))
    reading = jackknife_errors(errors, lambda e: float(e.mean.mean()), "higher", (-100, 100))
    half = 2.7764 * groups.std(ddof=1) / math.sqrt(5)
    assert reading.value == 5 and reading.n == 5
    assert reading.high - reading.value == pytest.approx(half, rel=1e-4)
    nothing = jackknife_errors(errors, lambda e: math.nan, "lower", (0, 1))
    assert not nothing.measured and "can be predicted" in nothing.note


# --- releases -------------------------------------------------------------------------------------


def test_the_original_keeps_all_its_skill(stays, others):
    readings = SkillRetention().measure(stays, stays, others, rng=reading_rng())
    assert {name: round(reading.value, 9) for name, reading in readings.items()} == {
        "feature_skill": 1,
        "step_skill": 1,
        "feature_ratio": 1,
        "feature_passed": 1,
        "step_ratio": 1,
    }


def test_worse_releases_keep_less(stays, others):
    rng = np.random.default_rng(0)
    releases = [SOURCE.generate(np.random.default_rng(3))]
    releases += [
        sanitize(sanitizer, stays, rng=rng, noise=Noise.for_test(0)).release.data
        for sanitizer in (AddNoise(s=0.2), AddNoise(s=0.5))
    ]
    releases.append(uniform(stays))
    read = [
        SkillRetention().measure(stays, release, others, rng=reading_rng()) for release in releases
    ]
    for name in ("feature_skill", "step_skill"):
        values = [readings[name].value for readings in read]
        assert values == sorted(values, reverse=True), (name, values)
    assert read[0]["step_skill"].value > 0.95


def test_shuffled_rows_keep_what_is_in_a_row_and_nothing_over_time(stays, others):
    sanitizer = NoiseShuffle(s=0.0)
    rng = np.random.default_rng(0)
    release = sanitize(sanitizer, stays, rng=rng, noise=Noise.for_test(0)).release.data
    readings = SkillRetention().measure(stays, release, others, rng=reading_rng())
    assert readings["feature_skill"].value > 0.8
    assert abs(readings["step_skill"].value) < 0.1


def test_random_numbers_pass_the_gate_of_2020_and_have_no_skill(stays, others):
    readings = SkillRetention().measure(stays, uniform(stays), others, rng=reading_rng())
    assert readings["feature_passed"].value == 1
    assert readings["feature_ratio"].value < 5
    assert readings["feature_skill"].value < 0
    assert readings["step_skill"].value < 0


def test_an_edition_can_choose_the_features(stays, others):
    release = uniform(stays)
    few = SkillRetention(features=("vital1", "gas2")).measure(
        stays, release, others, rng=reading_rng()
    )
    all_ = SkillRetention().measure(stays, release, others, rng=reading_rng())
    assert few["feature_skill"].value != pytest.approx(all_["feature_skill"].value)
    assert few["step_skill"] == all_["step_skill"]
    with pytest.raises(PartError, match="unknown feature 'pulse'; available: vital1"):
        SkillRetention(features=("pulse",)).measure(stays, stays, others, rng=reading_rng())


def test_what_cannot_be_measured_says_why(stays, others):
    without = SkillRetention().measure(stays, stays, None, rng=reading_rng())
    assert {reading.note for reading in without.values()} == {"there are no test records"}
    empty = SkillRetention().measure(stays, stays.take([]), others, rng=reading_rng())
    assert {reading.note for reading in empty.values()} == {"there is nothing to learn from"}
