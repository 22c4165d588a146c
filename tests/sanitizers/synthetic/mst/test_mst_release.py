"""The records of MST: those of odd inputs and of real people too."""

import os
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.data.sources.cps import Cps
from quintain.errors import PartError
from quintain.measures import reading_rng
from quintain.measures.utility.table.marginals import Marginals
from quintain.randomness.noise import Noise
from quintain.samples.targets import Targets
from quintain.sanitizers.synthetic.mst import Mst, MstModel
from quintain.testing import example
from quintain.testing.strategies import tables
from tests.sanitizers.synthetic.model_cases import assert_survives_its_file, oddly_named
from tests.sanitizers.synthetic.mst.mst_cases import preserved, released, sanitized, table


def fitted(data, *, seed=1, **parameters):
    rng = np.random.default_rng(seed)
    return Mst(**parameters).fit(data, rng=rng, noise=Noise.for_test(seed))


# --- the records ----------------------------------------------------------------------------------


def test_with_hardly_any_noise_the_tables_of_the_tree_are_kept():
    data = table(4, 6, 3, rows=2000)
    result = sanitized(data, epsilon=9e5, rows=2000)
    for point in result.trace.focal_points:
        cells = [
            Counter(zip(*(t.columns[name].tolist() for name in point.columns), strict=True))
            for t in (data, result.release.data)
        ]
        # Rounding along the tree moves a record or two.
        assert max(abs(cells[0][cell] - cells[1][cell]) for cell in cells[0] | cells[1]) <= 6


def test_the_same_noise_and_seed_give_the_same_records():
    data = table(3, 4, 5)
    assert released(data).data.equals(released(data).data)
    assert not released(data).data.equals(released(data, seed=2).data)


def test_a_saved_model_is_the_same_model():
    assert_survives_its_file(fitted(table(3, 40, 5, 1, nullable=True), epsilon=3.0))
    assert_survives_its_file(fitted(oddly_named(high=400), epsilon=3.0))


@pytest.mark.parametrize("rows", [1, 17, 30_000])
def test_any_number_of_records_can_be_drawn(rows):
    data = table(3, 4, 5)
    assert len(released(data, rows=rows).data) == rows
    assert len(fitted(data).sample(rows, rng=np.random.default_rng(0))) == rows


def test_rare_values_are_merged_and_stay_rare():
    data = table(2, 200, rows=4000)
    common = data.replace({"c1": np.where(data.columns["c1"] < 190, 7, data.columns["c1"])})
    model = fitted(common, epsilon=1.0)
    levels = model.levels["c1"]
    assert 7 in levels.kept
    assert len(levels.rare) > 100
    drawn = model.sample(4000, rng=np.random.default_rng(0)).columns["c1"]
    assert (drawn == 7).mean() > 0.9


def test_missing_values_are_one_more_value():
    data = table(4, 4, rows=2000, nullable=True)
    codes = np.where(data.columns["c0"] == 2, -1, data.columns["c1"])
    release = released(data.replace({"c1": codes}), epsilon=100.0, rows=2000).data
    missing = release.columns["c1"] == -1
    assert 0.2 < missing.mean() < 0.3
    assert (release.columns["c0"][missing] == 2).mean() > 0.95


# --- odd inputs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 9e5])
@pytest.mark.parametrize(
    ("sizes", "rows", "points"),
    [
        ((5,), 100, [("c0",)]),
        ((5, 3), 100, [("c0", "c1")]),
        ((5, 3, 4), 2, None),
        ((1, 1), 50, [("c0",)]),
        ((1, 5, 1), 50, [("c1",)]),
        ((2, 1, 4), 1, [("c0", "c2")]),
    ],
    ids=["one column", "two columns", "two rows", "constants", "among constants", "one row"],
)
def test_small_and_constant_tables(sizes, rows, points, epsilon):
    data = table(*sizes, rows=rows)
    result = sanitized(data, epsilon=epsilon, rows=20)
    assert len(result.release.data) == 20
    if points is not None:
        assert [point.columns for point in result.trace.focal_points] == points


