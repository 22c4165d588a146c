"""The release of the moments generator, on made data and on the population of AMIC."""

import time
import tracemalloc

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.data.arrays import MISSING_TIME
from quintain.data.sources.adult import TRAIN, Adult
from quintain.errors import PartError
from quintain.kernels.dummies import moments
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic.moments import MomentsGenerator
from quintain.testing import example_table, people
from tests.sanitizers.synthetic.moments.moments_cases import release_of, sanitized, stand_in

# --- the release and its claim --------------------------------------------------------------------


def test_a_single_record_is_published_unchanged():
    data = people(example_table()).take([7])
    for variant in ("svd", "zca"):
        assert release_of(data, rows=3, variant=variant).data.equals(data.take([0, 0, 0]))


def test_a_column_that_does_not_vary_stays_as_it_is():
    data = people(example_table())
    data = data.replace({"size": np.full(200, 4), "flag": np.ones(200)})
    release = release_of(data, rows=1000).data
    assert set(release.columns["size"].tolist()) == {4}
    assert set(release.columns["flag"].tolist()) == {1}


def test_no_privacy_is_claimed_and_every_record_is_synthetic():
    both = sanitized(people(example_table()))
    assert both.release.claim is None
    (method,) = both.release.methods
    assert (method.name, method.rows, method.columns) == ("synthetic data generation", 200, ())
    assert {point.columns for point in both.trace.focal_points} == {
        ("colour", "size"), ("colour", "flag"), ("size", "flag"),
    }  # fmt: skip


def test_the_records_come_from_the_noise_and_not_from_the_seed():
    data = people(example_table())
    once = release_of(data, seed=1).data
    part = MomentsGenerator()
    again = sanitize(
        part, data, rng=np.random.default_rng(123), noise=Noise.for_test(1)
    ).release.data
    assert once.equals(again)
    assert not once.equals(release_of(data, seed=2).data)


def test_ids_are_refused():
    with pytest.raises(PartError, match="makes no ids; leave them out: home"):
        release_of(example_table())


def test_the_patents_are_named():
    for number in ("US 12,265,649 B2", "JP6904426B2", "EP3696704B1", "not legal advice"):
        assert number in " ".join((MomentsGenerator.__doc__ or "").split())


def test_memory_is_little_more_than_the_release():
    data, rows = stand_in(2000), 200_000
    tracemalloc.start()
    release = release_of(data, rows=rows)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    size = sum(array.nbytes for array in release.data.columns.values())
    # The matrix of all variables would take 90 MB, and several copies would exist.
    assert peak < 3 * size + 40e6


# --- the population of AMIC -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def adult(real_data):
    if not (real_data / TRAIN[0]).is_file():
        pytest.skip(f"{TRAIN[0]} not in {real_data}: set QUINTAIN_DATA to the real data")
    data = Adult(real=True).load()
    assert len(data) == 30_162
    return data


@pytest.fixture(scope="module")
def million(adult):
    begin = time.process_time()
    release = release_of(adult, rows=1_000_000)
    return release.data, time.process_time() - begin


@pytest.mark.real_data
@pytest.mark.parametrize("variant", ["svd", "zca"])
def test_the_moments_of_the_census_data_are_exact(adult, variant):
    part, wanted = MomentsGenerator(rows=40_000, variant=variant), moments(adult)
    values = part.continuous(adult, Noise.for_test(0))
    assert np.abs(values.mean(axis=0) - wanted.mean).max() < 1e-9
    assert np.abs(np.cov(values.T) - wanted.covariance).max() < 1e-9


@pytest.mark.real_data
def test_a_million_records_take_a_few_seconds_and_enough_are_distinct(million):
    data, seconds = million
    assert len(data) == 1_000_000
    assert seconds < 120  # far from what any machine needs
    distinct = len(np.unique(data.row_keys()))
    assert distinct >= 100_000
    # Directions of axes as they come from a library gave 587,000 to 629,000; ours give more.
    assert 550_000 < distinct < 750_000


@pytest.mark.real_data
def test_making_records_discrete_costs_the_known_amount(adult, million):
    gap = np.abs(moments(million[0]).covariance - moments(adult).covariance)
    assert gap.sum() == pytest.approx(50, rel=0.1)
    assert gap.sum(axis=0).max() == pytest.approx(16, rel=0.05)
    hours = [np.bincount(t.columns["hours-per-week"], minlength=99) for t in (adult, million[0])]
    distance = 0.5 * np.abs(hours[0] / hours[0].sum() - hours[1] / hours[1].sum()).sum()
    assert distance == pytest.approx(0.67, abs=0.03)
    assert 7 not in million[0].columns["workclass"]  # in the data nobody has never worked


@pytest.mark.real_data
def test_zca_loses_no_value_and_keeps_one_way_counts(adult):
    release = release_of(adult, rows=100_000, variant="zca").data
    for column in adult.schema.columns:
        if column.kind == "category":
            old, new = (
                np.bincount(t.columns[column.name], minlength=column.size) for t in (adult, release)
            )
            assert ((old > 0) == (new > 0)).all()
            assert 0.5 * np.abs(old / old.sum() - new / new.sum()).sum() < 0.02


def test_times_keep_their_mean_and_stay_whole_days():
    day = Column(name="day", kind="time", nullable=True)
    age = Column(name="age", kind="real", low=0, high=99)
    rng = np.random.default_rng(0)
    ages = rng.uniform(20, 80, 400)
    days = (18_000 + 5 * ages + rng.integers(0, 30, 400)).astype(int) * 86_400
    days[:40] = MISSING_TIME
    table = Table(Schema(columns=(day, age)), {"day": days, "age": ages})
    made = sanitize(
        MomentsGenerator(), table, rng=np.random.default_rng(0), noise=Noise.for_test(0)
    ).release.data
    drawn = made.columns["day"]
    known = drawn != MISSING_TIME
    assert (drawn[known] % 86_400 == 0).all()
    assert (~known).mean() == pytest.approx(0.1, abs=0.05)
    assert drawn[known].mean() == pytest.approx(days[40:].mean(), abs=10 * 86_400)
    assert np.corrcoef(drawn[known], made.columns["age"][known])[0, 1] > 0.8
