"""Files without a header are noticed; honest headers are never refused."""

import json

import numpy as np
import openpyxl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import quintain as q
from quintain.cli.main import cli
from quintain.data.own_files.header import header_doubt
from quintain.data.sources.own_file import settle_table
from quintain.errors import DataError

RNG = np.random.default_rng(5)
TOWNS, JOBS = ("Ulm", "Bonn", "Kiel"), ("baker", "smith", "nurse")


def texts(rows):
    return [[str(cell) for cell in row] for row in rows]


def people(rows=80):
    """Records with words, whole numbers, fractions and days."""
    return texts(
        (
            RNG.choice(TOWNS),
            RNG.integers(18, 80),
            round(float(RNG.normal(20, 4)), 2),
            f"20{RNG.integers(10, 24)}-0{RNG.integers(1, 9)}-1{RNG.integers(0, 9)}",
            RNG.choice(JOBS),
        )
        for _ in range(rows)
    )


def numbers(rows, columns, low, high):
    return texts(RNG.integers(low, high, (rows, columns)))


def named(rows, name="person"):
    """The rows with a column of different names in front."""
    return [[f"{name} {place}", *row] for place, row in enumerate(rows)]


HONEST = {
    "words": (["town", "age", "bmi", "day", "job"], people()),
    "names with spaces": (["Home town", "Age (years)", "BMI", "Day seen", "Job"], people()),
    "capital codes": (["TWN", "A1", "V_2", "D", "J.1"], people()),
    "years beside a name": (["country", "2019", "2020", "2021"], named(numbers(50, 3, 500, 4000))),
    "two years far apart": (["country", "1990", "2020"], named(numbers(50, 2, 500, 4000))),
    "one year": (["country", "2019"], named(numbers(50, 1, 500, 4000))),
    "years backwards": (["country", "2021", "2020", "2015"], named(numbers(50, 3, 500, 4000))),
    "years alone": (["2018", "2019", "2020"], numbers(50, 3, 1000, 3000)),
    "years over years": (["2018", "2021"], numbers(50, 2, 1990, 2030)),
    "one column with a year": (["2019"], numbers(50, 1, 1000, 3000)),
    "days as names": (["country", "2020-01-22", "2020-01-23"], named(numbers(50, 2, 0, 99))),
    "questions": (["who", "1", "2", "3", "4"], named(numbers(50, 4, 1, 6))),
    "pixels": ([str(place) for place in range(64)], numbers(60, 64, 0, 255)),
    "wavelengths": (["400.5", "401.0", "401.5", "402.0"], numbers(60, 4, 0, 900)),
    "doses": (["gene", "0.1", "1", "10"], named(numbers(60, 3, 0, 20))),
    "bits with names": ([f"f{place}" for place in range(40)], numbers(60, 40, 0, 2)),
    "bits with numbers": ([str(place) for place in range(40)], numbers(60, 40, 0, 2)),
    "one column of bits": (["member"], numbers(60, 1, 0, 2)),
    "one column of words": (["town"], texts(RNG.choice(TOWNS, (60, 1)))),
    "one column of names": (["name"], [[f"person {place}"] for place in range(60)]),
    "texts alone": (["town", "job"], [[row[0], row[4]] for row in people()]),
    "free texts": (["title", "abstract"], [[f"a {n}", f"about {n}"] for n in range(40)]),
    "the name is a value": (["other", "age"], texts(RNG.choice([["other", 5], ["x", 7]], 60))),
    "the header again": (
        ["town", "job"],
        [["Ulm", "baker"], ["town", "job"], ["Bonn", "smith"]] * 9,
    ),
    "the header again, names": (["name"], [[f"p {n}"] for n in range(30)] + [["name"]]),
    "few rows": (["town", "age"], [["Ulm", "40"]]),
    "no rows": (["town", "age"], []),
    "numbers with units": (["price", "weight"], [[f"{n} EUR", f"{n % 7} kg"] for n in range(40)]),
    "missing cells": (["town", "age"], [["Ulm", "NA"], ["", "40"], ["Bonn", "?"]] * 9),
    "German": (["Ort", "Größe"], [["Ulm", "1,75"], ["Bonn", "1,80"]] * 9),
    "truth values": (["ok", "paid"], [["true", "no"], ["false", "yes"]] * 9),
    "codes": (["zip", "icd"], [["01234", "A10"], ["99999", "B20"]] * 9),
}
DATA = {
    "people": people(),
    "numbers": numbers(60, 5, 0, 100),
    "fractions": texts(np.round(RNG.normal([5, 3, 4], 1, (80, 3)), 1)),
    "one column of numbers": numbers(60, 1, 0, 10),
    "bits": numbers(60, 40, 0, 2),
    "categories": [[row[0], row[4]] for row in people()],
    "one column of words": texts(RNG.choice(TOWNS, (60, 1))),
    "names and a category": named([[row[0]] for row in people()]),
    "days": [[row[3], row[0]] for row in people()],
}


@pytest.mark.parametrize("style", HONEST)
def test_an_honest_header_is_never_refused(style):
    first, rows = HONEST[style]
    assert header_doubt(first, rows) == ""


