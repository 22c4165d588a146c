"""How fast the search for nearest records is: CPU seconds in one thread, beside k-d trees.

    QUINTAIN_DATA=folder-with-adult.data python -m benchmarks.kernels.nearest

Without the real data the benchmark draws random people with similar shares. The k-d trees of SciPy
and scikit-learn receive the finished one-hot encoding; our time includes the encoding of the
tables.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
from scipy.spatial import cKDTree
from sklearn.neighbors import KDTree

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from quintain.data import Column, Schema, Table
from quintain.data.arrays import Floats
from quintain.kernels.neighbours import Neighbours

Result = TypeVar("Result")

# Name, place in adult.data, number of categories.
CATEGORIES = (
    ("workclass", 1, 8), ("education", 3, 16), ("marital-status", 5, 7), ("occupation", 6, 14),
    ("relationship", 7, 6), ("sex", 9, 2), ("income", 14, 2),
)  # fmt: skip
SCHEMA = Schema(
    columns=(
        Column(name="age", kind="integer", low=17, high=90),
        Column(name="hours", kind="integer", low=1, high=99),
        *(
            Column(name=name, kind="category", values=tuple(map(str, range(size))))
            for name, _, size in CATEGORIES
        ),
    )
)


def people(rng: np.random.Generator) -> Table:
    """The real people, 30,162 of them, or as many random ones."""
    folder = os.environ.get("QUINTAIN_DATA")
    if not folder:
        return random_people(30_162, rng)
    with (Path(folder) / "adult.data").open(encoding="utf-8") as file:
        lines = [[cell.strip() for cell in line] for line in csv.reader(file)]
    cells = np.array([line for line in lines if len(line) == 15 and "?" not in line])
    columns = {"age": cells[:, 0].astype(int) - 17, "hours": cells[:, 12].astype(int) - 1}
    for name, place, _ in CATEGORIES:
        columns[name] = np.unique(cells[:, place], return_inverse=True)[1]
    return Table(SCHEMA, columns)


def random_people(size: int, rng: np.random.Generator) -> Table:
    """Independent columns: 47 % work 40 hours, each category is half as frequent as the last."""
    hours = np.where(rng.random(size) < 0.47, 40, rng.normal(41, 15, size))
    columns = {"age": rng.gamma(3, 7.3, size).astype(int).clip(0, 73)}
    columns["hours"] = hours.astype(int).clip(1, 99) - 1
    for name, _, count in CATEGORIES:
        columns[name] = (rng.geometric(0.5, size) - 1).clip(0, count - 1)
    return Table(SCHEMA, columns)


def blurred(table: Table, size: int, rng: np.random.Generator) -> Table:
    """People drawn again, a little older or younger and with other hours: mostly distinct rows."""
    drawn = table.take(rng.integers(0, len(table), size))
    age = drawn.columns["age"] + rng.integers(-2, 3, size)
    hours = np.rint(drawn.columns["hours"] + rng.normal(0, 1.5, size)).astype(int)
    return drawn.replace({"age": age.clip(0, 73), "hours": hours.clip(0, 98)})


def randomised(table: Table, keep: float, rng: np.random.Generator) -> Table:
    """Keep each cell with a probability, and otherwise draw any value of its column."""
    columns = {}
    for name, codes in table.columns.items():
        other = rng.choice(np.unique(codes), len(codes))
        columns[name] = np.where(rng.random(len(codes)) < keep, codes, other)
    return table.replace(columns)


def one_hot(table: Table) -> Floats:
    """Numbers as they are, one column for each category."""
    parts = [table.codes(["age", "hours"]).astype(float)]
    for name, _, size in CATEGORIES:
        parts.append(np.eye(size)[table.columns[name]])
    return np.hstack(parts)


def timed(action: Callable[[], Result], repeats: int) -> tuple[Result, float]:
    """The result of an action, and the CPU seconds of its quickest run."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        result = action()
        best = min(best, time.process_time() - start)
    return result, best


def compare(base: Table, queries: dict[str, Table], repeats: int) -> list[tuple[str, list[float]]]:
    """For each set of queries, build and search seconds of scikit-learn, SciPy and ours."""
    encoded = one_hot(base)
    kd_tree, kd_build = timed(lambda: KDTree(encoded), repeats)
    ckd_tree, ckd_build = timed(lambda: cKDTree(encoded), repeats)
    ours, build = timed(lambda: Neighbours(base), repeats)
    lines = []
    for name, table in queries.items():
        points = one_hot(table)
        kd_nearest, kd = timed(lambda p=points: kd_tree.query(p, k=1), repeats)  # type: ignore[misc]
        ckd_nearest, ckd = timed(lambda p=points: ckd_tree.query(p, k=1), repeats)  # type: ignore[misc]
        nearest, search = timed(lambda t=table: ours.nearest(t), repeats)  # type: ignore[misc]
        if not (
            np.array_equal(nearest[0], kd_nearest[0][:, 0])
            and np.array_equal(nearest[0], ckd_nearest[0])
        ):
            raise SystemExit(f"{name}: the distances differ")
        lines.append((name, [kd_build, kd, ckd_build, ckd, build, search]))
    return lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    real = people(rng)
    bases = {
        "mostly distinct": blurred(real, options.rows, rng),
        "rows repeated": real.take(np.arange(options.rows) % len(real)),
    }
    print("CPU seconds, build + search, for", options.queries, "queries in", options.rows, "rows\n")
    print("| base | queries | KDTree | cKDTree | ours | KDTree / ours | cKDTree / ours |")
    print("|---|---|---|---|---|---|---|")
    for kind, base in bases.items():
        chosen = base.take(rng.choice(len(base), options.queries, replace=False))
        queries = {
            "10 % of cells random": randomised(chosen, 0.9, rng),
            "50 % of cells random": randomised(chosen, 0.5, rng),
            "fresh rows": blurred(real, options.queries, rng),
            "rows of the base": chosen,
        }
        for name, (b1, s1, b2, s2, b3, s3) in compare(base, queries, options.repeats):
            times = f"{b1:.2f} + {s1:.2f} | {b2:.2f} + {s2:.2f} | {b3:.3f} + {s3:.3f}"
            ratios = f"{(b1 + s1) / (b3 + s3):.1f} | {(b2 + s2) / (b3 + s3):.1f}"
            print(f"| {kind} | {name} | {times} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
