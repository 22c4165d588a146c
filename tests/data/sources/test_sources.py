"""The built-in stand-ins and their loaders, without any real data."""

from __future__ import annotations

import gzip
import hashlib
import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from quintain.data import Table
from quintain.data.sources import adult, bayesnet
from quintain.data.sources.adult import Adult
from quintain.data.sources.cps import households as cps_households
from quintain.data.sources.cps.cps import Cps
from quintain.data.sources.cps.duplicates import SHARED, STABLE, find_duplicates
from quintain.data.sources.cps.households import whole_households
from quintain.data.sources.source import Source
from quintain.errors import DataError

SOURCES = [Adult(rows=2_000), Cps(rows=2_000)]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def people() -> Table:
    return Adult().generate(rng())


@pytest.fixture(scope="module")
def homes() -> Table:
    return Cps(rows=60_000).generate(rng())


# --- every stand-in -----------------------------------------------------------------------------


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.id)
def test_is_a_documented_part(source: Source) -> None:
    assert source.id in ("source/adult-v1", "source/cps-v1")
    assert source.licence and source.obtain.endswith(".")
    assert source.summary().endswith(".")


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.id)
def test_values_are_in_the_domain(source: Source) -> None:
    table = source.data(rng())
    assert isinstance(table, Table)
    assert table.schema == source.data_schema()
    assert len(table) == 2_000
    for column in table.schema.attributes:
        codes = table.columns[column.name]
        assert codes.min() >= 0, column.name
        assert codes.max() < column.size, column.name


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.id)
def test_a_seed_gives_the_same_people(source: Source) -> None:
    first, again, other = (source.generate(rng(seed)) for seed in (1, 1, 2))
    assert first.digest() == again.digest()
    assert first.digest() != other.digest()


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.id)
def test_real_files_that_are_missing_or_wrong_are_said_so(
    source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUINTAIN_DATA", str(tmp_path))
    real = source.model_copy(update={"real": True})
    with pytest.raises(DataError, match=r"not found in .*QUINTAIN_DATA"):
        real.data(rng())
    for name in ("adult.data", "snake_base.parquet"):
        (tmp_path / name).write_text("something else")
    with pytest.raises(DataError, match=r"SHA-256 is .*, expected"):
        real.data(rng())


# A change here moves every number made with the stand-in: then it is a new version of the source.
@pytest.mark.parametrize(
    ("file", "digest"),
    [(adult.PARAMETERS, "cf6e3a476d99df38"), (cps_households.PARAMETERS, "dc0d41f9e7067c08")],
)
def test_parameters_of_a_published_version_stay(file: str, digest: str) -> None:
    packed = (Path(adult.__file__).parent / file).read_bytes()
    assert len(packed) < 100_000
    assert hashlib.sha256(gzip.decompress(packed)).hexdigest().startswith(digest)


# --- adult --------------------------------------------------------------------------------------


def test_adult_has_the_nine_attributes_of_amic() -> None:
    columns = {column.name: column for column in Adult().data_schema().columns}
    assert {name: column.size for name, column in columns.items()} == {
        "age": 74,
        "workclass": 8,
        "education": 16,
        "marital-status": 7,
        "occupation": 14,
        "relationship": 6,
        "sex": 2,
        "hours-per-week": 99,
        "income": 2,
    }
    assert (columns["age"].low, columns["age"].high) == (17, 90)
    assert (columns["hours-per-week"].low, columns["hours-per-week"].high) == (1, 99)


def test_adult_has_the_usual_numbers_of_people(people: Table) -> None:
    assert len(people) == 30_162
    assert len(Adult().test_data(rng())) == 15_060
    assert len(Adult(rows=100).test_data(rng())) == 100
    assert len(Adult(rows=20_000).test_data(rng())) == 15_060


def test_adult_has_hardly_any_impossible_people(people: Table) -> None:
    sex, relationship = people.columns["sex"], people.columns["relationship"]
    married = people.columns["marital-status"]
    wives = np.mean((relationship == 0) & (sex == 1))
    husbands = np.mean((relationship == 2) & (sex == 0))
    apart = np.mean(np.isin(relationship, (0, 2)) & ~np.isin(married, (0, 6)))
    assert wives + husbands <= 0.002, f"male wives {wives:.4%}, female husbands {husbands:.4%}"
    assert apart <= 0.002, f"husbands and wives who are not married: {apart:.4%}"
    assert not (people.columns["workclass"] == 7).any(), "never worked, yet in the labour force"


LINES = [
    "|1x3 Cross validator",
    "25, Private, 1, 11th, 7, Never-married, Sales, Own-child, Black, Male, 0, 0, 40, X, <=50K.",
    "38, ?, 1, HS-grad, 9, Divorced, ?, Husband, White, Male, 0, 0, 50, X, <=50K.",
    "90, Private, 1, Masters, 9, Divorced, Sales, Unmarried, White, Female, 0, 0, 99, ?, >50K.",
    "40, Private, 1, Masters, 9, Divorced, Sales, Unmarried, White, Female, 0, 0, 99, X, >50K",
    "",
]


def test_adult_file_is_read_and_incomplete_records_left_out(tmp_path: Path) -> None:
    file = tmp_path / "adult.test"
    file.write_text("\n".join(LINES))
    first, second = adult._read(file, 2).records()
    assert list(first.values()) == [
        25, "Private", "11th", "Never-married", "Sales", "Own-child", "Male", 40, "<=50K",
    ]  # fmt: skip
    assert (second["age"], second["hours-per-week"], second["income"]) == (40, 99, ">50K")


def test_adult_file_with_faults_is_refused_with_all_of_them(tmp_path: Path) -> None:
    file = tmp_path / "adult.data"
    file.write_text("\n".join(LINES))
    with pytest.raises(DataError, match=r"adult\.data: 2 complete records, expected 30162"):
        adult._read(file, 30_162)
    file.write_text(
        "\n".join([LINES[1].replace("25", "16"), LINES[1].replace("Sales", "Art"), "1,2"])
    )
    with pytest.raises(DataError) as caught:
        adult._read(file, 2)
    assert [(fault.line, fault.column) for fault in caught.value.faults] == [
        (3, None),
        (1, "age"),
        (2, "occupation"),
    ]


# --- cps ----------------------------------------------------------------------------------------


def test_cps_has_the_fifteen_attributes_of_snake() -> None:
    schema = Cps().data_schema()
    assert schema.names[0] == "hhid"
    assert schema["hhid"].role == "household"
    sizes = {column.name: column.size for column in schema.attributes}
    assert sizes == {
        "age": 65,
        "agechild": 16,
        "citistat": 5,
        "female": 2,
        "married": 2,
        "ownchild": 14,
        "wbhaom": 6,
        "gradeatn": 16,
        "cow1": 8,
        "ftptstat": 12,
        "statefips": 51,
        "hoursut": 199,
        "faminc": 15,
        "mind16": 16,
        "mocc10": 10,
    }
    ordered = {column.name for column in schema.attributes if column.ordered}
    assert ordered == {"gradeatn", "faminc"}


def test_cps_has_the_usual_number_of_people_and_households() -> None:
    table = Cps().generate(rng())
    households, size = np.unique(table.columns["hhid"], return_counts=True)
    assert len(table) == 201_279
    assert 76_500 < len(households) < 77_700
    eligible = int((size >= 5).sum())
    assert 650 < eligible < 970, f"{eligible} households of five or more, 812 in the real table"


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 10, 101, 999, 5_000])
def test_cps_has_exactly_the_people_asked_for(rows: int) -> None:
    table = Cps(rows=rows).generate(rng(rows))
    assert len(table) == rows
    number = table.columns["hhid"]
    assert number[0] == 1
    assert set(np.diff(number).tolist()) <= {0, 1}, "households stand together, numbered from 1"


