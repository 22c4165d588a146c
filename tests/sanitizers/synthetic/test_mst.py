"""MST: what it spends and claims, the tree it chooses, odd inputs, and real people."""

import math
import os
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.accounting.zcdp import rho_for
from quintain.data import Column, Schema, Table
from quintain.data.sources.cps.cps import Cps
from quintain.errors import PartError, Rejected
from quintain.measures import reading_rng
from quintain.measures.utility.table.marginals import Marginals
from quintain.noise import Noise
from quintain.registry import build
from quintain.releases import FocalPoint
from quintain.samples.targets import Targets
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic import mst
from quintain.sanitizers.synthetic.mst import Mst, MstModel
from quintain.testing import example, example_table, people
from quintain.testing.strategies import tables
from tests.sanitizers.synthetic.model_cases import assert_survives_its_file, oddly_named


class Recorder(Noise):
    """Test noise that records every request."""

    def __init__(self, key=bytes(32), *, test=True):
        super().__init__(key, test=test)
        self.gaussians, self.choices = [], []

    def gaussian(self, sigma, size):
        self.gaussians.append((sigma, size))
        return super().gaussian(sigma, size)

    def choose(self, scores, epsilon, sensitivity):
        self.choices.append((len(scores), epsilon, sensitivity))
        return super().choose(scores, epsilon, sensitivity)


def table(*sizes, rows=500, nullable=False, seed=0):
    """Make a chain of columns: each repeats the one before it, with random exceptions."""
    rng = np.random.default_rng(seed)
    columns, codes = [], {}
    last = rng.random(rows)
    for number, size in enumerate(sizes):
        name = f"c{number}"
        columns.append(Column(name=name, kind="integer", low=0, high=size - 1, nullable=nullable))
        last = np.where(rng.random(rows) < 0.2, rng.random(rows), last)
        codes[name] = np.floor(last * size).astype(int)
    return Table(Schema(columns=tuple(columns)), codes)


def sanitized(data, *, seed=1, noise=None, **parameters):
    rng = np.random.default_rng(seed)
    return sanitize(Mst(**parameters), data, rng=rng, noise=noise or Noise.for_test(seed))


def released(data, **arguments):
    return sanitized(data, **arguments).release


def preserved(data, **arguments):
    return sanitized(data, **arguments).trace.focal_points


def fitted(data, *, seed=1, **parameters):
    rng = np.random.default_rng(seed)
    return Mst(**parameters).fit(data, rng=rng, noise=Noise.for_test(seed))


# --- what it spends and claims --------------------------------------------------------------------


def test_the_claim_is_epsilon_and_delta_for_one_record_more_or_less():
    claim = released(table(3, 3, 3), epsilon=0.7, delta=1e-6).claim
    assert (claim.epsilon, claim.delta, claim.neighbours) == (0.7, 1e-6, "add-remove")
    assert Mst().delta == 1e-9


@pytest.mark.parametrize("columns", [1, 2, 3, 8])
def test_the_costs_of_the_steps_add_up_to_the_budget(columns):
    noise = Recorder()
    released(table(*[3] * columns), noise=noise, epsilon=2.0, delta=1e-6)
    # One record changes one cell of each table by one: 1 / (2 sigma**2) each. A private choice
    # costs epsilon**2 / 8.
    spent = sum(1 / (2 * sigma**2) for sigma, _ in noise.gaussians)
    spent += sum(epsilon**2 / 8 for _, epsilon, _ in noise.choices)
    assert spent == pytest.approx(rho_for(2.0, 1e-6))
    assert len(noise.gaussians) == 2 * columns - 1
    assert all(sensitivity == 1.0 for *_, sensitivity in noise.choices)


