"""The base table of SNAKE from yearly survey files, on small files in their published format."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data import Table
from quintain.data.sources.cps import SCHEMA, Cps
from quintain.data.sources.cps_extracts import (
    YEARS,
    base_from_extracts,
    find_extracts,
    largest_month,
)
from quintain.errors import DataError

# What the published code book says of some codes; the others follow by counting.
SOME_CODES = {
    "agechild": {
        0: "No own children under 18 years of age",
        15: "Own children from all age groups",
    },
    "citistat": {1: "Native, born in US", 5: "Foreign born, not a US citizen"},
    "female": {0: "Male", 1: "Female"},
    "married": {0: "Not married", 1: "Married"},
    "wbhaom": {1: "White", 6: "Multiple races"},
    "gradeatn": {1: "Less than 1st grade", 9: "HS graduate, GED", 16: "Doctorate"},
    "cow1": {1: "Government - Federal", 8: "Without pay"},
    "ftptstat": {1: "Not in labor force", 12: "Unemployed PT"},
    "statefips": {1: "AL", 2: "AK", 4: "AZ", 6: "CA", 11: "DC", 36: "NY", 44: "RI", 56: "WY"},
    "faminc": {1: "Less than $5,000", 15: "$150,000+"},
    "mind16": {
        1: "Agriculture, mining, forestry and fisheries",
        2: "Construction",
        16: "Public administration",
    },
    "mocc10": {1: "Managers and professionals", 10: "Agriculture"},
}
ANYBODY = {
    "year": 2005, "month": 1, "hhid": 1, "age": 40, "agechild": 0, "citistat": 1, "female": 0,
    "married": 1, "ownchild": 0, "wbhaom": 1, "gradeatn": 9, "cow1": 4, "ftptstat": 2,
    "statefips": 6, "hoursut": 40, "faminc": 12, "mind16": 3, "mocc10": 9, "basicwgt": 2345.67,
    "region": 4,
}  # fmt: skip


def people(year: int, *changes: dict[str, float]) -> pd.DataFrame:
    """A yearly file with one person for each set of changes to an average person."""
    return pd.DataFrame([{**ANYBODY, "year": year, **change} for change in changes])


def write(frame: pd.DataFrame, path: Path) -> None:
    if path.suffix == ".dta":
        frame.to_stata(path, write_index=False)
    elif path.suffix == ".feather":
        frame.to_feather(path)
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False)


def survey(folder: Path, ending: str, frames: dict[int, pd.DataFrame]) -> Path:
    """A folder with all years; one person each where nothing else is said."""
    for year in YEARS:
        frame = frames.get(year, people(year, {"hhid": year}))
        write(frame, folder / f"epi_cpsbasic_{year}{ending}")
    return folder


def drawn(seed: int = 0) -> dict[int, pd.DataFrame]:
    """Yearly files with few household numbers, so that these meet often; and much that is left out.

    Codes are drawn from everywhere in their domains.
    """
    rng = np.random.default_rng(seed)
    frames = {}
    for year in YEARS:
        count = 60
        frame = {
            "year": np.full(count, year),
            "month": rng.integers(1, 13, count),
            "hhid": rng.integers(1, 12, count),
        }
        for column in SCHEMA.attributes:
            first = column.offset if column.kind == "integer" else int(column.size > 2)
            frame[column.name] = rng.integers(first, first + column.size, count).astype(float)
        frame["agechild"] -= 1
        frame["statefips"] = rng.choice(list(SOME_CODES["statefips"]), count).astype(float)
        frame["age"] = rng.integers(10, 81, count).astype(float)
        frame["faminc"][rng.random(count) < 0.1] = -1
        frame["mind16"][rng.random(count) < 0.2] = np.nan
        frame["basicwgt"] = rng.choice([0.0, 0.4, 1.0, 3000.5], count, p=[0.05, 0.05, 0.1, 0.8])
        frames[year] = pd.DataFrame(frame)
    return frames


def slowly(frames: dict[int, pd.DataFrame]) -> list[dict[str, object]]:
    """The steps of the challenge one person at a time."""
    visits = defaultdict(list)
    for frame in frames.values():
        for person in frame.to_dict("records"):
            complete = all(value == value for value in person.values())
            if not complete or person["faminc"] <= 0 or person["age"] < 16:
                continue
            if int(person["basicwgt"]) > 0:
                visits[person["hhid"], person["year"], person["month"]].append(person)
    kept = []
    for household in sorted({visit[0] for visit in visits}):
        months = sorted(visit for visit in visits if visit[0] == household)
        largest = visits[max(months, key=lambda visit: len(visits[visit]))]
        kept += [{name: label(name, person[name]) for name in SCHEMA.names} for person in largest]
    return kept


def label(name: str, code: float) -> object:
    column = SCHEMA[name]
    if column.kind != "category":
        return int(code)
    if name == "statefips":
        return SOME_CODES[name][int(code)]
    return column.values[int(code) - min(SOME_CODES[name])]


@pytest.mark.parametrize("ending", [".dta", ".feather", ".parquet", ".csv"])
def test_every_format_gives_the_table_of_the_slow_way(ending: str, tmp_path: Path) -> None:
    frames = drawn()
    table = base_from_extracts(survey(tmp_path, ending, frames), SCHEMA)
    assert table.records() == slowly(frames)
    assert len(table) > 15
    # Ties between months are the rule in such small files, larger months must occur, too.
    assert len(table) > len(np.unique(table.columns["hhid"]))


def test_codes_have_their_published_meaning(tmp_path: Path) -> None:
    wanted = [(name, code) for name, codes in SOME_CODES.items() for code in codes]
    rows = [{"hhid": i, name: code} for i, (name, code) in enumerate(wanted)]
    table = base_from_extracts(survey(tmp_path, ".csv", {2005: people(2005, *rows)}), SCHEMA)
    records = {record["hhid"]: record for record in table.records()}
    for i, (name, code) in enumerate(wanted):
        assert records[i][name] == SOME_CODES[name][code]


def test_who_is_left_out(tmp_path: Path) -> None:
    rows = [
        {"hhid": 1},
        {"hhid": 2, "age": 15},
        {"hhid": 3, "faminc": -1},
        {"hhid": 4, "basicwgt": 0.9},
        {"hhid": 5, "mocc10": np.nan},
        {"hhid": 6, "basicwgt": np.nan},
        {"hhid": 7, "age": 15, "gradeatn": 99},  # left out, so its code does not matter
        {"hhid": 8, "region": np.nan},  # a column nobody asks about
        {"hhid": 9, "age": 16, "basicwgt": 1.0},
    ]
    table = base_from_extracts(survey(tmp_path, ".dta", {2005: people(2005, *rows)}), SCHEMA)
    assert [h for h in table.columns["hhid"].tolist() if h < 100] == [1, 8, 9]


@pytest.mark.slow
def test_archive_as_downloaded(tmp_path: Path) -> None:
    frames = drawn(1)
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.mkdir()
    packed.mkdir()
    survey(plain, ".dta", frames)
    with ZipFile(packed / "epi_cpsbasic_2000_2023.zip", "w") as archive:
        for file in sorted(plain.iterdir()):
            archive.write(file, file.name)
    assert {extract.path.suffix for extract in find_extracts(packed)} == {".zip"}
    tables = [base_from_extracts(folder, SCHEMA) for folder in (plain, packed)]
    assert tables[0].equals(tables[1])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), max_size=40), st.integers(0, 40))
def test_the_largest_month_of_each_household(visits: list[tuple[int, int]], cut: int) -> None:
    household, month = (np.array([v[i] for v in visits], np.int64) for i in (0, 1))
    rows = largest_month(household, month)
    expected = []
    for number in sorted(set(household.tolist())):
        own = [v for v in visits if v[0] == number]
        best = max(sorted(set(own)), key=own.count)
        expected += [i for i, visit in enumerate(visits) if visit == best]
    assert rows.tolist() == expected
    # Years may be taken one after the other, if their months are apart.
    order = np.argsort(month, kind="stable")
    early, late = order[month[order] < cut % 6], order[month[order] >= cut % 6]
    some = early[largest_month(household[early], month[early])]
    both = np.r_[some, late]
    again = both[largest_month(household[both], month[both])]
    assert sorted(again.tolist()) == sorted(expected)


def test_the_source_prepares_the_table_from_extracts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey(tmp_path, ".feather", drawn())
    monkeypatch.setenv("QUINTAIN_DATA", str(tmp_path))
    table = Cps(real=True, duplicates="keep").data(np.random.default_rng(0))
    assert isinstance(table, Table)
    assert table.records() == slowly(drawn())
    assert Cps(real=True).report_duplicates().dropped == 0


# --- files at fault -----------------------------------------------------------------------------


def faults(folder: Path) -> str:
    with pytest.raises(DataError) as caught:
        base_from_extracts(folder, SCHEMA)
    return str(caught.value)


def test_missing_years_are_all_named(tmp_path: Path) -> None:
    survey(tmp_path, ".csv", {})
    for year in (2007, 2022):
        (tmp_path / f"epi_cpsbasic_{year}.csv").unlink()
    message = faults(tmp_path)
    assert "epi_cpsbasic_2007.dta is not in" in message
    assert "epi_cpsbasic_2022.dta is not in" in message
    assert len(message.splitlines()) == 2


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".dta", ".feather", ".csv"])
def test_missing_columns_are_all_named(ending: str, tmp_path: Path) -> None:
    broken = people(2010, {}).drop(columns=["mind16", "basicwgt"])
    message = faults(survey(tmp_path, ending, {2010: broken, 2012: people(2012, {"cow1": 9})}))
    assert message.splitlines() == [
        f"epi_cpsbasic_2010{ending} mind16: this column is missing",
        f"epi_cpsbasic_2010{ending} basicwgt: this column is missing",
        f"epi_cpsbasic_2012{ending}:1 cow1='9': expected a code in 1..8",
    ]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"statefips": 3}, "statefips='3': expected a code one of the federal codes of 51 states"),
        ({"statefips": 57}, "statefips='57': expected a code one of"),
        ({"agechild": 16}, "agechild='16': expected a code in 0..15"),
        ({"female": 2}, "female='2': expected a code in 0..1"),
        ({"gradeatn": 0}, "gradeatn='0': expected a code in 1..16"),
        ({"gradeatn": 9.5}, "gradeatn='9.5': expected a code in 1..16"),
        ({"age": 81}, "age='81': expected a code in 16..80"),
        ({"hoursut": -4}, "hoursut='-4': expected a code in 0..198"),
        ({"hhid": 1.5}, "hhid='1.5': expected a whole number"),
        ({"hhid": -1}, "hhid='-1': expected a whole number"),
        ({"year": 2009}, "year: 1 people are from another year than 2008"),
    ],
)
def test_unknown_codes_are_faults(change: dict[str, float], sentence: str, tmp_path: Path) -> None:
    frame = people(2008, {}, {}, change)
    message = faults(survey(tmp_path, ".dta", {2008: frame}))
    assert sentence in message
    assert message.startswith("epi_cpsbasic_2008.dta")
    assert ("dta:3 " in message) == ("year" not in change)


def test_very_many_faults_are_counted(tmp_path: Path) -> None:
    frame = people(2008, *[{"cow1": 9}] * 1500)
    with pytest.raises(DataError) as caught:
        base_from_extracts(survey(tmp_path, ".csv", {2008: frame}), SCHEMA)
    assert caught.value.total == 1500


@pytest.mark.parametrize("ending", [".dta", ".feather", ".parquet", ".csv"])
def test_a_file_of_something_else_is_said_so(ending: str, tmp_path: Path) -> None:
    survey(tmp_path, ending, {})
    (tmp_path / f"epi_cpsbasic_2011{ending}").write_bytes(b"something else \x00\xff")
    message = faults(tmp_path)
    assert message.startswith(f"epi_cpsbasic_2011{ending}")
    assert "cannot be read" in message or "column is missing" in message


def test_names_instead_of_codes_are_said_so(tmp_path: Path) -> None:
    frame = people(2011, {}).astype({"female": object})
    frame["female"] = "Female"
    for ending in (".feather", ".csv"):
        folder = tmp_path / ending
        folder.mkdir()
        assert "cannot be read as numeric codes" in faults(survey(folder, ending, {2011: frame}))