def test_a_column_with_a_single_value_in_the_data_may_show_others():
    data = table(4, 4, 4).replace({"c1": np.zeros(500, int)})
    release = released(data, epsilon=100.0, rows=500)
    assert (release.data.columns["c1"] == 0).mean() > 0.99


@pytest.mark.slow
def test_two_hundred_columns():
    data = table(*[3, 7] * 100, rows=300)
    started = time.process_time()
    points = preserved(data, epsilon=10.0)
    assert len(points) == 199
    assert time.process_time() - started < 100  # far from what any machine needs


def test_a_domain_too_large_to_count_is_refused():
    with pytest.raises(PartError, match=r"18,000,000 possible values in all; .* 16,777,216"):
        fitted(table(9_000_000, 9_000_000))


@pytest.mark.parametrize("others", [(), (2,)], ids=["two columns", "three columns"])
def test_a_pair_too_large_to_count_is_refused(others):
    data = table(5000, 5000, *others, rows=200_000)
    with pytest.raises(PartError, match="a pair of columns has 5,000 x 5,000 cells"):
        released(data, epsilon=1e5, edges="equal")


def test_columns_without_bounds_are_refused():
    schema = Schema(columns=(Column(name="weight", kind="real"),))
    with pytest.raises(
        PartError, match="needs bounds for every column: give low and high for weight"
    ):
        released(Table(schema, {"weight": np.ones(5)}))
    with pytest.raises(PartError, match="is for table, not for transactions"):
        released(example("transactions", rows=20))


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(tables(discrete=True, min_rows=1), st.sampled_from([0.01, 1.0, 1000.0]))
def test_any_table_of_finite_columns_is_accepted(data, epsilon):
    release = released(data, epsilon=epsilon, rows=30)
    assert len(release.data) == 30
    assert release.data.schema == data.schema
    model = fitted(data, epsilon=epsilon)
    assert MstModel.from_bytes(model.to_bytes()).focal_points() == model.focal_points()


# --- real people ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def task():
    """Draw a task like the historic one: 50 of 100 households of five or more, in 10,000 people."""
    folder = Path(os.environ["QUINTAIN_DATA"])
    if not (folder / "snake_base.parquet").is_file():
        pytest.skip(f"snake_base.parquet is not in {folder}: set QUINTAIN_DATA to the real data")
    base = Cps(real=True, duplicates="keep").load()
    design = Targets(targets=100, unit="household", min_unit_size=5, members="half", background=0)
    targets = len(design.draw(base, rng=np.random.default_rng(0)).target_rows)
    design = design.model_copy(update={"background": 10_000 - targets})
    return design.draw(base, rng=np.random.default_rng(0)).private


@pytest.mark.real_data
@pytest.mark.parametrize(
    # Mean total variation distance of columns and of pairs: the reference implementation of 2023
    # had .0291/.1128 at 1, .0052/.0661 at 10 and .0024/.0591 at 1000, in 27 to 30 seconds.
    ("epsilon", "most_1", "most_2"),
    [(1, 0.035, 0.118), (10, 0.006, 0.069), (100, 0.003, 0.060), (1000, 0.002, 0.058)],
)
def test_real_people_keep_their_pairs(task, epsilon, most_1, most_2):
    assert 9_700 < len(task) < 9_770
    started = time.process_time()
    release = released(task, epsilon=epsilon, rows=10_000)
    took = time.process_time() - started
    distances = [
        Marginals(ways=ways).measure(task, release.data, None, rng=reading_rng())[f"tv{ways}"].value
        for ways in (1, 2)
    ]
    assert distances[0] <= most_1, distances
    assert distances[1] <= most_2, distances
    assert took < 30, f"{took:.2f} s"


@pytest.mark.real_data
def test_real_people_have_one_tree_at_every_epsilon(task):
    structures = [
        {
            point
            for seed in range(3)
            for point in Mst(epsilon=epsilon).structure(task, noise=Noise.for_test(seed))
        }
        for epsilon in (10.0, 1000.0)
    ]
    assert len(structures[0] & structures[1]) >= 13
    assert max(len(points) for points in structures) <= 16