def test_each_step_gets_a_third():
    noise = Recorder()
    released(table(4, 4, 4, 4), noise=noise, epsilon=1000.0)
    third = rho_for(1000.0, 1e-9) / 3
    one, two = math.sqrt(4 / (2 * third)), math.sqrt(3 / (2 * third))
    assert [sigma for sigma, _ in noise.gaussians] == pytest.approx([one] * 4 + [two] * 3)
    assert [size for _, size in noise.gaussians] == [4] * 4 + [16] * 3
    # Six pairs to begin with; then five, then three or four, without those that close a cycle.
    assert [count for count, *_ in noise.choices][:2] == [6, 5]
    assert [e for _, e, _ in noise.choices] == pytest.approx([math.sqrt(8 * third / 3)] * 3)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_one_record_moves_a_score_by_at_most_one(seed):
    # The scores are functions of the private counts and of what was published before.
    data = table(4, 3, 5, rows=30, seed=seed)
    full = Mst()._count(data, Noise.for_test(seed))
    fewer = replace(full, codes={name: codes[1:] for name, codes in full.codes.items()})
    pairs = [("c0", "c1"), ("c0", "c2"), ("c1", "c2")]
    with_, without = (mst._scores(columns, pairs) for columns in (full, fewer))
    assert np.abs(with_ - without).max() <= 1 + 1e-9


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [
        (0, "greater than 0"),
        (-1, "greater than 0"),
        (math.inf, "finite number"),
        (math.nan, "finite number"),
        (1e6, "less than 1000000"),
    ],
)
def test_an_invalid_epsilon_is_refused(epsilon, words):
    with pytest.raises(Rejected, match=f"epsilon=.*{words}"):
        build("sanitizer", {"use": "mst", "epsilon": epsilon})


@pytest.mark.parametrize("delta", [0, 1, -1e-9, math.nan])
def test_an_invalid_delta_is_refused(delta):
    with pytest.raises(Rejected, match="delta="):
        build("sanitizer", {"use": "mst", "delta": delta})


def test_the_number_of_records_is_not_the_secret_one():
    data = people(example_table())
    sizes = {len(released(data, epsilon=0.5, seed=seed).data) for seed in range(10)}
    assert len(sizes) > 5
    assert abs(len(released(data, epsilon=1000.0).data) - len(data)) <= 1


# --- the tree -------------------------------------------------------------------------------------


def test_the_tree_joins_the_columns_that_depend():
    points = preserved(table(4, 4, 4, 4, 4, rows=3000), epsilon=10.0)
    assert points == tuple(FocalPoint((f"c{i}", f"c{i + 1}")) for i in range(4))


def test_the_tree_spans_all_columns_and_its_edges_are_sorted():
    points = preserved(table(*[3] * 9, rows=100), epsilon=0.01)
    assert len(points) == 8
    assert all(point.columns == tuple(sorted(point.columns)) for point in points)
    group = {f"c{i}": {f"c{i}"} for i in range(9)}
    for point in points:
        one, other = (group[name] for name in point.columns)
        assert one is not other, "a cycle"
        one |= other
        group.update(dict.fromkeys(one, one))
    assert set().union(*group.values()) == {f"c{i}" for i in range(9)}


def test_the_structure_alone_is_that_of_the_release():
    data = table(3, 4, 5, 6)
    data = data.take(data.order())
    for seed in range(5):
        alone = Mst(epsilon=1.0).structure(data, noise=Noise.for_test(seed))
        assert alone == preserved(data, epsilon=1.0, seed=seed)


def test_with_much_noise_every_tree_is_possible():
    data = table(3, 3, 3)
    seen = {Mst(epsilon=1e-3).structure(data, noise=Noise.for_test(s)) for s in range(40)}
    assert len(seen) == 3


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


def test_two_hundred_columns():
    data = table(*[3, 7] * 100, rows=300)
    started = time.process_time()
    points = preserved(data, epsilon=10.0)
    assert len(points) == 199
    assert time.process_time() - started < 5


def test_a_domain_too_large_to_count_is_refused():
    with pytest.raises(PartError, match=r"18,000,000 possible values in all; .* 16,777,216"):
        released(table(9_000_000, 9_000_000))


@pytest.mark.parametrize("others", [(), (2,)], ids=["two columns", "three columns"])
def test_a_pair_too_large_to_count_is_refused(others):
    data = table(5000, 5000, *others, rows=200_000)
    with pytest.raises(PartError, match="a pair of columns has 5,000 x 5,000 cells"):
        released(data, epsilon=1e5)


def test_columns_without_a_finite_domain_are_refused():
    schema = Schema(columns=(Column(name="weight", kind="real"),))
    with pytest.raises(PartError, match=r"finite domain for every column.*weight"):
        released(Table(schema, {"weight": np.ones(5)}))
    with pytest.raises(PartError, match="sanitizes table, not transactions"):
        released(example("transactions", rows=20))


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
    assert took < 1.5, f"{took:.2f} s"


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
