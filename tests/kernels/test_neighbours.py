"""Nearest records against a plain reference that compares every pair."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.data.arrays import MISSING_TIME, Array
from quintain.errors import PartError
from quintain.kernels.distances import Distance, Metric
from quintain.kernels.neighbours import Neighbours, k_nearest, nearest, nearest_but_one

Case = tuple[Table, Table, int, Distance]

COLUMNS = (
    Column(name="who", kind="id"),
    Column(name="sex", kind="category", values=("f", "m")),
    Column(name="job", kind="category", values=("a", "b", "c", "d"), nullable=True),
    Column(name="town", kind="category", values=tuple(map(str, range(70))), nullable=True),
    *(
        Column(name=f"answer{i}", kind="category", values=tuple(map(str, range(30))))
        for i in range(3)
    ),
    Column(name="age", kind="integer", low=17, high=90),
    Column(name="hours", kind="integer", low=1, high=9, nullable=True),
    Column(name="one", kind="integer", low=5, high=5, nullable=True),
    Column(name="height", kind="real", low=-1, high=1),
    Column(name="pay", kind="real", low=0, high=1e6, nullable=True),
    Column(name="born", kind="time", low=0, high=1e9, nullable=True),
    Column(name="children", kind="integer"),
)


def coded(column: Column, size: int, rng: np.random.Generator, values: int) -> Array:
    """Contents with few different values, so that ties and equal rows are common."""
    if column.kind == "id":
        return rng.integers(0, 99, size)
    if column.discrete:
        return rng.integers(-1 if column.nullable else 0, min(values, column.size), size)
    if column.kind == "real":
        pool = np.append(rng.uniform(column.low or 0, column.high or 1, values), -0.0)
        pool = np.append(pool, np.nan) if column.nullable else pool
        return rng.choice(pool, size)
    pool = rng.integers(-1000, 1000, values)
    return rng.choice(np.append(pool, MISSING_TIME) if column.nullable else pool, size)


def table(schema: Schema, size: int, rng: np.random.Generator, values: int) -> Table:
    return Table(schema, {c.name: coded(c, size, rng, values) for c in schema.columns})


def reference(queries: Table, base: Table, k: int, distance: Distance) -> tuple[Array, Array]:
    """Every pair, one column at a time, by the definition."""
    differing = np.zeros((len(queries), len(base)))
    costs = []
    for column in base.schema.attributes:
        left, right = (contents(t, column)[:, None] for t in (queries, base))
        gap = np.abs(left - right.T)
        if column.kind == "category":
            differing += gap > 0
            continue
        differing += np.isnan(left) != np.isnan(right).T
        gap = np.where(np.isnan(gap), 0, gap) * distance.weight(column)
        costs.append(gap * gap if distance.kind == "euclidean" else gap)
    total = sum(costs, start=distance.mismatch * differing)
    rows = np.argsort(total, axis=1, kind="stable")[:, :k]
    total = np.take_along_axis(total, rows, axis=1)
    if distance.kind == "euclidean":
        return np.sqrt(total), rows
    return total / (len(base.schema.attributes) if distance.kind == "gower" else 1), rows


def contents(table: Table, column: Column) -> Array:
    values = table.columns[column.name].astype(float)
    if column.kind == "time":
        values[table.columns[column.name] == MISSING_TIME] = np.nan
    elif column.kind == "integer" and column.discrete:
        values[values < 0] = np.nan
    return values


def assert_agrees(queries: Table, base: Table, k: int, distance: Distance) -> None:
    expected, rows = reference(queries, base, k, distance)
    neighbours = Neighbours(base, distance)
    for result in (neighbours.k_nearest(queries, k), k_nearest(queries, base, k, distance)):
        np.testing.assert_array_equal(result[0], expected)
        np.testing.assert_array_equal(result[1], rows)
    for result in (neighbours.nearest(queries), nearest(queries, base, distance)):
        np.testing.assert_array_equal(result[0], expected[:, 0])
        np.testing.assert_array_equal(result[1], rows[:, 0])
        assert result[0].dtype == np.float64
        assert result[1].dtype == np.int64


@st.composite
def cases(draw: st.DrawFn) -> Case:
    names = draw(st.sets(st.sampled_from([c.name for c in COLUMNS[1:]]), min_size=1))
    schema = Schema(columns=tuple(c for c in COLUMNS if c.name == "who" or c.name in names))
    numeric = [c.name for c in schema.attributes if c.kind != "category"]
    weights = draw(st.dictionaries(st.sampled_from(numeric), weight)) if numeric else {}
    kind: Metric = draw(st.sampled_from(get_args(Metric)))
    if kind == "gower" and "children" in names:
        weights["children"] = 0.25
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = draw(st.sampled_from([1, 2, 3, 8, 70]))
    size = draw(st.one_of(st.integers(1, 40), st.integers(1, 300)))
    base = table(schema, size, rng, values)
    queries = table(schema, draw(st.integers(0, 20)), rng, values)
    if draw(st.booleans()):
        queries = queries.concat(base.take(rng.integers(0, size, 5)))
    k = draw(st.one_of(st.integers(1, min(5, size)), st.integers(1, size)))
    return queries, base, k, Distance(kind, weights)


weight = st.sampled_from([0.0, 0.3, 1.0, 2.0, 1e-3])


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(cases())
def test_agrees_with_comparing_every_pair(case: Case) -> None:
    assert_agrees(*case)


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> None:
    """After one query every other one is compared with all rows."""
    monkeypatch.setattr("quintain.kernels.neighbours._FIRST", 1)
    monkeypatch.setattr("quintain.kernels.neighbours._MOST_COMPARED", -1.0)


@pytest.mark.slow
@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cases())
def test_a_scan_agrees_with_comparing_every_pair(scanned: None, case: Case) -> None:
    assert_agrees(*case)


@pytest.mark.slow
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.floats(-1e20, 1e20), min_size=1, max_size=80),
    st.lists(st.floats(-1e20, 1e20), min_size=2, max_size=9),
    st.sampled_from(["euclidean", "manhattan", "gower"]),
    st.sampled_from([1.0, 1e-30, 1e10]),
)
def test_a_scan_of_any_real_numbers(
    scanned: None, base: list[float], queries: list[float], kind: Metric, weight: float
) -> None:
    schema = Schema(columns=(Column(name="x", kind="real"),))
    tables = Table.of(schema, {"x": queries}), Table.of(schema, {"x": base})
    assert_agrees(*tables, min(3, len(base)), Distance(kind, {"x": weight}))


@pytest.mark.parametrize("kind", ["euclidean", "manhattan", "gower"])
@pytest.mark.parametrize("size", [4095, 4096, 4097, 9000])
def test_a_scan_of_several_tiles(scanned: None, kind: Metric, size: int) -> None:
    schema, rng = Schema(columns=COLUMNS[1:13]), np.random.default_rng(size)
    base = table(schema, size, rng, 40)
    queries = table(schema, 40, rng, 40).concat(base.take(rng.integers(0, size, 10)))
    assert_agrees(queries, base, 3, Distance(kind))


def test_a_scan_of_squares_beside_numbers_far_from_all_others(scanned: None) -> None:
    """Large terms of a matrix product nearly cancel there; gaps need terms of their own."""
    rng = np.random.default_rng(1)
    schema = Schema(columns=tuple(Column(name=f"x{i}", kind="real", nullable=True) for i in "abc"))
    cells = {name: rng.normal(size=300) for name in schema.names}
    cells["xa"][:20] += 1e6
    cells["xb"] += 1e9
    cells["xc"][rng.random(300) < 0.3] = np.nan
    base = Table(schema, cells)
    queries = base.take(np.arange(0, 300, 7))
    assert_agrees(queries, base, 4, Distance())


@pytest.mark.parametrize("many", [260, 500])
def test_a_scan_of_more_columns_than_are_summed_together(scanned: None, many: int) -> None:
    """Mismatches are counted by 255, and costs of about 500 columns do not fit short integers."""
    rng = np.random.default_rng(0)
    reals = tuple(Column(name=f"x{i}", kind="real", low=0, high=1) for i in range(20))
    flags = tuple(Column(name=f"c{i}", kind="category", values=("a", "b")) for i in range(many))
    schema = Schema(columns=(*reals, *flags))
    base, queries = (
        Table(
            schema,
            {c.name: rng.random(size) for c in reals}
            | {c.name: rng.integers(0, 2, size).astype(np.int32) for c in flags},
        )
        for size in (60, 5)
    )
    assert_agrees(queries, base, 4, Distance("gower"))


def assert_each_left_out(queries: Table, base: Table, distance: Distance) -> None:
    names = [column.name for column in base.schema.attributes]
    rows = nearest_but_one(queries, base, distance)
    assert list(rows) == names
    for name in names:
        others = [other for other in names if other != name]
        weights = {n: w for n, w in distance.weights.items() if n != name}
        tables = queries.select(others), base.select(others)
        expected = reference(*tables, 1, Distance(distance.kind, weights))[1][:, 0]
        np.testing.assert_array_equal(rows[name], expected)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(cases())
def test_each_column_left_out_in_turn(case: Case) -> None:
    queries, base, _, distance = case
    if len(base.schema.attributes) > 1:
        assert_each_left_out(queries, base, distance)


def test_the_nearest_are_the_same_if_pairs_are_settled_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(5)
    columns = (Column(name=name, kind="integer", low=0, high=3) for name in "abc")
    schema = Schema(columns=tuple(columns))
    base, queries = (
        Table.of(schema, {name: rng.integers(0, 4, size) for name in "abc"}) for size in (400, 150)
    )
    together = nearest_but_one(queries, base, Distance("gower"))
    monkeypatch.setattr("quintain.kernels.neighbours._MOST_PAIRS", 100)
    often = nearest_but_one(queries, base, Distance("gower"))
    for name in "abc":
        np.testing.assert_array_equal(often[name], together[name])
    assert_each_left_out(queries, base, Distance("gower"))


@pytest.mark.parametrize("kind", ["euclidean", "manhattan", "gower"])
@pytest.mark.parametrize("size", [4096, 4097])
def test_each_column_of_several_tiles_left_out(kind: Metric, size: int) -> None:
    schema, rng = Schema(columns=COLUMNS[1:13]), np.random.default_rng(size)
    base, queries = (table(schema, rows, rng, 40) for rows in (size, 50))
    assert_each_left_out(queries, base, Distance(kind))


def test_numbers_too_large_for_a_scan_are_compared_nevertheless() -> None:
    schema = Schema(columns=(Column(name="x", kind="real"), Column(name="y", kind="real")))
    base = Table.of(schema, {"x": [1e40, -1e40, 3.0], "y": [1.0, 2.0, 1e30]})
    assert_each_left_out(base.take([2, 0]), base, Distance())


def test_where_the_tree_leaves_out_little_rows_are_scanned() -> None:
    schema, rng = Schema(columns=COLUMNS[1:13]), np.random.default_rng(3)
    base, queries = (table(schema, size, rng, 40) for size in (2000, 600))
    neighbours = Neighbours(base, Distance("gower"))
    neighbours.nearest(queries)
    assert "_scan" in vars(neighbours)
    assert_agrees(queries, base, 5, Distance("gower"))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=80),
    st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=9),
    st.sampled_from(["euclidean", "manhattan"]),
)
def test_any_real_numbers(base: list[float], queries: list[float], kind: Metric) -> None:
    schema = Schema(columns=(Column(name="x", kind="real"),))
    tables = Table.of(schema, {"x": queries}), Table.of(schema, {"x": base})
    assert_agrees(*tables, min(3, len(base)), Distance(kind))


@pytest.mark.parametrize("kind", ["euclidean", "manhattan", "gower"])
@pytest.mark.parametrize("names", [COLUMNS[1:8], COLUMNS[1:7], COLUMNS[7:13], COLUMNS[1:13]])
def test_thousands_of_rows(kind: Metric, names: tuple[Column, ...]) -> None:
    # More than 128 blocks, so that the tree has an inner level.
    schema, rng = Schema(columns=names), np.random.default_rng(7)
    base = table(schema, 6000, rng, 12)
    queries = table(schema, 300, rng, 12).concat(base.take(rng.integers(0, 6000, 100)))
    assert_agrees(queries, base, 3, Distance(kind))


def test_pairs_beyond_one_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quintain.kernels.neighbours._SLICE", 5)
    monkeypatch.setattr("quintain.kernels.neighbours._PAIRS", 50)
    schema, rng = Schema(columns=COLUMNS[1:10]), np.random.default_rng(8)
    assert_agrees(table(schema, 30, rng, 9), table(schema, 500, rng, 9), 4, Distance())


@pytest.mark.parametrize("kind", ["euclidean", "manhattan", "gower"])
def test_padding_is_never_found(kind: Metric) -> None:
    # 67 rows make three blocks and some padding. To a query without pay all rows are equally far,
    # and padding would be no further, were it not kept out.
    schema = Schema(columns=(COLUMNS[11],))
    base = Table(schema, {"pay": np.arange(67.0)})
    assert_agrees(Table.of(schema, {"pay": [None]}), base, 67, Distance(kind))


@pytest.mark.slow
@pytest.mark.parametrize("mix", [0, 1 << 32])
@pytest.mark.parametrize("size", [1, 40, 3000])
def test_records_that_share_a_hash(monkeypatch: pytest.MonkeyPatch, mix: int, size: int) -> None:
    monkeypatch.setattr("quintain.kernels.neighbours._MIX", np.uint64(mix))
    schema, rng = Schema(columns=(COLUMNS[1], COLUMNS[7])), np.random.default_rng(6)
    base = table(schema, size, rng, 3)
    assert_agrees(table(schema, 30, rng, 3).concat(base), base, min(size, 3), Distance())


def test_differences_whose_squares_underflow() -> None:
    schema = Schema(columns=(Column(name="x", kind="real"),))
    base = Table.of(schema, {"x": [1e-200, 0.0]})
    assert nearest(base.take([1]), base)[1].tolist() == [0]


def test_more_than_255_columns() -> None:
    columns = (Column(name=f"c{i}", kind="category", values=("a", "b")) for i in range(300))
    schema, rng = Schema(columns=tuple(columns)), np.random.default_rng(9)
    base = Table(schema, {name: np.zeros(50, int) for name in schema.names})
    queries = table(schema, 2, rng, 2).concat(
        base.replace({n: 1 - v for n, v in base.columns.items()})
    )
    assert_agrees(queries, base, 2, Distance("manhattan"))


SMALL = Schema(
    columns=(
        Column(name="sex", kind="category", values=("f", "m")),
        Column(name="age", kind="integer", low=17, high=90),
        Column(name="hours", kind="integer", low=1, high=99, nullable=True),
    )
)


def test_distances_computed_by_hand() -> None:
    base = Table.of(SMALL, {"sex": ["f", "m"], "age": [40, 30], "hours": [40, None]})
    query = Table.of(SMALL, {"sex": ["m"], "age": [37], "hours": [44]})
    # To row 0: 3 years, 4 hours, other sex. To row 1: 7 years, hours missing there.
    row_0 = {"euclidean": math.sqrt(9 + 16 + 2), "manhattan": 3 + 4 + 1}
    row_1 = {"euclidean": math.sqrt(49 + 2), "manhattan": 7 + 1}
    for kind in ("euclidean", "manhattan"):
        result, rows = k_nearest(query, base, 2, Distance(kind))
        assert rows.tolist() == [[0, 1]]  # for manhattan a tie: the lower row is first
        assert result.tolist() == [[row_0[kind], row_1[kind]]]
    result, rows = nearest(query, base, Distance("gower"))
    assert rows.tolist() == [0]
    assert result.tolist() == pytest.approx([(3 / 73 + 4 / 98 + 1) / 3])


def test_of_equal_rows_the_first_is_nearest() -> None:
    base = Table.of(SMALL, {"sex": ["m", "f", "f"] * 9, "age": [20] * 27, "hours": [None] * 27})
    result, rows = k_nearest(base.take([1]), base, 20)
    assert rows[0, :4].tolist() == [1, 2, 4, 5]
    assert rows[0, 17:].tolist() == [26, 0, 3]
    assert result[0].tolist() == [0.0] * 18 + [math.sqrt(2)] * 2


@pytest.mark.parametrize(
    ("message", "act"),
    [
        (
            "unknown distance 'cosine'; available: euclidean, manhattan, gower",
            lambda t: Distance("cosine"),
        ),  # type: ignore[arg-type]
        ("weight of 'age' is -1", lambda t: Distance(weights={"age": -1})),
        (
            "weights for columns that are not numeric: sex",
            lambda t: nearest(t, t, Distance(weights={"sex": 2})),
        ),
        ("base has no rows", lambda t: nearest(t, t.take([]))),
        ("k=3: expected 1..2", lambda t: k_nearest(t, t, 3)),
        ("k=0: expected 1..2", lambda t: k_nearest(t, t, 0)),
        ("do not have the same columns", lambda t: nearest(t.drop("age"), t)),
        ("'age' is missing in a row", lambda t: nearest(t.replace({"age": [-1, 0]}), t)),
        ("'sex' is missing in a row", lambda t: nearest(t, t.replace({"sex": [-1, 0]}))),
    ],
)
def test_mistakes_are_named(message: str, act: Callable[[Table], object]) -> None:
    small = Table.of(SMALL, {"sex": ["f", "m"], "age": [40, 30], "hours": [40, None]})
    with pytest.raises(ValueError, match=message):
        act(small)


def test_mistakes_in_numbers_are_named() -> None:
    schema = Schema(columns=(Column(name="x", kind="real"),))
    finite = Table.of(schema, {"x": [1.0]})
    with pytest.raises(
        ValueError, match="'x' has no bounds in the schema, so gower needs a weight"
    ):
        nearest(finite, finite, Distance("gower"))
    with pytest.raises(PartError, match="too large to compare: scale the column"):
        nearest(finite, Table(schema, {"x": np.array([math.inf])}))
    only_ids = Table.of(Schema(columns=(COLUMNS[0],)), {"who": [1]})
    with pytest.raises(ValueError, match="only ids"):
        nearest(only_ids, only_ids)
