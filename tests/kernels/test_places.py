"""Places: fast counts beside plain ones."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data import CellGrid, Trajectories
from quintain.kernels.places import (
    blur_counts,
    cells_at,
    step_counts,
    steps_of,
    usual_cells,
    visit_counts,
)
from quintain.testing import example

SEEDS = st.integers(0, 10_000)


def _traces(seed: int) -> Trajectories:
    traces, rng = example("trajectories", seed=seed % 7), np.random.default_rng(seed)
    cells = rng.integers(-1, 6, size=int(traces.offsets[-1]))
    return traces.with_cells(cells)


def _points(traces: Trajectories) -> list[tuple[int, int, int]]:
    person, times, cells = traces.person_of_point(), traces.times(), traces.cells()
    return list(zip(person.tolist(), times.tolist(), cells.tolist(), strict=True))


@given(SEEDS, st.integers(1, 6))
def test_visits_are_counted_by_part_of_the_day(seed: int, slots: int) -> None:
    traces = _traces(seed)
    plain = Counter(
        (person, time % 86_400 * slots // 86_400, cell)
        for person, time, cell in _points(traces)
        if cell >= 0
    )
    counts = visit_counts(traces, slots).reshape(len(traces), slots, -1)
    assert {key: int(counts[key]) for key in plain} == dict(plain)
    assert counts.sum() == sum(plain.values())


@given(SEEDS)
def test_steps_join_recorded_points_of_one_day(seed: int) -> None:
    traces = _traces(seed)
    plain: Counter[tuple[int, int, int]] = Counter()
    points = _points(traces)
    for (who, when, cell), (next_who, next_when, next_cell) in pairwise(points):
        one_day = who == next_who and when // 86_400 == next_when // 86_400
        if one_day and cell >= 0 and next_cell >= 0:
            plain[who, cell, next_cell] += 1
    person, before, after = steps_of(traces)
    assert Counter(zip(person.tolist(), before.tolist(), after.tolist(), strict=True)) == plain
    size = traces.grid.size
    dense = step_counts(traces).toarray().reshape(len(traces), size, size)
    assert {key: int(dense[key]) for key in plain} == dict(plain)


@given(SEEDS)
def test_the_cell_at_a_time_is_looked_up(seed: int) -> None:
    traces, rng = _traces(seed), np.random.default_rng(seed)
    plain = {(person, time): cell for person, time, cell in _points(traces)}
    person = rng.integers(len(traces), size=30)
    times = rng.choice(np.append(traces.times(), [0, 99]), 30)
    expected = [plain.get(key, -1) for key in zip(person.tolist(), times.tolist(), strict=True)]
    assert cells_at(traces, person, times).tolist() == expected


@pytest.mark.slow
@given(SEEDS)
def test_the_usual_cell_is_the_most_frequent_one(seed: int) -> None:
    known = _traces(seed)
    usual = usual_cells(known, known)
    for (person, time, _), cell in zip(_points(known), usual.tolist(), strict=True):
        here = [c for p, t, c in _points(known) if p == person and c >= 0]
        now = [
            c
            for p, t, c in _points(known)
            if p == person and c >= 0 and t % 86_400 == time % 86_400
        ]
        counts = Counter(now or here)
        if counts:
            assert counts[cell] == max(counts.values())


@given(st.integers(0, 8), st.floats(0.2, 3))
def test_a_blur_loses_nothing(cell: int, reach: float) -> None:
    counts = np.zeros((1, 9))
    counts[0, cell] = 2.0
    spread = blur_counts(counts, CellGrid(3, 3, ("x", "y")), reach)
    assert abs(spread.sum() - 2) < 1e-9 and spread.argmax() == cell
