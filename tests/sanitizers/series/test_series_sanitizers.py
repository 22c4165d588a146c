"""Sanitizers of series: the baselines and the winner of Hide-and-Seek."""

import numpy as np
import pytest
from scipy.stats import kstest

from quintain.data import Column, Schema, Series
from quintain.data.sources.icu import Icu
from quintain.errors import PartError
from quintain.kernels.series import prepare
from quintain.measures import reading_rng
from quintain.measures.utility.series.skill_retention import SkillRetention
from quintain.randomness.noise import Noise
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.series.bin_swap import BinSwap, swap
from quintain.sanitizers.series.controls import UniformSeries
from quintain.sanitizers.series.noise import (
    AddNoise,
    NoiseShuffle,
    deal,
    in_random_order,
    padded_spread,
    standard_normal,
)
from quintain.testing import example

ALL = [AddNoise(), BinSwap(), NoiseShuffle(), UniformSeries()]


@pytest.fixture(scope="module")
def stays() -> Series:
    return Icu(rows=150, features=6, steps=20).generate(np.random.default_rng(0))


def release(sanitizer: Sanitizer, data, seed: int = 0):
    return sanitize(
        sanitizer, data, rng=np.random.default_rng(0), noise=Noise.for_test(seed)
    ).release


def origins(data: Series, released: Series) -> np.ndarray:
    """For each released person the original with the most similar times."""
    one, other = (prepare(side, 20).padded()[:, :, 0] for side in (data, released))
    return ((other[:, None] - one[None]) ** 2).sum(axis=2).argmin(axis=1)


@pytest.mark.parametrize("sanitizer", ALL, ids=lambda h: h.id)
def test_a_release_has_new_numbers_and_the_old_persons_count(sanitizer, stays):
    result = release(sanitizer, stays)
    assert len(result.data) == 150
    assert result.data.ids.tolist() == list(range(150))
    assert result.methods and result.claim is None
    assert result.data.lengths.min() >= 1


@pytest.mark.parametrize("sanitizer", ALL, ids=lambda h: h.id)
def test_tables_are_refused_and_bounds_are_kept(sanitizer, stays):
    with pytest.raises(PartError, match="is for series, not for table"):
        release(sanitizer, example("table"))
    bound = stays.schema.columns[2].model_copy(update={"low": 20.0, "high": 40.0})
    columns = (*stays.schema.columns[:2], bound, *stays.schema.columns[3:])
    schema = stays.schema.model_copy(update={"columns": columns})
    values = np.array(stays.values)
    values[:, 1] = np.clip(values[:, 1], 20, 40)
    result = release(sanitizer, Series(schema, stays.ids, stays.offsets, values)).data.values[:, 1]
    assert np.nanmin(result) >= 20 and np.nanmax(result) <= 40


def test_uniform_numbers_pass_the_gate_of_2020_and_keep_no_skill(stays):
    released = release(UniformSeries(), stays).data
    low, high = np.nanmin(stays.values[:, 1:], axis=0), np.nanmax(stays.values[:, 1:], axis=0)
    scaled = (released.values[:, 1:] - low) / (high - low)
    assert all(kstest(column, "uniform").pvalue > 1e-4 for column in scaled.T)
    first = released.values[released.offsets[:-1], 0]
    assert (first == 0).all()
    inside = np.delete(np.diff(released.values[:, 0]), released.offsets[1:-1] - 1)
    assert (inside >= 0).all()
    assert set(released.lengths) <= set(stays.lengths)
    others = Icu(rows=150, features=6, steps=20).test_data(np.random.default_rng(0))
    readings = SkillRetention().measure(stays, released, others, rng=reading_rng())
    assert readings["feature_passed"].value == 1
    assert readings["feature_skill"].value < 0.1


def test_deviates_are_normal_and_secret():
    drawn = standard_normal(Noise.for_test(3), 20_000)
    assert kstest(drawn, "norm").pvalue > 0.001
    assert (standard_normal(Noise.for_test(3), 9) == drawn[:9]).all()
    assert (standard_normal(Noise.for_test(4), 9) != drawn[:9]).all()


def test_spread_counts_the_padding(stays):
    prepared = prepare(stays, 25)
    plain = prepared.padded().std(axis=(0, 1))
    np.testing.assert_allclose(padded_spread(prepared), plain, rtol=1e-12)


def test_add_noise_adds_noise_of_its_scale(stays):
    prepared = prepare(stays, 20)
    result = release(AddNoise(s=0.5, keep_time=True), stays).data
    assert not np.isnan(result.values).any()
    origin = origins(stays, result)
    assert sorted(origin.tolist()) == list(range(150))
    rows = prepared.restore(prepared.values).take(origin)
    np.testing.assert_array_equal(result.lengths, rows.lengths)
    np.testing.assert_allclose(result.values[:, 0], rows.values[:, 0], atol=1e-9)
    added = (result.values - rows.values)[:, 1:] / (
        prepared.scaling.span * padded_spread(prepared)
    )[1:]
    assert kstest(added.ravel() / 0.5, "norm").pvalue > 0.001
    moved = release(AddNoise(s=0.5), stays).data
    assert not np.isclose(moved.values[:, 0].sum(), result.values[:, 0].sum())


def test_no_noise_is_the_completed_original(stays):
    result = release(AddNoise(s=0), stays).data
    prepared = prepare(stays, 20)
    expected = prepared.restore(prepared.values).take(origins(stays, result))
    np.testing.assert_allclose(result.values, expected.values, atol=1e-9)


# --- bin and swap ---------------------------------------------------------------------------------


