"""Our attacks on the people and releases of MT-MIA, beside what its authors publish.

    python -m benchmarks.people.mt_mia FOLDER [--seeds 42 43 44]

FOLDER is a copy of the repository of Ward, Wang and Cheng (arXiv:2602.07126). It has three data
sets of two tables each. 1,000 people of each are members, 1,000 others are not, and 1,000 further
ones are known to the attacker for other reasons. Three generators made three releases each of the
members. Nothing is trained here but our learned attack: MT-MIA's figures, and those of the best
attack on a single table, are the ones in the authors' table (means over the three releases).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc_csv

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.people.attacks import HEAD, Game, lines, score_everybody
from quintain.data import Column
from quintain.data.arrays import Array
from quintain.data.people import People
from quintain.data.people_schema import PeopleSchema, TableSchema

TABLES = {
    "california": ("household", "individual"),
    "airbnb": ("user", "session"),
    "airlines": ("loyalty_history", "activity"),
}
GENERATORS = {"clava": "ClavaDDPM", "reldiff": "RelDiff", "rtf": "REaLTabFormer"}
PUBLISHED = {
    ("clava", "california"): ("0.79", "0.11", "0.69", "0.15"),
    ("clava", "airbnb"): ("0.79", "0.06", "0.80", "0.09"),
    ("clava", "airlines"): ("0.69", "0.12", "0.66", "0.31"),
    ("reldiff", "california"): ("0.67", "0.13", "0.64", "0.22"),
    ("reldiff", "airbnb"): ("0.57", "0.02", "0.62", "0.06"),
    ("reldiff", "airlines"): ("0.51", "0.01", "0.49", "0.01"),
    ("rtf", "california"): ("0.57", "0.02", "0.52", "0.02"),
    ("rtf", "airbnb"): ("0.58", "0.02", "0.58", "0.02"),
    ("rtf", "airlines"): ("0.54", "0.05", "0.51", "0.03"),
}
"""AUC and TPR at 1 % of the best attack on a single table, then those of MT-MIA."""


def read_sides(folder: Path, data: str, generator: str, seed: int) -> list[People]:
    """Members, others, further known people, and the release."""
    split = folder / "data" / data / "split"
    release = folder / "synth_data" / f"{generator}_synth" / data / f"seed_{seed}"
    parent, child = TABLES[data]
    key = f"{parent}_id"
    folders = (split / "mem", split / "non_mem", split / "ref", release)
    files = [{name: _read(side / f"{name}.csv") for name in (parent, child)} for side in folders]
    schemas = []
    for name in (parent, child):
        domain = json.loads((split / "mem" / f"{name}_domain.json").read_text())
        columns = []
        for column, words in domain.items():
            cells = np.concatenate([side[name][column].to_numpy() for side in files])
            columns.append(_column(column, words["type"] == "discrete", cells))
        schemas.append(
            TableSchema(name=name, columns=tuple(columns), key=key)
            if name == parent
            else TableSchema(name=name, columns=tuple(columns), reference=key)
        )
    schema = PeopleSchema(tables=tuple(schemas))
    return [
        People.read(schema, {t.name: _cells(t, side[t.name]) for t in schemas}) for side in files
    ]


def _read(path: Path) -> pa.Table:
    return pc_csv.read_csv(path)


def _column(name: str, discrete: bool, cells: Array) -> Column:
    """A category with all numbers that occur, or a number between the extremes."""
    if discrete:
        values = tuple(str(value) for value in np.unique(cells.astype(np.int64)))
        return Column(name=name, kind="category", values=values)
    return Column(name=name, kind="real", low=float(cells.min()), high=float(cells.max()))


def _cells(table: TableSchema, read: pa.Table) -> pa.Table:
    """The columns of the schema; categories are words."""
    cells: dict[str, Array] = {
        name: read[name].to_numpy().astype(np.int64).astype(np.str_) for name in table.links
    }
    for column in table.columns:
        numbers = read[column.name].to_numpy()
        whole = column.kind == "category"
        cells[column.name] = numbers.astype(np.int64).astype(np.str_) if whole else numbers * 1.0
    return pa.table(cells)


def play(folder: Path, data: str, generator: str, seed: int) -> Game:
    """Let all attacks score members and others."""
    members, others, further, release = read_sides(folder, data, generator, seed)
    known = members.concat(others)
    return score_everybody(known, release, further, rng=np.random.default_rng(seed))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[42, 43, 44])
    given = parser.parse_args()
    print(HEAD)
    for (generator, data), (row, row_rate, graph, graph_rate) in PUBLISHED.items():
        name = f"{data}, {GENERATORS[generator]}"
        print(f"| {name} | best on a single table, published | {row} | {row_rate} | | – | |")
        print(f"| {name} | MT-MIA, published | {graph} | {graph_rate} | | – | |")
        games = [play(given.folder, data, generator, seed) for seed in given.seeds]
        print("\n".join(lines(name, games)), flush=True)


if __name__ == "__main__":
    main()
