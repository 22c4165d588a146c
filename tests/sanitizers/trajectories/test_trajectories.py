"""Sanitizers of trajectories: what they claim, and what they leave as it was."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quintain as q
from quintain.data import Trajectories
from quintain.randomness.noise import Noise
from quintain.sanitizers.sanitizer import sanitize
from quintain.sanitizers.trajectories.common_cells import people_in_cells
from quintain.sanitizers.trajectories.markov_trips import (
    MarkovTrips,
    _Blocks,
    _bounded_tables,
    _Clock,
)
from quintain.sanitizers.trajectories.planar_laplace import planar_steps
from quintain.testing import example

TRACES = example("trajectories", rows=800)


def _run(name: str, traces: Trajectories = TRACES, **parameters: object) -> Trajectories:
    part = q.part(f"sanitizer/{name}", **parameters)
    rng, noise = np.random.default_rng(1), Noise.for_test(1)
    return sanitize(part, traces, rng=rng, noise=noise).release.data


def test_planar_steps_have_the_law_that_is_claimed() -> None:
    epsilon, size = 1.2, 40_000
    steps = planar_steps(epsilon, size, Noise.for_test(2))
    near = np.arange(-40, 41)
    lengths = np.hypot(*np.meshgrid(near, near))
    law = np.exp(-epsilon * lengths) / np.exp(-epsilon * lengths).sum()
    for x, y in ((0, 0), (1, 0), (0, -1), (1, 1), (2, -1)):
        expected = float(law[40 + y, 40 + x])
        share = float(((steps[:, 0] == x) & (steps[:, 1] == y)).mean())
        assert abs(share - expected) < 5 * math.sqrt(expected / size)


def test_geo_indistinguishability_is_claimed_per_point_and_not_as_differential_privacy() -> None:
    release = q.sanitize("planar-laplace", TRACES, epsilon=0.5, seed=1)
    assert release.claim is None
    assert release.models[0].name.startswith("geo-indistinguishability per point")
    assert release.models[0].value == 0.5
    cells = release.data.cells()
    assert ((cells < 0) == (TRACES.cells() < 0)).all()


def test_blocks_and_periods_make_places_coarse() -> None:
    coarse = _run("coarse-places", block=4)
    cells = coarse.cells()
    assert set((cells[cells >= 0] % 8).tolist()) <= {2, 6}
    held = _run("coarse-places", block=1, hours=24).cells().reshape(len(TRACES), 4, 4)
    assert all(len(set(day[day >= 0].tolist())) <= 1 for person in held for day in person)


def test_every_published_cell_has_k_people() -> None:
    release = _run("common-cells", k=9)
    people = people_in_cells(release)
    assert people[people > 0].min() >= 9


@pytest.mark.parametrize("name", ["place-swap", "trace-swap"])
def test_exchanges_keep_the_places_of_each_time(name: str) -> None:
    release = _run(name, share=1)
    for time in np.unique(TRACES.times()):
        before, after = (np.sort(t.cells()[t.times() == time]) for t in (TRACES, release))
        assert (before == after).all()
    assert (release.ids == TRACES.ids).all()
    assert (release.cells() != TRACES.cells()).mean() > 0.5


def test_a_trace_swap_moves_whole_trajectories() -> None:
    release = _run("trace-swap", share=0.5)
    moved = [
        number
        for number in range(len(TRACES))
        if release.take([number]).cells().tolist() != TRACES.take([number]).cells().tolist()
    ]
    assert len(TRACES) * 0.3 < len(moved) <= len(TRACES) * 0.5


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_one_person_changes_the_measured_tables_by_no_more_than_is_paid_for(
    seed: int, most: int
) -> None:
    rng = np.random.default_rng(seed)
    person = TRACES.take([0])
    wild = person.with_cells(rng.integers(-1, TRACES.grid.size, size=int(person.offsets[-1])))
    tables = _bounded_tables(wild, _Blocks.of(wild.grid, 2), most, Noise.for_test(seed))
    lengths = [math.sqrt(float((table.astype(float) ** 2).sum())) for table in tables]
    assert lengths[0] <= 1 and lengths[1] <= 1 and lengths[2] <= math.sqrt(most) + 1e-12


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from([1, 30, 90, 1440]))
def test_one_person_changes_days_and_times_of_day_by_no_more_than_is_paid_for(
    seed: int, most: int, every: int
) -> None:
    clock = _Clock.of(TRACES.schema["time"], every)
    times = np.random.default_rng(seed).integers(clock.first, clock.last, size=50)
    busy = _person_at(np.unique(times))
    for table in clock.count(busy, most, Noise.for_test(seed)):
        assert table.max() <= 1 and table.sum() <= most


def _person_at(times: np.ndarray) -> Trajectories:
    columns = {"time": times, "x": np.zeros(len(times), int), "y": np.zeros(len(times), int)}
    return Trajectories(TRACES.schema, np.array([0]), np.array([0, len(times)]), columns)


ODD = 3 * 3600 + 17 * 60
"""A time of day at which one person alone has a point."""


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1, 10])
def test_the_times_of_one_person_are_in_no_release(epsilon: float) -> None:
    first = int(TRACES.times().min() // 86_400 * 86_400)
    odd = _person_at(np.array([first + ODD]))
    columns = {name: np.append(TRACES.columns[name], odd.columns[name]) for name in odd.columns}
    offsets = np.append(TRACES.offsets, TRACES.offsets[-1] + 1)
    joined = Trajectories(TRACES.schema, np.arange(len(TRACES) + 1), offsets, columns)
    part = MarkovTrips(epsilon=epsilon, people=1)
    seen = {
        side: [_times_of_day(part, traces, seed) for seed in range(60)]
        for side, traces in (("with", joined), ("without", TRACES))
    }
    slot = ODD // 1800 * 1800
    assert not any(ODD in times for times in seen["with"])
    rates = [np.mean([slot in times for times in runs]) for runs in seen.values()]
    assert abs(rates[0] - rates[1]) < 0.3


def _times_of_day(part: MarkovTrips, traces: Trajectories, seed: int) -> set[int]:
    noise = Noise.for_test(seed)
    release = sanitize(part, traces, rng=np.random.default_rng(seed), noise=noise).release
    return set((release.data.times() % 86_400).tolist())


def test_times_of_many_people_are_in_the_release_and_others_are_not() -> None:
    release = _run("markov-trips", epsilon=50, people=5)
    of_day = {times.tobytes() for times in (np.unique(t.times()) for t in (release, TRACES))}
    assert len(of_day) == 1


def test_times_without_bounds_are_refused() -> None:
    columns = tuple(
        column.model_copy(update={"earliest": None, "latest": None})
        for column in TRACES.schema.columns
    )
    schema = TRACES.schema.model_copy(update={"columns": columns})
    assert "earliest and the latest time" in (MarkovTrips().refusal(schema) or "")


def test_tables_of_people_add_up() -> None:
    blocks, noise = _Blocks.of(TRACES.grid, 4), Noise.for_test(3)
    whole = _bounded_tables(TRACES, blocks, 1000, noise)
    parts = [_bounded_tables(TRACES.take([i]), blocks, 1000, noise) for i in range(len(TRACES))]
    assert (whole[0] == sum(part[0] for part in parts)).all()
    assert (whole[2] == sum(part[2] for part in parts)).all()


def test_the_claim_of_new_trips_is_about_people_and_made_up_people_have_no_names() -> None:
    part = MarkovTrips(epsilon=20, delta=1e-6)
    release = sanitize(part, TRACES, rng=np.random.default_rng(1), noise=Noise.for_test(1)).release
    assert release.claim is not None and release.claim.unit == "person"
    assert release.claim.epsilon == 20 and release.claim.delta == 1e-6
    assert abs(len(release.data) - len(TRACES)) < 15
    assert not set(release.data.ids.tolist()) & set(map(str, TRACES.ids.tolist()))
    off = q.measure("movement", TRACES, release.data)["cells_off"].value
    assert off < 0.6
