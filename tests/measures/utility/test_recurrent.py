"""Utility by recurrent networks: releases in the order they deserve, and no fault of 2020."""

import sys

import numpy as np
import pytest

from quintain.data import Series
from quintain.data.sources.icu import Icu
from quintain.errors import MissingExtra
from quintain.kernels.networks import prepare_timed
from quintain.kernels.series import PreparedSeries
from quintain.measures import reading_rng
from quintain.measures.utility.series.recurrent import Recurrent, mean_ratio, predicted_columns
from quintain.measures.utility.series.skill_retention import Errors
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.series.noise import NoiseShuffle

torch = pytest.importorskip("torch")

SOURCE = Icu(rows=200, features=4, steps=12, baseline=3.0, missing=0.5)
SMALL = Recurrent(features=2, hidden=8, layers=1, epochs=12, batch=16, seeds=(1, 2), device="cpu")


@pytest.fixture(scope="module")
def stays() -> Series:
    return SOURCE.generate(np.random.default_rng(0))


@pytest.fixture(scope="module")
def others() -> Series:
    return SOURCE.test_data(np.random.default_rng(1))


@pytest.mark.slow
def test_the_original_keeps_its_skill_and_shuffled_rows_do_not(stays, others):
    noise = Noise.for_test(1)
    mixed = sanitize(NoiseShuffle(), stays, rng=np.random.default_rng(1), noise=noise).release.data
    same, worse = (SMALL.measure(stays, side, others, rng=reading_rng()) for side in (stays, mixed))
    assert set(same) == set(SMALL.reads)
    assert same["recurrent_step_skill"].value == 1
    assert same["recurrent_step_ratio"].value == 1
    assert same["recurrent_feature_ratio"].value == 1
    assert same["recurrent_features_passed"].value == 2
    assert same["recurrent_step_skill"].method == "jackknife over 2 seeds"
    assert worse["recurrent_step_skill"].value < 0.3
    assert worse["recurrent_step_ratio"].value > 1.1


@pytest.mark.slow
def test_every_seed_counts(stays, others):
    """In 2020 the next row was judged by the last seed alone."""
    release = stays.take(np.arange(80))
    both = SMALL.measure(stays, release, others, rng=reading_rng())["recurrent_step_ratio"].value
    single = [
        SMALL.model_copy(update={"seeds": (seed,)}).measure(
            stays, release, others, rng=reading_rng()
        )
        for seed in SMALL.seeds
    ]
    alone = [readings["recurrent_step_ratio"] for readings in single]
    assert all("groups of test persons" in reading.method for reading in alone)
    assert both not in [reading.value for reading in alone]


@pytest.mark.slow
def test_a_feature_that_does_not_vary_is_not_asked_about(stays, others):
    """In 2020 it was taken for a class, and so were all features after it."""
    values = np.array(stays.values)
    values[:, 2] = 5.0
    flat = Series(stays.schema, stays.ids, stays.offsets, values)
    prepared = prepare_timed(flat, 12)
    assert predicted_columns(prepared, others, 10) == [1, 3, 4]
    many = SMALL.model_copy(update={"features": 4})
    readings = many.measure(flat, flat, others, rng=reading_rng())
    assert readings["recurrent_features_passed"].value == 3
    assert "only 3 features vary" in readings["recurrent_skill_4"].note


def test_the_test_records_decide_which_features_are_asked_about(stays):
    prepared = prepare_timed(stays, 12)
    drawn = [
        tuple(predicted_columns(prepared, SOURCE.test_data(np.random.default_rng(seed)), 2))
        for seed in range(12)
    ]
    assert len(set(drawn)) > 2
    assert all(0 not in columns for columns in drawn)  # time is no feature
    assert drawn[3] == tuple(
        predicted_columns(prepared, SOURCE.test_data(np.random.default_rng(3)), 2)
    )


@pytest.mark.slow
def test_a_release_in_other_units_needs_its_own_scale(stays, others):
    prepared: PreparedSeries = prepare_timed(stays, 12)
    scaled = Series(stays.schema, stays.ids, prepared.offsets, prepared.values)
    own = SMALL.model_copy(update={"scaled_by": "own"})
    assert own.measure(stays, scaled, others, rng=reading_rng())["recurrent_step_skill"].value > 0.9
    assert (
        SMALL.measure(stays, scaled, others, rng=reading_rng())["recurrent_step_skill"].value < 0.5
    )


def test_the_mean_ratio_is_that_of_2020():
    errors = Errors(*(np.array([row, row]) for row in ([4.0, 4.0], [1.0, 4.0], [4.0, 1.0])),
                    count=np.ones(2))  # fmt: skip
    assert mean_ratio(errors) == pytest.approx((2 + 0.5) / 2)


def test_nothing_to_test_on_or_to_learn_from_is_said(stays, others):
    for reading in SMALL.measure(stays, stays, None, rng=reading_rng()).values():
        assert not reading.measured and "no test records" in reading.note
    empty = stays.take(np.zeros(0, int))
    for reading in SMALL.measure(stays, empty, others, rng=reading_rng()).values():
        assert not reading.measured and "nothing to learn from" in reading.note


def test_without_pytorch_there_is_the_line_that_installs_it(stays, others, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"recurrent networks needs torch: pip install"):
        SMALL.measure(stays, stays, others, rng=reading_rng())
