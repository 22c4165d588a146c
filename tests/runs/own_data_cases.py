"""A contest on a table of one's own, as an organiser would write it."""

import json

import numpy as np

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
