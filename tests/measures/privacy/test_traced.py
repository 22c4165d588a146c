"""Traced and place utility: the figures of the evaluation programs of PWS Cup 2019."""

import numpy as np

import quintain as q
from quintain.data import CellGrid, Column, Schema, Trajectories
from quintain.data.columns import Columns
from quintain.measures.privacy.traced import Traced, _ratio
from quintain.testing import case_of, example

SIDES = (0.12 / 32 * 91, 0.1 / 32 * 111)
"""The sides of a region of PWS Cup 2019, in km."""


def test_the_grid_of_2019() -> None:
    assert np.allclose(SIDES, (0.34125, 0.346875))
    grid = CellGrid(32, 32, ("x", "y"))
    every = np.arange(1024)
    worth = np.maximum(0, 1 - grid.distances(every[:, None], every[None, :], SIDES) / 2)
    by_truth = worth.mean(axis=1)
    # The published run of random guesses has the safety 0.96695, whatever cells its people were in.
    assert by_truth.min() < 1 - 0.9669511498528698 < by_truth.max()


def test_one_region_away_and_a_hospital() -> None:
    points = {
        "target": [0, 0, 1],
        "time": ["2024-03-06 06:00", "2024-03-06 10:30"] * 1 + ["2024-03-06 06:00"],
    }
    truth = points | {"x": [0, 1, 0], "y": [0, 0, 0]}
    guess = points | {"x": [1, 1, 0], "y": [0, 0, 1]}
    case = case_of(q.part("goal/trace"), truth, guess)
    near = [1 - 0.34125 / 2, 1.0, 1 - 0.346875 / 2]
    plain = Traced(reach=2, sides=SIDES).measure([case], rng=np.random.default_rng(0))
    assert abs(plain["traced"].value - np.mean(near)) < 1e-12
    assert abs(plain["cells_right"].value - 1 / 3) < 1e-12
    hospital = Traced(reach=2, sides=SIDES, sensitive=(1,))
    weighted = hospital.measure([case], rng=np.random.default_rng(0))["traced"]
    assert abs(weighted.value - np.average(near, weights=[1, 10, 1])) < 1e-12
    assert weighted.n == 2


def test_far_guesses_are_worth_nothing() -> None:
    points = {"target": [0], "time": ["2024-03-06 06:00"]}
    case = case_of(
        q.part("goal/trace"), points | {"x": [0], "y": [0]}, points | {"x": [7], "y": [7]}
    )
    assert q.measure("traced", case.guess, case.truth, reach=6)["traced"].value == 0


def test_place_utility_counts_deleted_places_as_lost() -> None:
    columns = (
        Column(name="person", kind="id", role="person"),
        Column(name="time", kind="time", role="time"),
        Column(name="region", kind="integer", low=1, high=1024, role="region/32", nullable=True),
    )
    schema = Schema(shape="trajectories", columns=columns)
    head = {"person": ["a", "a", "b"], "time": ["2024-03-04", "2024-03-05", "2024-03-04"]}
    original, release = (
        Trajectories.from_rows(Columns.of(schema, head | {"region": regions}))
        for regions in ([1, 1, 40], [2, None, 40])
    )
    reading = q.measure("place-utility", original, release, reach=2, sides=SIDES)["place_utility"]
    assert abs(reading.value - ((1 - (0.34125 / 2 + 1) / 2) + 1) / 2) < 1e-12


def test_intervals_come_from_people_and_not_from_points() -> None:
    traces = example("trajectories", rows=1600)
    release = q.sanitize("planar-laplace", traces, epsilon=1, seed=1).data
    reading = q.measure("place-utility", traces, release)["place_utility"]
    assert reading.n == len(traces)
    assert reading.low < reading.value < reading.high


def test_the_interval_is_that_of_a_ratio_over_people() -> None:
    parts, wholes = np.array([1.0, 2.0, 0.0, 1.5]), np.array([1.0, 4.0, 0.0, 2.0])
    reading = _ratio(parts, wholes)
    value = 4.5 / 7
    residuals = np.array([1 - value, 2 - 4 * value, 1.5 - 2 * value]) / (7 / 3)
    reach = 1.959964 * residuals.std(ddof=1) / np.sqrt(3)
    assert (reading.value, reading.n) == (value, 3)
    assert np.allclose([reading.low, reading.high], [value - reach, value + reach], atol=1e-6)
    clipped = _ratio(np.array([0.0, 0.0, 1.0]), np.ones(3))
    assert clipped.low == 0.0
    assert _ratio(np.array([1.0, 1.0, 0.0]), np.ones(3)).high == 1.0
    alone = _ratio(np.array([0.5]), np.array([2.0]))
    assert (alone.value, alone.low, alone.high, alone.n) == (0.25, 0, 1, 1)
    assert not _ratio(np.zeros(2), np.zeros(2)).measured


def test_without_a_point_there_is_nothing_to_trace() -> None:
    empty = {"target": np.array([], int), "time": [], "x": [], "y": []}
    case = case_of(q.part("goal/trace"), empty, empty)
    read = Traced().measure([case], rng=np.random.default_rng(0))
    assert [reading.note for reading in read.values()] == ["nobody has a place"] * 2