def test_swapping_stays_in_the_bin():
    rng = np.random.default_rng(1)
    scaled = np.round(rng.random(1000), 2)
    changed = swap(scaled, 7, Noise.for_test(1))
    inside = (scaled > 1e-4) & (scaled < 1 - 1e-4)
    assert (changed[~inside] == scaled[~inside]).all()
    pool = np.sort(scaled[inside])
    edges = [pool[k * len(pool) // 7 : (k + 1) * len(pool) // 7] for k in range(7)]
    for old, new in zip(scaled[inside], changed[inside], strict=True):
        assert any(b[0] <= old <= b[-1] and b[0] <= new <= b[-1] for b in edges)
    assert (changed[inside] != scaled[inside]).mean() > 0.8


def test_each_value_of_a_bin_is_as_likely():
    counts = np.zeros(5)
    scaled = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
    noise = Noise.for_test(2)
    for _ in range(2000):
        drawn = swap(scaled, 2, noise)[:5]
        counts += [(drawn == value).sum() for value in scaled[:5]]
    assert abs(counts - 2000).max() < 4 * np.sqrt(10_000 * 0.2 * 0.8)


def test_bin_swap_keeps_times_lengths_and_missing_values(stays):
    result = release(BinSwap(), stays).data
    origin = origins(stays, result)
    rows = stays.take(origin)
    assert sorted(origin.tolist()) == list(range(150))
    np.testing.assert_array_equal(np.isnan(result.values), np.isnan(rows.values))
    spans = rows.values[rows.offsets[1:] - 1, 0] - rows.values[rows.offsets[:-1], 0]
    assert np.abs(result.values[:, 0] - rows.values[:, 0]).max() < 0.0008 * 6 * (spans.max() + 1)
    measured = ~np.isnan(rows.values[:, 1])
    assert (np.abs(result.values - rows.values)[measured, 1] > 1e-6).mean() > 0.3


def test_bin_swap_works_in_a_persons_range_with_padding():
    """By hand: person 1 is padded, so -1 is in the range; 4 is the largest of both and stays."""
    schema = Schema(
        shape="series",
        columns=(
            Column(name="p", kind="id", role="person"),
            Column(name="t", kind="real"),
            Column(name="f", kind="real", nullable=True),
        ),
    )
    series = Series(schema, np.array([0, 1]), [0, 3, 5], [[0, 0], [1, 2], [2, 4], [0, 1.5], [3, 4]])
    outcomes = set()
    for seed in range(20):
        result = release(BinSwap(bins=1, time_noise=0), series, seed).data
        first = result.lengths.tolist().index(3)
        values = {3: result.take([first]).values[:, 1], 2: result.take([1 - first]).values[:, 1]}
        assert values[3][[0, 2]].tolist() == [0, 4] and values[2][1] == 4
        # 2 is 1/2 of 0..4 and 1.5 is 1/2 of -1..4: swapping them changes nothing.
        outcomes.add((round(values[3][1], 9), round(values[2][0], 9)))
    assert outcomes == {(2.0, 1.5)}


# --- noise and shuffle ----------------------------------------------------------------------------


def test_rows_are_dealt_once_each():
    rows, offsets = deal(40, 10, 8, Noise.for_test(1))
    assert sorted(rows.tolist()) == list(range(40))
    assert offsets[0] == 0 and offsets[-1] == 40 and (np.diff(offsets) >= 1).all()
    assert (np.diff(offsets) <= 8).all()


def test_nobody_is_left_without_rows():
    rows, offsets = deal(3, 10, 50, Noise.for_test(1))
    assert (np.diff(offsets) >= 1).all()
    assert set(rows.tolist()) == {0, 1, 2}
    rows, offsets = deal(0, 4, 5, Noise.for_test(1))
    assert len(rows) == 0 and offsets.tolist() == [0, 0, 0, 0, 0]


def test_every_row_can_come_to_everybody():
    owners = np.zeros((6, 3))
    for seed in range(600):
        rows, offsets = deal(6, 3, 4, Noise.for_test(seed))
        owner = np.repeat(np.arange(3), np.diff(offsets))
        if len(rows) == 6:
            owners[rows, owner] += 1
    shares = owners / owners.sum(axis=1, keepdims=True)
    assert abs(shares - 1 / 3).max() < 4 * np.sqrt(2 / 9 / 500)


def test_noise_shuffle_without_noise_keeps_the_rows_and_nothing_else(stays):
    result = release(NoiseShuffle(s=0), stays).data
    prepared = prepare(stays, 20)
    original = prepared.restore(prepared.values)
    one, other = (np.sort(side.values[:, 1]) for side in (original, result))
    np.testing.assert_allclose(one, other, atol=1e-9)
    assert np.minimum.reduceat(result.values[:, 0], result.offsets[:-1]).max() == 0
    assert result.lengths.std() < original.lengths.std()


def test_noise_shuffle_stays_in_the_range(stays):
    result = release(NoiseShuffle(s=1.0), stays).data
    low, high = np.nanmin(stays.values[:, 1:], axis=0), np.nanmax(stays.values[:, 1:], axis=0)
    assert (result.values[:, 1:] >= low - 1e-9).all() and (
        result.values[:, 1:] <= high + 1e-9
    ).all()


def test_the_order_of_a_release_is_random(stays):
    mixed = in_random_order(stays, Noise.for_test(1))
    assert sorted(mixed.lengths.tolist()) == sorted(stays.lengths.tolist())
    assert mixed.lengths.tolist() != stays.lengths.tolist()
