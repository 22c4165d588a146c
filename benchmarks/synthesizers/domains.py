"""How much measured domains and measured edges cost, on raw tables without a schema.

    QUINTAIN_DATA=folder python -m benchmarks.synthesizers.domains [--seeds 2] [--epsilons 1 10]

The private data are all 48,842 records of the UCI Adult files (adult.data and adult.test in the
folder) with their 15 columns as recorded; without them, 5,000 simulated records with six columns.
"learned, equal" is what quintain did before: domains from the data, which nothing protects, and
bins of equal width for columns that need bins. "learned, edges" changes only the edges of wide
columns. "measured" is ``q.sanitize`` without a schema: domains and edges are measured, and the
claim covers them. Errors are mean total variation distances of one- and two-way marginals (0 is
best). Numbers are counted in at most 20 cells with equally many private records; a value that the
private data do not have is one more cell. Each figure is a mean with its 95 % interval over seeds.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
import warnings
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
import quintain as q
from benchmarks.bench.machine import people, real_data
from benchmarks.bench.means import mean_and_reach
from benchmarks.synthesizers.real_columns import NAMES
from quintain.data.arrays import Codes
from quintain.data.learning.learn import LearnedSchema
from quintain.data.sources.source import DATA_FOLDER

FILES = ("adult.data", "adult.test")
CELLS = 20
METHODS = ("mst", "privbayes", "aim")
WAYS: dict[str, dict[str, Any]] = {
    "learned, equal": {"domain": "learned", "edges": "equal"},
    "learned, edges": {"domain": "learned"},
    "measured": {},
}


def adult() -> pa.Table:
    """All records of both files, or simulated ones."""
    if not real_data(*FILES):
        return simulated(5000)
    rows = []
    for name in FILES:
        text = (Path(os.environ[DATA_FOLDER]) / name).read_text()
        cells = ([cell.strip() for cell in row] for row in csv.reader(text.splitlines()))
        rows += [row for row in cells if len(row) == len(NAMES)]
    columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
    columns["income"] = [text.removesuffix(".") for text in columns["income"]]
    return pa.table({name: numbers_or_texts(cells) for name, cells in columns.items()})


def simulated(rows: int) -> pa.Table:
    """A table with a wide number, a number that is mostly zero, and a rare category."""
    rng = np.random.default_rng(0)
    age = rng.integers(17, 90, rows)
    return pa.table(
        {
            "age": age,
            "weight": rng.lognormal(12, 0.5, rows).astype(int),
            "gain": (rng.lognormal(8, 1, rows) * (rng.random(rows) < 0.08)).astype(int),
            "hours": np.where(rng.random(rows) < 0.5, 40, rng.integers(1, 99, rows)),
            "class": [f"c{a // 25}" for a in age.tolist()],
            "country": rng.choice(["here", "there", "far"], rows, p=[0.95, 0.045, 0.005]),
        }
    )


def numbers_or_texts(cells: list[str]) -> pa.Array:
    """The cells of a column as whole numbers if all of them are; a question mark means missing."""
    try:
        return pa.array([int(cell) for cell in cells])
    except ValueError:
        return pa.array([None if cell == "?" else cell for cell in cells])


def cells_of(private: pa.Table, table: pa.Table) -> dict[str, Codes]:
    """The cell of every value, by column; the private data decide on the cells."""
    out = {}
    for name in private.column_names:
        own, values = (t.column(name).to_numpy(zero_copy_only=False) for t in (private, table))
        if own.dtype.kind in "if":
            edges = np.unique(np.quantile(own, np.arange(1, CELLS) / CELLS, method="lower"))
            out[name] = np.searchsorted(edges, values.astype(float), side="left")
        else:
            known = np.unique(own.astype(str))
            texts = values.astype(str)
            at = np.searchsorted(known, texts).clip(max=len(known) - 1)
            out[name] = np.where(known[at] == texts, at, len(known))
    return out


def distances(private: pa.Table, release: pa.Table) -> tuple[float, float]:
    """The mean total variation distances of one- and two-way marginals."""
    tables = [cells_of(private, table) for table in (private, release)]
    one = [_distance(*(t[name] for t in tables)) for name in private.column_names]
    two = [
        _distance(*(t[a].astype(np.int64) * 1000 + t[b] for t in tables))
        for a, b in combinations(private.column_names, 2)
    ]
    return float(np.mean(one)), float(np.mean(two))


def _distance(one: Codes, other: Codes) -> float:
    size = int(max(one.max(), other.max())) + 1
    shares = [np.bincount(codes, minlength=size) / len(codes) for codes in (one, other)]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def figures(method: str, epsilon: float, way: str, private: pa.Table, seed: int) -> list[float]:
    """Both errors of one release, and the CPU seconds that it took."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LearnedSchema)
        release = q.sanitize(method, private, epsilon=epsilon, seed=seed, **WAYS[way])
    seconds = time.process_time() - start
    return [*distances(private, release.to_frame()), seconds]


def line(method: str, epsilon: float, way: str, private: pa.Table, seeds: int) -> str:
    """One line of the table."""
    runs = [figures(method, epsilon, way, private, seed) for seed in range(seeds)]
    one, two, seconds = zip(*runs, strict=True)
    shown = [mean_and_reach(one, 4), mean_and_reach(two, 4), f"{np.mean(seconds):.1f}"]
    return f"| {method} | {epsilon:g} | {way} | {' | '.join(shown)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[1.0, 10.0])
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--ways", nargs="+", default=tuple(WAYS))
    given = parser.parse_args()
    private = adult()
    shape = f"{private.num_rows} records, {private.num_columns} columns"
    print(f"Adult, {people(real_data(*FILES))}, {shape}, seeds 0 to {given.seeds - 1}\n")
    print("| method | epsilon | domain, edges | 1-way | 2-way | CPU s |")
    print("|---|---|---|---|---|---|")
    for method in given.methods:
        for epsilon in given.epsilons:
            for way in given.ways:
                print(line(method, epsilon, way, private, given.seeds), flush=True)


if __name__ == "__main__":
    main()
