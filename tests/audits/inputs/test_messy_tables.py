"""Messy tables: 200 columns as people have them are audited, or refused in words."""

import csv
import json

import numpy as np
import pytest

from quintain.audits.reading.tables import read_inputs
from quintain.audits.release import audit_release
from quintain.errors import DataError

ROWS = 60


def column(place, rng):
    """A name and the cells of one column; ten kinds take turns."""
    kind = place % 10
    name = (
        "Größe (cm)",
        "a,b",
        "id",
        "  spaces ",
        "=cmd()",
        "member",
        "x'y",
        'say "hi"',
        "%",
        "日",
    )
    made = f"{name[kind]} {place}"
    if kind == 0:
        return made, [f"{v:.1f}".replace(".", ",") for v in rng.normal(170, 9, ROWS)]
    if kind == 1:
        return made, rng.choice(["yes", "no", "", "NA"], ROWS).tolist()
    if kind == 2:
        return made, [f"P{n:05d}" for n in rng.choice(90_000, ROWS, replace=False)]
    if kind == 3:
        return made, [f"{n % 28 + 1:02d}.0{n % 9 + 1}.2020" for n in rng.integers(0, 99, ROWS)]
    if kind == 4:
        words = ["pain", "since", "last", "week", "no", "fever", "again"]
        return made, [" ".join(rng.choice(words, 9)) + f" {n}" for n in range(ROWS)]
    if kind == 5:
        return made, ["constant"] * ROWS
    if kind == 6:
        return made, [""] * ROWS
    if kind == 7:
        return made, [*map(str, rng.integers(0, 50, ROWS - 1)), "unknown"]
    if kind == 8:
        return made, [f"{n:05d}" for n in rng.integers(0, 30, ROWS)]
    return made, np.where(rng.random(ROWS) < 0.9, "", rng.integers(0, 9, ROWS)).tolist()


def messy(path, seed, columns=200):
    rng = np.random.default_rng(seed)
    made = [column(place, rng) for place in range(columns)]
    with path.open("w", newline="", encoding="cp1252", errors="replace") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow([name for name, _ in made])
        writer.writerows(zip(*(cells for _, cells in made), strict=True))
    return path


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("messy")
    return [messy(folder / f"{seed}.csv", seed) for seed in range(3)]


@pytest.mark.slow
def test_200_messy_columns_are_read_or_left_out_in_words(paths):
    read = read_inputs(*paths)
    assert len(read.original.schema.names) >= 60
    assert len(read.original.schema.names) + len(read.not_computed) == 200
    reasons = " ".join(one.reason for one in read.not_computed)
    for words in ("free text", "an id", "every cell is missing", "same value everywhere"):
        assert words in reasons
    kinds = {name: read.original.schema[name].kind for name in read.original.schema.names}
    assert kinds["Größe (cm) 0"] == "real"
    assert kinds["spaces 3"] == "time"
    assert kinds["% 8"] == "category"


@pytest.mark.slow
def test_a_messy_table_is_audited(tmp_path):
    given = [messy(tmp_path / f"{seed}.csv", seed, columns=20) for seed in range(3)]
    audit = audit_release(*given, permutations=19)
    assert audit.verdict in ("nothing-found", "cannot-say", "some-leakage")
    assert json.loads(audit.model_dump_json())["not_computed"]


@pytest.mark.slow
def test_without_a_control_all_columns_are_audited(tmp_path):
    path = messy(tmp_path / "messy.csv", 0, columns=60)
    audit = audit_release(path, path)
    assert audit.verdict == "unsafe"
    left_out = [one.what for one in audit.not_computed if one.what.startswith("the column")]
    kinds = [int(what.rstrip("'\"").rpartition(" ")[2]) % 10 for what in left_out]
    assert sorted(kinds) == sorted([2, 4, 5, 6] * 6)  # ids, texts, constant and empty columns


@pytest.mark.slow
def test_names_that_appear_twice_are_refused_in_words(tmp_path, paths):
    twice = tmp_path / "twice.csv"
    twice.write_text("a;b;a\n1;2;3\n")
    with pytest.raises(DataError, match=r"twice\.csv:1 a: columns 1, 3 have the same name"):
        read_inputs(paths[0], twice)


@pytest.mark.parametrize("role", ["original", "release", "control"])
def test_an_impossible_date_is_named_with_its_line(tmp_path, role):
    files = {}
    for name in ("original", "release", "control"):
        rng = np.random.default_rng(len(name))
        days = [f"2011-{m:02d}-{d:02d}" for m, d in rng.integers(1, 13, (ROWS, 2))]
        if name == role:
            days[6] = "2011-02-30"
        files[name] = tmp_path / f"{name}.csv"
        lines = [f"{day},{age}" for day, age in zip(days, rng.integers(0, 90, ROWS), strict=True)]
        files[name].write_text("\n".join(["day,age", *lines]))
    inputs = read_inputs(*files.values(), rng=np.random.default_rng(0))
    reason = next(left.reason for left in inputs.not_computed if "day" in left.what)
    assert f"'2011-02-30' in line 8 of the {role} is not a time" in reason
