"""The built-in stand-ins and the loader of Adult, without any real data."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest

from quintain.data import Table
from quintain.data.sources import adult, bayesnet, cps
from quintain.data.sources.adult import Adult
from quintain.data.sources.cps import Cps
from quintain.data.sources.source import Source
from quintain.errors import DataError
from tests.data.sources.source_cases import rng

SOURCES = [Adult(rows=2_000), Cps(rows=2_000)]


@pytest.fixture(scope="module")
def people() -> Table:
    return Adult().generate(rng())


# --- every stand-in -------------------------------------------------------------------------------


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
    [(adult.PARAMETERS, "cf6e3a476d99df38"), (cps.PARAMETERS, "dc0d41f9e7067c08")],
)
def test_parameters_of_a_published_version_stay(file: str, digest: str) -> None:
    packed = (Path(adult.__file__).parent / file).read_bytes()
    assert len(packed) < 100_000
    assert hashlib.sha256(gzip.decompress(packed)).hexdigest().startswith(digest)


# --- adult ----------------------------------------------------------------------------------------


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


# --- parameter files ------------------------------------------------------------------------------


def test_parameters_in_another_format_are_refused() -> None:
    with pytest.raises(ValueError, match=r"format 'quintain\.shares/2', not"):
        bayesnet.from_document({"format": "quintain.shares/2"})


@pytest.mark.parametrize("file", [adult.PARAMETERS, cps.PARAMETERS])
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
