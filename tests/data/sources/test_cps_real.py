"""The loader of CPS on the real files, and how close its stand-in comes to them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from quintain.data import Table
from quintain.data.sources.cps import Cps, Duplicates
from tests.data.sources.real_cases import FOLDER, assert_close, need, shared_rows
from tests.data.sources.source_cases import rng
from tests.data.sources.test_cps import TABLE_3

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def historic() -> Table:
    need("snake_base.parquet")
    return Cps(real=True, duplicates="keep").load()


@pytest.fixture(scope="module")
def distinct() -> Table:
    need("snake_base.parquet")
    return Cps(real=True).load()


@pytest.fixture(scope="module")
def homes() -> Table:
    return Cps().generate(rng())


def test_the_published_file_and_table_3_of_the_paper_differ_in_two_columns(historic: Table) -> None:
    """The paper counts 12 numbers of children and 129 of hours; the published file has 10, 130."""
    numbers = {name: len(np.unique(historic.columns[name])) for name in TABLE_3}
    differ = {name: number for name, number in numbers.items() if number != TABLE_3[name]}
    assert differ == {"ownchild": 10, "hoursut": 130}


def sizes(table: Table) -> npt.NDArray[np.int64]:
    return np.unique(table.columns["hhid"], return_counts=True)[1]


def test_cps_is_the_base_table_of_snake(historic: Table, distinct: Table) -> None:
    counts = np.bincount(sizes(historic), minlength=11)
    assert len(historic) == 201_279
    assert counts.tolist() == [0, 1459, 36613, 30737, 7490, 541, 202, 57, 6, 1, 5]
    assert len(distinct) == 160_926
    assert len(sizes(distinct)) == 77_111 - 12_028


def test_cps_has_the_domain_snake_published() -> None:
    need("snake_meta.json")
    schema = Cps().data_schema()
    published = json.loads((FOLDER / "snake_meta.json").read_text())
    assert [entry["name"] for entry in published] == [c.name for c in schema.attributes]
    for entry in published:
        column = schema[entry["name"]]
        values = column.values or tuple(str(column.offset + i) for i in range(column.size))
        assert values == tuple(entry["representation"])
        is_ordered = column.ordered or column.kind == "integer"
        assert is_ordered == (entry["type"] == "finite/ordered")


def test_cps_repeats_are_reported() -> None:
    need("snake_base.parquet")
    started = time.process_time()
    report = Cps(real=True).report_duplicates()
    assert time.process_time() - started < 5
    assert report == Duplicates(
        rows=31_834,
        copied=5_558,
        linked=19_905,
        eligible=812,
        eligible_linked=675,
        dropped=12_028,
    )


def test_cps_is_cut_by_whole_households(distinct: Table) -> None:
    part = Cps(real=True, rows=5_000).data(rng())
    assert 4_990 <= len(part) <= 5_000
    chosen = np.isin(distinct.columns["hhid"], part.columns["hhid"])
    assert distinct.take(chosen).equals(part)


def test_cps_stand_in_is_close(historic: Table, homes: Table) -> None:
    assert_close(historic, homes)


def test_cps_stand_in_has_households_of_the_right_sizes(historic: Table, homes: Table) -> None:
    real, simulated = (
        np.bincount(sizes(t), minlength=11) / len(sizes(t)) for t in (historic, homes)
    )
    distance = 0.5 * np.abs(real - simulated).sum()
    assert distance <= 0.02, f"TVD {distance:.4f}: {simulated.round(4)} for {real.round(4)}"


def same(name: str) -> Callable[[Table], float]:
    """How often the first two members of a household have the same value."""

    def measure(table: Table) -> float:
        one = _first(table)
        return float((table.columns[name][one] == table.columns[name][one + 1]).mean())

    return measure


def both_married(table: Table) -> float:
    one, married = _first(table), table.columns["married"]
    return float((married[one] + married[one + 1] == 2).mean())


def one_race(table: Table) -> float:
    """How often a household of five or more is of one race."""
    _, start, size = np.unique(table.columns["hhid"], return_index=True, return_counts=True)
    race = table.columns["wbhaom"]
    alike = np.minimum.reduceat(race, start) == np.maximum.reduceat(race, start)
    return float(alike[size >= 5].mean())


def generation_apart(table: Table) -> float:
    one, age = _first(table), table.columns["age"]
    return float((np.abs(age[one] - age[one + 1]) > 15).mean())


def _first(table: Table) -> npt.NDArray[np.int64]:
    _, start, size = np.unique(table.columns["hhid"], return_index=True, return_counts=True)
    return start[size >= 2]


@pytest.mark.parametrize(
    ("what", "measure", "tolerance"),
    [
        ("same race", same("wbhaom"), 0.03),
        ("same citizenship", same("citistat"), 0.03),
        ("same sex", same("female"), 0.03),
        ("same number of children", same("ownchild"), 0.03),
        ("same education", same("gradeatn"), 0.05),
        ("same industry", same("mind16"), 0.06),
        ("same occupation", same("mocc10"), 0.06),
        ("same hours", same("hoursut"), 0.05),
        ("both married", both_married, 0.03),
        ("more than 15 years apart", generation_apart, 0.03),
        ("large household of one race", one_race, 0.08),
    ],
)
def test_cps_stand_in_has_households_with_much_in_common(
    historic: Table, homes: Table, what: str, measure: Callable[[Table], float], tolerance: float
) -> None:
    real, simulated = measure(historic), measure(homes)
    assert abs(real - simulated) <= tolerance, f"{what}: {simulated:.3f} for {real:.3f}"


def test_cps_stand_in_has_the_same_age_gaps(historic: Table, homes: Table) -> None:
    gaps = []
    for table in (historic, homes):
        one, age = _first(table), table.columns["age"]
        gaps.append(float(np.abs(age[one] - age[one + 1]).mean()))
    assert abs(gaps[0] - gaps[1]) <= 1, f"mean age difference {gaps[1]:.2f} for {gaps[0]:.2f}"


def test_cps_stand_in_copies_nobody(distinct: Table, homes: Table) -> None:
    number = distinct.columns["hhid"]
    in_half = np.isin(number, rng().permutation(np.unique(number))[: len(sizes(distinct)) // 2])
    coincide, natural = shared_rows(distinct.take(in_half), homes, distinct.take(~in_half))
    assert coincide <= natural, f"{coincide:.4f} of the stand-in, {natural:.4f} of the other half"
