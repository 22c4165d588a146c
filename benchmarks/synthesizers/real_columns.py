"""How good synthetic data of real-valued columns are, beside the same columns binned by hand.

    QUINTAIN_DATA=folder python -m benchmarks.synthesizers.real_columns [--seeds 8] [--whole]

The private data are the 32,561 records of the UCI Adult file (adult.data in the folder) with five
numeric columns and six categories. Numbers are made real: a uniform number below 1 is added to
each, except to zeros. With --whole they stay as recorded, and the schema says so (``step = 1``).
Without the file the benchmark simulates such columns.

Each synthesizer runs on four codings. "by hand" has the bins of a person who has seen the data,
which no privacy claim covers. "listed" has the same bins as edges of the schema.
"equal" has 32 equal bins between the bounds of the schema.
"measured" measures edges with a tenth of epsilon. Errors are mean total variation distances of one-
and two-way marginals that have a real column (0 is best), on two grids: the bins by hand, which are
the cells of the first coding, and a fine grid of about 40 cells per column with equally many
records. Each figure is a mean with its 95 % interval over seeds.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import people, real_data
from benchmarks.bench.means import mean_and_reach
from quintain.data import Column, Schema, Table, as_table
from quintain.data.arrays import Array, Codes, Floats
from quintain.data.coding import Bins, Coding, Grid
from quintain.data.sources.source import DATA_FOLDER
from quintain.randomness.noise import Noise
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.privbayes import PrivBayes

FILE = "adult.data"
NAMES = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
]
CATEGORIES = ("workclass", "education", "marital-status", "race", "sex", "income")
BY_HAND: dict[str, list[float]] = {
    "age": [17, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 91],
    "fnlwgt": [0, 50e3, 100e3, 150e3, 200e3, 250e3, 300e3, 400e3, 500e3, 1.5e6],
    "capital-gain": [0, 0.5, 3e3, 5e3, 7.5e3, 10e3, 20e3, 100e3],
    "capital-loss": [0, 0.5, 1500, 1750, 2000, 2500, 5000],
    "hours-per-week": [0, 20, 30, 35, 40, 41, 46, 51, 61, 100],
}
EPSILONS = (1.0, 10.0)
FINE = 40
"""The number of cells of the fine grid, before equal edges are merged."""

Maker = Callable[[Table, Sanitizer, int], Table]
Grids = dict[str, dict[str, Floats]]


def records(rng: np.random.Generator) -> dict[str, list[str]]:
    """The cells of the file by column, or simulated ones."""
    if real_data(FILE):
        text = (Path(os.environ[DATA_FOLDER]) / FILE).read_text()
        lines = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines()) if row]
        return dict(zip(NAMES, map(list, zip(*lines, strict=True)), strict=True))
    rows = 5000
    age = rng.integers(17, 90, rows)
    numbers = {
        "age": age,
        "fnlwgt": rng.lognormal(12, 0.5, rows).clip(12_285, 1.4e6),
        "capital-gain": rng.lognormal(8, 1, rows).clip(1, 99_999) * (rng.random(rows) < 0.08),
        "capital-loss": rng.normal(1900, 300, rows).clip(1, 4356) * (rng.random(rows) < 0.05),
        "hours-per-week": np.where(rng.random(rows) < 0.5, 40, rng.integers(1, 99, rows)),
    }
    out = {name: [str(int(x)) for x in values] for name, values in numbers.items()}
    for name in CATEGORIES:
        out[name] = [
            f"v{(a // 20 + r) % 5}" for a, r in zip(age, rng.integers(0, 3, rows), strict=True)
        ]
    return out


def private_table(whole: bool) -> Table:
    """The records with real numbers, whole or not, under a schema with public bounds."""
    rng = np.random.default_rng(0)
    cells, columns, contents = records(rng), [], {}
    for name, cut in BY_HAND.items():
        step = 1 if whole else None
        columns.append(Column(name=name, kind="real", low=cut[0], high=cut[-1], step=step))
        numbers = np.array(cells[name], float)
        contents[name] = numbers + rng.random(len(numbers)) * (numbers > 0) * (not whole)
    for name in CATEGORIES:
        values = tuple(sorted(set(cells[name])))
        columns.append(Column(name=name, kind="category", values=values))
        contents[name] = np.searchsorted(values, cells[name])
    return Table(Schema(columns=tuple(columns)), contents)


def with_edges(table: Table) -> Table:
    """The table under a schema that lists the bins by hand."""
    columns = []
    for column in table.schema.columns:
        cut = BY_HAND.get(column.name)
        columns.append(column.model_copy(update={"edges": cut and tuple(cut[1:-1])}))
    return Table(Schema(columns=tuple(columns)), table.columns)


def by_hand(table: Table, sanitizer: Sanitizer, seed: int) -> Table:
    """A release of the table binned by hand, with values drawn within their bins."""
    bins = {}
    for name, cut in BY_HAND.items():
        column, starts = table.schema[name], np.array(cut)
        if column.step is not None:  # the places on the grid
            starts = np.append(np.ceil(starts[:-1] - cut[0]), Grid(column).count).astype(int)
        bins[name] = Bins(column, starts)
    coding = Coding(table.schema, bins)
    binned = released(coding.encode(table), sanitizer, seed)
    return coding.decode(binned, np.random.default_rng(seed))


def released(table: Table, sanitizer: Sanitizer, seed: int) -> Table:
    """A release as an edition makes it."""
    rng, noise = np.random.default_rng(seed), Noise.for_test(seed)
    return as_table(sanitize(sanitizer, table, rng=rng, noise=noise).release.data)


def grids(table: Table) -> Grids:
    """The bins by hand, and cells with equally many records of the private data."""
    shares = np.linspace(0, 1, FINE + 1)[1:-1]
    fine = {name: np.unique(np.quantile(table.columns[name], shares)) for name in BY_HAND}
    for edges in fine.values():
        edges[edges == 0] = 0.5  # zeros are a cell of their own
    return {"by hand": {n: np.array(cut[1:-1]) for n, cut in BY_HAND.items()}, "fine": fine}


def cells(table: Table, grid: dict[str, Floats]) -> dict[str, Array]:
    """The cell of every value, by column."""
    return {
        name: np.searchsorted(grid[name], values, side="right") if name in grid else values
        for name, values in table.columns.items()
    }


def distances(private: Table, release: Table, grid: dict[str, Floats]) -> tuple[float, float]:
    """The mean total variation distances of one- and two-way marginals that have a real column."""
    tables = [cells(table, grid) for table in (private, release)]
    one = [_distance(*(t[name] for t in tables)) for name in grid]
    two = []
    for a, b in combinations(private.schema.names, 2):
        if a in grid or b in grid:
            two.append(_distance(*(t[a].astype(np.int64) * 1000 + t[b] for t in tables)))
    return float(np.mean(one)), float(np.mean(two))


def _distance(one: Codes, other: Codes) -> float:
    size = int(max(one.max(), other.max())) + 1
    shares = [np.bincount(codes, minlength=size) / len(codes) for codes in (one, other)]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def line(name: str, epsilon: float, coding: str, table: Table, where: Grids, seeds: int) -> str:
    """One line of the table: errors on both grids."""
    cls = {"MST": Mst, "PrivBayes": PrivBayes}[name]
    edges = "measured" if coding == "measured" else None
    sanitizer = cls(epsilon=epsilon, edges=edges, rows=len(table))
    make: Maker = by_hand if coding == "by hand" else released
    given = with_edges(table) if coding == "listed" else table
    figures: list[list[float]] = []
    for seed in range(seeds):
        release = make(given, sanitizer, seed)
        figures.append([d for grid in where.values() for d in distances(table, release, grid)])
    shown = [mean_and_reach(column, 4) for column in zip(*figures, strict=True)]
    return f"| {name} | {epsilon:g} | {coding} | {' | '.join(shown)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--whole", action="store_true", help="leave the numbers as recorded")
    given = parser.parse_args()
    seeds, table = given.seeds, private_table(given.whole)
    where = grids(table)
    print(
        f"Adult with real numbers, {people(real_data(FILE))}, {len(table)} records, {seeds} seeds\n"
    )
    print(
        "| method | epsilon | bins | 1-way, by hand | 2-way, by hand | 1-way, fine | 2-way, fine |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in ("MST", "PrivBayes"):
        for epsilon in EPSILONS:
            for coding in ("by hand", "listed", "equal", "measured"):
                print(line(name, epsilon, coding, table, where, seeds), flush=True)


if __name__ == "__main__":
    main()