def test_members_of_a_household_share_state_and_income(homes: Table) -> None:
    number = homes.columns["hhid"]
    same = number[1:] == number[:-1]
    for name in ("statefips", "faminc"):
        values = homes.columns[name]
        assert (values[1:][same] == values[:-1][same]).all(), name


def test_couples_look_like_couples(homes: Table) -> None:
    columns = homes.columns
    _, start, size = np.unique(columns["hhid"], return_index=True, return_counts=True)
    one = start[size == 2]
    one = one[(columns["married"][one] == 1) & (columns["married"][one + 1] == 1)]

    def same(name: str) -> float:
        return float((columns[name][one] == columns[name][one + 1]).mean())

    apart = np.abs(columns["age"][one] - columns["age"][one + 1])
    assert same("female") < 0.03, f"same sex {same('female'):.3f}"
    assert np.median(apart) <= 4, f"median age difference {np.median(apart)}"
    assert same("ownchild") > 0.95, f"same number of children {same('ownchild'):.3f}"
    assert same("agechild") > 0.95, f"children of the same ages {same('agechild'):.3f}"
    assert same("wbhaom") > 0.85, f"same race {same('wbhaom'):.3f}"
    assert same("citistat") > 0.80, f"same citizenship {same('citistat'):.3f}"


def test_cps_has_hardly_any_impossible_people(homes: Table) -> None:
    columns = homes.columns
    childless = np.mean((columns["ownchild"] == 0) != (columns["agechild"] == 0))
    assert childless <= 0.0005, f"number and ages of children contradict: {childless:.4%}"
    full_time = np.isin(columns["ftptstat"], (1, 2, 3, 4))
    assert not (full_time != (columns["hoursut"] >= 35)).any(), "hours contradict full-time work"
    assert not np.isin(columns["ftptstat"], (0, 10, 11)).any(), "everybody in the table works"
    young = columns["age"] < 20 - 16
    degrees = np.mean(columns["gradeatn"][young] >= 12)
    assert degrees <= 0.03, f"teenagers with a bachelor's degree or more: {degrees:.4%}"


