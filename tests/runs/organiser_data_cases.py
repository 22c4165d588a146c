"""A contest on a table of one's own, as an organiser would write it."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from quintain.data import Schema
from quintain.runs.folder.folder import Folder

COLUMNS = [
    {"name": "who", "kind": "id", "role": "person"},
    {"name": "sex", "kind": "category", "values": ["f", "m"]},
    {"name": "age", "kind": "integer", "low": 18, "high": 90},
    {"name": "town", "kind": "category", "values": ["Ulm", "Bonn", "Jena"], "nullable": True},
]

EDITION = """
id = "mine"
title = "People of our own"
goal = "membership"
dataset = {{ use = "file", path = "{path}", schema = "schema.json" }}
sample = {{ use = "targets", targets = 10, background = 40 }}
sanitizer = [{{ use = "identity" }}]
privacy = [{{ use = "membership-advantage" }}]
board = [{{ id = "attackers", use = "count-wins" }}]

[knowledge]
gives = ["parameters"]

[[baseline]]
id = "exact"
attack = {{ use = "exact-match" }}
"""


def write_own_contest(folder, path="people.csv", rows=120):
    """Write an edition file, a table and its schema into a folder; returns the edition file."""
    rng = np.random.default_rng(3)
    lines = ["who,sex,age,town"]
    for number in range(rows):
        town = ("Ulm", "Bonn", "Jena", "")[rng.integers(4)]
        lines.append(f"p{number},{'fm'[rng.integers(2)]},{rng.integers(18, 91)},{town}")
    folder.mkdir(exist_ok=True)
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    (folder / "schema.json").write_text(json.dumps({"columns": COLUMNS}))
    (folder / "mine.toml").write_text(EDITION.format(path=path))
    return folder / "mine.toml"


SECRET_WORD = "never-to-be-published"
"""Stands in an id column and in a column that the schema leaves out."""

SECRET_DISCLOSURES = [
    "people.csv: all rows become public with the reveal, with these columns: sex, age, town. "
    "Of the ids in home, only numbers become public, which say what belongs together. "
    "These columns stay out of the contest: row, remark.",
    "test.csv: all rows become public when the round begins, with these columns: sex, age, town. "
    "Of the ids in home, only numbers become public, which say what belongs together. "
    "These columns stay out of the contest: row, remark.",
]


def write_secret_contest(folder):
    """A contest on a table with households, row numbers and remarks, each with a secret word."""
    edition = write_own_contest(folder)
    lines = (folder / "people.csv").read_text().splitlines()
    rows = ["home,row,sex,age,town,remark"]
    for number, line in enumerate(lines[1:]):
        _, *cells = line.split(",")
        secret = f"{SECRET_WORD}-{number}"
        rows.append(",".join([f"{SECRET_WORD}-{number // 3}", secret, *cells, secret]))
    (folder / "people.csv").write_text("\n".join(rows) + "\n")
    (folder / "test.csv").write_text("\n".join(rows[:20]) + "\n")
    ids = [
        {"name": "home", "kind": "id", "role": "household"},
        {"name": "row", "kind": "id"},
    ]
    (folder / "schema.json").write_text(json.dumps({"columns": [*ids, *COLUMNS[1:]]}))
    text = edition.read_text().replace('schema = "', 'test = "test.csv", schema = "')
    edition.write_text(text)
    return edition


def load_schema(folder):
    """The schema of a contest that lies in a folder."""
    return Schema.model_validate_json((folder / "schema.json").read_bytes())


def zip_contents(path):
    """The unpacked content of every file of a zip; a zip inside of it is unpacked, too."""
    content = path if isinstance(path, bytes) else Path(path).read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return [archive.read(name) for name in archive.namelist()]


def opened_zip(path, place):
    """The folder in a zip, unpacked."""
    zipfile.ZipFile(path).extractall(place)
    return Folder(place)


def assert_no_secret_word(contents):
    """No published byte has the secret word, in a Parquet file neither."""
    contents = list(contents)
    assert contents
    for content in contents:
        assert SECRET_WORD.encode() not in content
        if content.startswith(b"PAR1"):
            rows = pq.read_table(io.BytesIO(content)).to_pylist()
            assert SECRET_WORD not in repr(rows)
