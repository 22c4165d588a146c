"""The loaders on the real files, and how close the stand-ins come to them.

The folder is QUINTAIN_DATA, or ``shared/data`` beside the repository. TVD is the total variation
distance, half the sum of the differences of shares; integers are compared value by value.
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from quintain.data import Table
from quintain.data.sources import adult
from quintain.data.sources.adult import Adult
from quintain.data.sources.cps import households as cps_households
from quintain.data.sources.cps.cps import Cps
from quintain.data.sources.cps.duplicates import Duplicates

pytestmark = pytest.mark.real_data

ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path(os.environ["QUINTAIN_DATA"])

Figures = dict[tuple[str, ...], float]


def need(*names: str) -> None:
    missing = [name for name in names if not (FOLDER / name).is_file()]
    if missing:
        pytest.skip(f"{', '.join(missing)} not in {FOLDER}: set QUINTAIN_DATA to the real data")


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def distances(one: Table, other: Table, ways: int) -> Figures:
    """TVD of every combination of ``ways`` attributes."""
    names = [column.name for column in one.schema.attributes]
    return {
        chosen: 0.5 * float(np.abs(_shares(one, chosen) - _shares(other, chosen)).sum())
        for chosen in itertools.combinations(names, ways)
    }


def _shares(table: Table, names: tuple[str, ...]) -> npt.NDArray[np.float64]:
    cell, cells = np.zeros(len(table), np.int64), 1
    for name in names:
        size = table.schema[name].size
        cell, cells = cell * size + table.columns[name], cells * size
    return np.bincount(cell, minlength=cells) / len(table)


def mean(figures: Figures) -> float:
    return float(np.mean(list(figures.values())))


def story(simulated: Figures, fresh: Figures) -> str:
    """The figures as words, with what a fresh sample of the real data would give."""
    worst = sorted(simulated, key=lambda pair: -simulated[pair])[:4]
    listed = ", ".join(f"{'x'.join(p)} {simulated[p]:.3f} (fresh {fresh[p]:.3f})" for p in worst)
    return f"mean {mean(simulated):.4f} (fresh sample {mean(fresh):.4f}); worst: {listed}"


def shared_rows(known: Table, *others: Table) -> list[float]:
    """For each other table the part of its rows that also occur in the known table."""
    names = [column.name for column in known.schema.attributes]
    stacked = known.select(names).concat(*(table.select(names) for table in others))
    keys = stacked.row_keys()
    ends = np.cumsum([len(known), *map(len, others)])
    seen = keys[: len(known)]
    return [float(np.isin(keys[a:b], seen).mean()) for a, b in itertools.pairwise(ends)]


# --- adult --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real_people() -> Table:
    need("adult.data")
    return Adult(real=True).load()


@pytest.fixture(scope="module")
def people() -> Table:
    return Adult().generate(rng())


def test_adult_is_the_population_of_amic(real_people: Table) -> None:
    assert len(real_people) == 30_162
    assert len(np.unique(real_people.row_keys())) == 25_014
    assert real_people.records()[0] == {
        "age": 39,
        "workclass": "State-gov",
        "education": "Bachelors",
        "marital-status": "Never-married",
        "occupation": "Adm-clerical",
        "relationship": "Not-in-family",
        "sex": "Male",
        "hours-per-week": 40,
        "income": "<=50K",
    }
    part = Adult(real=True, rows=500).data(rng())
    assert len(part) == 500


def test_adult_has_its_test_records() -> None:
    need("adult.test")
    test = Adult(real=True).test_data(rng())
    assert len(test) == 15_060
    assert 0.2 < (test.columns["income"] == 0).mean() < 0.3


def assert_close(real: Table, made: Table) -> None:
    """Single columns and pairs of the stand-in are distributed like those of the real people."""
    fresh = real.take(rng().integers(len(real), size=len(made)))
    single = distances(real, made, 1)
    assert mean(single) <= 0.02, story(single, distances(real, fresh, 1))
    pairs = distances(real, made, 2)
    words = story(pairs, distances(real, fresh, 2))
    assert mean(pairs) <= 0.06, words
    assert max(pairs.values()) <= 0.15, words


def test_adult_stand_in_is_close(real_people: Table, people: Table) -> None:
    assert_close(real_people, people)


def test_adult_stand_in_copies_nobody(real_people: Table, people: Table) -> None:
    order = rng().permutation(len(real_people))
    half, rest = np.array_split(order, 2)
    coincide, natural = shared_rows(real_people.take(half), people, real_people.take(rest))
    assert coincide <= natural, f"{coincide:.4f} of the stand-in, {natural:.4f} of the other half"


# --- cps ----------------------------------------------------------------------------------------


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


# --- both ---------------------------------------------------------------------------------------


def test_stand_ins_are_fast() -> None:
    for source, limit in ((Adult(), 0.5), (Cps(), 3.0)):
        started = time.process_time()
        source.generate(rng())
        took = time.process_time() - started
        assert took < limit, f"{source.id} took {took:.2f} s"


def test_shipped_parameters_are_what_the_script_fits(tmp_path: Path) -> None:
    need("adult.data", "snake_base.parquet")
    command = [sys.executable, str(ROOT / "scripts" / "fit_sources.py"), str(tmp_path)]
    environment = {**os.environ, "QUINTAIN_DATA": str(FOLDER)}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    for file in (adult.PARAMETERS, cps_households.PARAMETERS):
        shipped = (Path(adult.__file__).parent / file).read_bytes()
        fitted = (tmp_path / file).read_bytes()
        assert gzip.decompress(fitted) == gzip.decompress(shipped), f"{file}: fit it again"