def test_the_stand_in_has_no_repeated_households(homes: Table) -> None:
    report = find_duplicates(homes).report
    assert (report.copied, report.linked, report.dropped) == (0, 0, 0)


def test_whole_households_fill_up_to_the_rows_asked_for() -> None:
    size = np.array([2, 3, 2, 4, 1, 1])
    assert whole_households(size, 7).tolist() == [0, 1, 2]
    assert whole_households(size, 8).tolist() == [0, 1, 2, 4]
    assert whole_households(size, 9).tolist() == [0, 1, 2, 4, 5]
    assert whole_households(size, 1).tolist() == [4]
    assert whole_households(size, 100).tolist() == [0, 1, 2, 3, 4, 5]
    assert whole_households(size[:1], 1).tolist() == []


def test_repeated_households_are_found_as_by_hand() -> None:
    base = Cps(rows=400).generate(rng(5))
    number = base.columns["hhid"]
    size = np.bincount(number)
    large, small = np.flatnonzero(size == 4)[:2], np.flatnonzero(size == 2)[0]
    copy = base.take(np.isin(number, [*large, small]))
    copy = copy.replace({"hhid": copy.columns["hhid"] + 1000})
    first = copy.columns["hhid"] == large[0] + 1000
    # The first large copy is a later interview: other hours, and one member has left.
    hours = np.where(first, (copy.columns["hoursut"] + 1) % 199, copy.columns["hoursut"])
    copy = copy.replace({"hoursut": hours})
    copy = copy.take(np.arange(len(copy)) != np.flatnonzero(first)[0])
    table = base.concat(copy)
    findings = find_duplicates(table)
    assert findings.report.rows == 6
    assert findings.report.copied == 4
    assert findings.report.linked == 4
    assert findings.report.dropped == 3
    assert table.take(findings.kept).equals(base)


def test_repeated_households_are_found_as_by_a_slow_search() -> None:
    table = Cps(rows=600).generate(rng(6))
    # A tiny world, so that everything coincides all the time, also within households.
    tiny = {name: np.zeros(len(table), int) for name in table.schema.names if name != "hhid"}
    tiny["age"] = rng(1).integers(12, size=len(table))
    tiny["hoursut"] = rng(2).integers(2, size=len(table))
    table = table.replace(tiny)
    members: dict[int, list[tuple[int, ...]]] = {}
    for row in zip(*(table.columns[n].tolist() for n in table.schema.names), strict=True):
        members.setdefault(row[0], []).append(row[1:])
    stable = [table.schema.names.index(name) - 1 for name in STABLE]
    persons = {h: Counter(tuple(p[i] for i in stable) for p in ps) for h, ps in members.items()}
    links, copies, cluster = set(), set(), {h: h for h in members}
    for a, b in itertools.combinations(members, 2):
        linked = (persons[a] & persons[b]).total() >= SHARED
        copied = sorted(members[a]) == sorted(members[b])
        links |= {a, b} if linked else set()
        copies |= {a, b} if copied else set()
        if linked or copied:
            old, new = cluster[b], cluster[a]
            cluster = {h: new if c == old else c for h, c in cluster.items()}
    findings = find_duplicates(table)
    assert len(links) > 20
    assert (findings.report.linked, findings.report.copied) == (len(links), len(copies))
    assert findings.report.dropped == len(members) - len(set(cluster.values()))
    kept = np.unique(table.columns["hhid"][findings.kept]).tolist()
    for number in set(cluster.values()):
        together = [h for h in members if cluster[h] == number]
        best = max(together, key=lambda h: (len(members[h]), -h))
        assert [h for h in together if h in kept] == [best]


# --- parameter files ----------------------------------------------------------------------------


def test_parameters_in_another_format_are_refused() -> None:
    with pytest.raises(ValueError, match=r"format 'quintain\.shares/2', not"):
        bayesnet.from_document({"format": "quintain.shares/2"})


@pytest.mark.parametrize("file", [adult.PARAMETERS, cps_households.PARAMETERS])
def test_every_table_row_adds_up(file: str) -> None:
    for network in bayesnet.read_networks(file).values():
        for node in network.nodes:
            assert (node.shares.sum(axis=1) == bayesnet.SHARES).all(), node.name
            assert len(node.index) == np.prod(node.sizes, dtype=int), node.name


def test_a_draw_follows_the_shares_of_its_row() -> None:
    shares = np.array([[0, 2_500, 7_500, 0], [10_000, 0, 0, 0]])
    node = bayesnet.Node("x", ("a",), (3,), np.array([0, 1, 0]), shares)
    parent = np.repeat([0, 1, 2], 20_000)
    drawn = node.draw([parent], len(parent), rng())
    assert (drawn[parent == 1] == 0).all()
    counts = np.bincount(drawn[parent != 1], minlength=4) / 40_000
    assert counts == pytest.approx([0, 0.25, 0.75, 0], abs=0.01)