@pytest.mark.parametrize("kind", DATA)
def test_records_without_a_header_are_noticed(kind):
    rows = DATA[kind]
    noticed = [
        bool(header_doubt(row, rows[:place] + rows[place + 1 :])) for place, row in enumerate(rows)
    ]
    assert np.mean(noticed) > 0.7  # some rows are rare enough to be names


WORD = st.from_regex(r"[A-Za-z][A-Za-z_ ]{0,9}", fullmatch=True)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(data=st.data(), width=st.integers(1, 6))
def test_words_above_numbers_are_names(data, width):
    first = data.draw(st.lists(WORD, min_size=width, max_size=width))
    cells = st.integers(-9, 99).map(str)
    rows = data.draw(
        st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=9)
    )
    assert header_doubt(first, rows) == ""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("\n".join(map(",".join, people(60))) + "\n")
    return path


def run(*words):
    return CliRunner().invoke(cli, list(map(str, words)))


def refused(done):
    assert isinstance(done.exception, DataError)
    told = str(done.exception)
    assert "the first row looks like the others" in told
    assert "occurs below as well" in told
    assert "--header" in told and "--no-header" in told


def test_schema_learn_asks_and_takes_both_answers(table):
    refused(run("schema", "learn", table))
    columns = json.loads(run("schema", "learn", table, "--no-header").stdout)["columns"]
    assert [column["name"] for column in columns] == [f"column_{place}" for place in range(1, 6)]
    assert "own.csv: 60 rows" in run("schema", "learn", table, "--no-header").stderr
    assert "own.csv: 59 rows" in run("schema", "learn", table, "--header").stderr


def test_sanitize_attack_and_audits_ask(table, tmp_path):
    out = tmp_path / "release.csv"
    sanitize = ("sanitize", table, "--with", "identity", "--out", out)
    refused(run(*sanitize))
    assert run(*sanitize, "--no-header").exit_code == 0
    assert out.read_text().startswith("column_1,column_2,")
    assert len(out.read_text().splitlines()) == 61
    guess = tmp_path / "guess.csv"
    refused(run("attack", table, "--with", "nearest", "--targets", table, "--out", guess))
    refused(run("audit", "release", "--original", table, "--release", table))
    refused(run("audit", "sanitizer", "identity", "--data", table))
    refused(run("audit", "split", "--data", table, "--out", tmp_path / "parts"))
    assert (
        run("audit", "split", "--data", table, "--out", tmp_path / "p", "--no-header").exit_code
        == 0
    )
    parts = [path.read_text().splitlines() for path in sorted((tmp_path / "p").iterdir())]
    assert sorted(parts[0] + parts[1]) == sorted(table.read_text().splitlines())


@pytest.mark.filterwarnings("ignore::quintain.data.learning.learn.LearnedSchema")
def test_notebooks_ask(table):
    for call in (q.learn_schema, lambda path: q.sanitize("identity", path)):
        with pytest.raises(
            DataError, match="header=True for column names, --no-header or header=F"
        ):
            call(table)
    assert len(q.sanitize("identity", table, header=False).data) == 60
    assert q.learn_schema(table, header=True).tables[0].rows == 59
    calls = (
        lambda **header: q.audit(table, table, **header),
        lambda **header: q.attack("nearest", table, targets=table, seed=0, **header),
        lambda **header: q.measure("marginals", table, table, **header),
    )
    for call in calls:
        with pytest.raises(DataError, match="the first row looks like the others"):
            call()
    guess = q.attack("nearest", table, targets=table, seed=0, header=False)
    assert len(guess.table) == 60
    assert len(q.attack("nearest", table, targets=table, seed=0, header=True).table) == 59
    counted = [q.measure("marginals", table, table, header=header) for header in (True, False)]
    assert all(reading.measured for readings in counted for reading in readings.values())


def test_editions_ask(table):
    with pytest.raises(DataError, match="the first row looks like the others"):
        settle_table({"path": "own.csv"}, [table.parent])
    settled, _ = settle_table({"path": "own.csv", "header": False}, [table.parent])
    assert settled["schema"]["columns"][0]["name"] == "column_1"


def test_the_first_row_of_a_workbook_is_looked_at_too(tmp_path):
    book = openpyxl.Workbook()
    for row in people(40):
        book.active.append([row[0], int(row[1]), row[4]])
    book.save(tmp_path / "own.xlsx")
    with pytest.raises(DataError, match="the first row looks like the others"):
        q.learn_schema(tmp_path / "own.xlsx")
    assert q.learn_schema(tmp_path / "own.xlsx", header=False).tables[0].rows == 40


def test_a_stated_schema_answers_the_question(table):
    table.write_text("Ulm,1\nUlm,2\nUlm,1\nUlm,3\nUlm,2\n")
    with pytest.raises(DataError, match="the first row looks like the others"):
        q.learn_schema(table)
    columns = tuple(
        q.Column(name=name, kind="category", values=values)
        for name, values in (("Ulm", ("Ulm",)), ("1", ("1", "2", "3")))
    )
    assert len(q.sanitize("identity", table, schema=q.Schema(columns=columns)).data) == 4
