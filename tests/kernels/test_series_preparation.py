"""Preparation of series: what Hide-and-Seek's organisers did to every array, cell by cell."""

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Series, as_series
from quintain.errors import PartError
from quintain.kernels.series import PADDING, Scaling, prepare
from quintain.testing import example


def schema(features: int, **facts) -> Schema:
    names = [Column(name="stay", kind="id", role="person"), Column(name="t", kind="real")]
    names += [Column(name=f"f{j}", kind="real", nullable=True, **facts) for j in range(features)]
    return Schema(shape="series", columns=tuple(names))


def slow(series: Series, steps: int, imputed: bool) -> np.ndarray:
    """The same by loops over persons, columns and rows, in the words of the rules."""
    persons = [
        [list(row) for row in series.values[a:b][:steps]]
        for a, b in zip(series.offsets[:-1], series.offsets[1:], strict=True)
    ]
    width = series.values.shape[1]
    for j in range(width):
        seen = [row[j] for rows in persons for row in rows if not math.isnan(row[j])]
        median = float(np.median(seen)) if seen else 0.0
        for rows in persons:
            column = [row[j] for row in rows]
            for i in reversed(range(len(column) - 1)):  # from the next row
                column[i] = column[i + 1] if math.isnan(column[i]) else column[i]
            for i in range(1, len(column)):  # from the last row
                column[i] = column[i - 1] if math.isnan(column[i]) else column[i]
            for row, value in zip(rows, column, strict=True):
                if imputed:
                    row[j] = median if math.isnan(value) else value
    for rows in persons:
        times = [row[0] for row in rows if not math.isnan(row[0])]
        for row in rows:
            row[0] -= min(times, default=0.0)
    for j in range(1, width):
        seen = [row[j] for rows in persons for row in rows if not math.isnan(row[j])]
        low, high = min(seen, default=0.0), max(seen, default=0.0)
        for rows in persons:
            for row in rows:
                row[j] = (row[j] - low) / ((high - low) or 1.0)
    out = np.full((len(persons), steps, width), -1.0)
    for i, rows in enumerate(persons):
        if rows:
            out[i, steps - len(rows) :] = rows
    return out


@st.composite
def some_series(draw) -> Series:
    lengths = draw(st.lists(st.integers(0, 5), max_size=4))
    number = st.one_of(st.just(math.nan), st.integers(-3, 9).map(float))
    cells = draw(st.lists(number, min_size=3 * sum(lengths), max_size=3 * sum(lengths)))
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=int)])
    values = np.array(cells, float).reshape(-1, 3)
    return Series(schema(2), np.arange(len(lengths)), offsets, values)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(some_series(), st.integers(1, 6), st.booleans())
def test_preparation_agrees_with_plain_loops(series, steps, imputed):
    fast = prepare(series, steps, imputed=imputed).padded()
    np.testing.assert_allclose(fast, slow(series, steps, imputed), rtol=1e-12, atol=1e-12)


@pytest.mark.slow
@settings(deadline=None)
@given(some_series(), st.integers(1, 6))
def test_preparing_some_persons_agrees_with_preparing_all(series, steps):
    prepared = prepare(series, steps)
    everyone = prepared.padded()
    chosen = np.arange(len(series))[::-2]
    np.testing.assert_array_equal(prepared.padded(chosen, slice(1, 2)), everyone[chosen][:, :, 1:2])
    np.testing.assert_array_equal(prepared.padded(slice(1, 3)), everyone[1:3])
    np.testing.assert_array_equal(prepared.slots(), ~series.padded(steps)[1])
    assert (everyone[~prepared.slots()] == PADDING).all()


def test_scaling_comes_back_in_raw_units_inside_the_bounds():
    bounded = schema(1, low=0, high=10)
    series = Series(bounded, np.array([5, 6]), [0, 2, 3], [[3, 2], [4, 6], [9, np.nan]])
    prepared = prepare(series, 4)
    assert prepared.padded()[:, :, 1].tolist() == [[-1, -1, 0, 1], [-1, -1, -1, 0.5]]
    again = prepared.restore(prepared.values)
    assert again.ids.tolist() == [0, 1]
    assert again.values.tolist() == [[0, 2], [1, 6], [0, 4]]
    beyond = prepared.restore(np.array([[0.0, 9.0], [0.0, -9.0]]), np.array([0, 1, 2]))
    assert beyond.values[:, 1].tolist() == [10, 0]


def test_the_scale_of_other_data_can_be_used():
    one = Series(schema(1), np.array([1]), [0, 2], [[0, 10], [1, 30]])
    other = Series(schema(1), np.array([1]), [0, 1], [[7, 20]])
    assert prepare(other, 2, scaling=prepare(one, 2).scaling).values.tolist() == [[0, 0.5]]
    assert Scaling.of(np.zeros((0, 2))).apply(np.array([[3.0, 4.0]])).tolist() == [[3, 4]]


def test_long_series_keep_their_first_rows():
    series = Series(schema(1), np.array([1, 2]), [0, 3, 4], [[0, 1], [1, 2], [2, 3], [5, 4]])
    assert series.head(2).values.tolist() == [[0, 1], [1, 2], [5, 4]]
    assert series.head(3) is series
    assert as_series(series) is series
    with pytest.raises(PartError, match="this works on series, not on a table"):
        as_series(example("table"))


def test_preparation_is_twenty_times_faster_than_the_organisers():
    """Their code takes 18.6 CPU-milliseconds for a record of 100 x 71, most of it in pandas."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(30, 101, 400)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    values = rng.normal(size=(int(offsets[-1]), 71))
    values[:, 1:][rng.random((len(values), 70)) < 0.77] = np.nan
    series = Series(schema(70), np.arange(400), offsets, values)
    best = min(_cpu_seconds(lambda: prepare(series, 100).padded()) for _ in range(3))
    assert best / 400 < 0.0186 / 20, f"{1000 * best / 400:.2f} CPU-ms a record"


def _cpu_seconds(action) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start
