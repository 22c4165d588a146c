"""Trajectories: grids, rows and back, and every fault of a file in one report."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quintain as q
from quintain.data import CellGrid, Column, Schema, Trajectories, as_trajectories, read, see
from quintain.data.columns import Columns
from quintain.data.learning.learn import learn
from quintain.data.own_files.reading import read_own
from quintain.data.trajectories import lacking_place
from quintain.errors import DataError, PartError
from quintain.testing import example

TIME = Column(name="time", kind="time", role="time", time_format="%Y-%m-%d %H:%M")
PERSON = Column(name="person", kind="id", role="person")
X, Y = (
    Column(name=name, kind="integer", low=0, high=high, role=name, nullable=True)
    for name, high in (("x", 3), ("y", 2))
)
SCHEMA = Schema(shape="trajectories", columns=(PERSON, TIME, X, Y))
REGIONS = Schema(
    shape="trajectories",
    columns=(
        PERSON,
        TIME,
        Column(name="region", kind="integer", low=1, high=12, role="region/4", nullable=True),
    ),
)
WRONG = """person,time,x,y
ann,2024-03-04 08:00,1,1
ann,2024-03-04 09:00,4,1
bob,2024-03-04 08:00,1,
bob,2024-03-04 08:00,1,2
ann,2024-03-04 08:30,2,1
"""


def test_x_and_y_and_regions_are_the_same_cells() -> None:
    by_xy = Columns.of(
        SCHEMA,
        {"person": ["a", "a"], "time": ["2024-03-04 08:00", "2024-03-04 09:00"]}
        | {"x": [3, None], "y": [2, None]},
    )
    by_region = Columns.of(
        REGIONS,
        {"person": ["a", "a"], "time": ["2024-03-04 08:00", "2024-03-04 09:00"]}
        | {"region": [12, None]},
    )
    cells = [Trajectories.from_rows(rows).cells().tolist() for rows in (by_xy, by_region)]
    assert cells == [[11, -1], [11, -1]]
    assert [CellGrid.of(s).size for s in (SCHEMA, REGIONS)] == [12, 12]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30), st.integers(-1, 11)), max_size=40))
def test_rows_come_back_in_the_order_of_time(points: list[tuple[int, int, int]]) -> None:
    points = list({(who, when): (who, when, cell) for who, when, cell in points}.values())
    who, when, cell = (np.array([p[i] for p in points], np.int64) for i in range(3))
    grid = CellGrid.of(SCHEMA)
    rows = Columns(SCHEMA, {"person": who, "time": when * 60, **grid.places(cell)})
    traces = Trajectories.from_rows(rows)
    assert len(traces) == len(set(who.tolist()))
    assert Trajectories.from_rows(traces.to_rows()).digest() == traces.digest()
    for number, name in enumerate(traces.ids.tolist()):
        own = sorted((w, c) for p, w, c in points if p == name)
        part = slice(traces.offsets[number], traces.offsets[number + 1])
        assert (traces.times()[part] // 60).tolist() == [w for w, _ in own]
        assert traces.cells()[part].tolist() == [c for _, c in own]


def test_every_fault_of_a_file_is_in_one_report(tmp_path) -> None:
    file = tmp_path / "trips.csv"
    file.write_text(WRONG)
    for reader in (lambda: read(file, SCHEMA), lambda: read_own(file, SCHEMA)):
        with pytest.raises(DataError) as caught:
            reader()
        messages = [str(fault) for fault in caught.value.faults]
        assert len(messages) == 4, messages
        text = "\n".join(messages)
        assert "trips.csv:3 x='4': expected an integer in 0..3" in text
        assert "trips.csv:4 y" in text and "expected a number, because x has one" in text
        assert "trips.csv:5 time='2024-03-04 08:00:00': the same person has a point" in text
        assert "trips.csv:6 time='2024-03-04 08:30:00': before the time on line 3" in text


def test_a_schema_without_places_is_refused() -> None:
    bare = Schema(columns=(PERSON, TIME))
    assert "roles x and y" in lacking_place(bare)
    with pytest.raises(PartError, match="roles x and y"):
        CellGrid.of(bare)
    odd = REGIONS.model_copy(
        update={
            "columns": (PERSON, TIME, REGIONS["region"].model_copy(update={"role": "region/5"}))
        }
    )
    assert lacking_place(odd) == "'region' has 12 regions, which do not fill rows of 5"


def test_own_files_are_learned_as_trajectories(tmp_path) -> None:
    file = tmp_path / "mine.csv"
    example("trajectories").to_csv(file)
    roles = {"person": "person", "time": "time", "x": "x", "y": "y"}
    learned = learn(file, shape="trajectories", roles=roles)
    traces = as_trajectories(read_own(file, learned.schema))
    assert len(traces) == len(example("trajectories"))
    assert learned.schema["x"].nullable


def test_trajectories_are_seen_as_transactions() -> None:
    traces = example("trajectories")
    rows = see(traces, "transactions")
    assert len(rows) == int(traces.offsets[-1])
    assert rows.time_column.name == "time" and rows.person_column.name == "person"


def test_the_simulator_has_homes_work_places_and_gaps() -> None:
    traces = q.part("source/trips", rows=40, days=7, irregular=0).data(np.random.default_rng(3))
    cells = traces.cells().reshape(40, 7, 12)
    assert 0.02 < (cells < 0).mean() < 0.1
    morning, noon = cells[:, :5, 0], cells[:, :5, 4]
    for part in (morning, noon):  # on weekdays most people are where they were the day before
        near = [traces.grid.distances(day[1:], day[:-1]) <= 1.5 for day in part if (day >= 0).all()]
        assert np.mean(near) > 0.75
    assert (traces.grid.distances(morning, noon) > 1.5).mean() > 0.5
