"""Time and memory of masking a table of a million records and 60 columns; prints a table.

    python -m benchmarks.masking.million [RECORDS]

The table is drawn at random: integers, categories, reals and times, some with missing values. Six
of its columns are generalised. Every run is its own process, so that its peak memory is its own.
"Table" is the peak before masking starts, and "peak" the peak at the end.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import peak, run_alone
from quintain.data import Column, Schema, Table, as_table
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.sanitizers import Sanitizer

RECORDS = 1_000_000
WIDTH = 60
QUASI = ["age", "zip", "sex", "born", "wage", "degree"]
GLOBAL = {"method": "global", "suppress": 0.02}
RUNS: tuple[dict[str, Any], ...] = (
    {"use": "small-class-deletion", "columns": ["zip", "sex", "degree"]},
    {"use": "k-anonymity"},
    {"use": "k-anonymity", **GLOBAL},
    {"use": "l-diversity", "l": 3, "sensitive": "c1"},
    {"use": "t-closeness", "t": 0.3, "sensitive": "c1"},
    {"use": "cell-suppression", "columns": ["zip", "sex", "degree", "wage"]},
    {"use": "pram", "columns": ["zip", "sex", "degree"]},
    {"use": "rank-swapping", "columns": ["age", "born", "wage"]},
    {"use": "noise-addition", "columns": ["age", "wage"], "together": True},
)


def drawn(rows: int) -> Table:
    """A table of columns of all kinds."""
    rng = np.random.default_rng(0)
    letters = tuple("abcdefghijklmnop")
    columns = [
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="zip", kind="category", values=tuple(f"z{i}" for i in range(500))),
        Column(name="sex", kind="category", values=("f", "m")),
        Column(name="born", kind="time"),
        Column(name="wage", kind="real", nullable=True),
        Column(name="degree", kind="category", values=letters, ordered=True, nullable=True),
    ]
    contents: dict[str, Any] = {
        "age": np.clip(rng.normal(40, 18, rows).round(), 0, 99),
        "zip": np.minimum(rng.geometric(0.01, rows) - 1, 499),
        "sex": rng.integers(2, size=rows),
        "born": rng.integers(30_000, size=rows) * 86_400 - 10**9,
        "wage": np.where(rng.random(rows) < 0.1, np.nan, np.exp(rng.normal(10, 1, rows))),
        "degree": rng.integers(-1, 16, rows),
    }
    for number in range(WIDTH - len(columns)):
        if number % 3 == 0:
            columns.append(Column(name=f"r{number}", kind="real"))
            contents[f"r{number}"] = rng.normal(size=rows)
        else:
            columns.append(Column(name=f"c{number}", kind="category", values=letters[:8]))
            contents[f"c{number}"] = rng.integers(8, size=rows)
    return Table(Schema(columns=tuple(columns)), contents)


def line(spec: dict[str, Any], rows: int) -> str:
    """One line of the table: a sanitizer on the whole table."""
    table = drawn(rows)
    before, start = peak(), time.process_time()
    part = build("sanitizer", {"columns": QUASI, **spec})
    assert isinstance(part, Sanitizer)
    made = part.sanitize(table, rng=np.random.default_rng(0), noise=Noise.for_test(0))
    seconds = time.process_time() - start
    title = " ".join(str(spec[key]) for key in ("use", "method") if key in spec)
    kept = len(as_table(made.release.data)) / rows
    return f"| {title} | {seconds:.1f} | {kept:.1%} | {before:,.0f} | {peak():,.0f} |"


def main() -> None:
    """Print the table, or with two arguments one of its lines."""
    if len(sys.argv) > 2:
        print(line(json.loads(sys.argv[1]), int(sys.argv[2])))
        return
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS
    print(f"{rows:,} records, {WIDTH} columns\n")
    print("| sanitizer | CPU s | kept | table MB | peak MB |")
    print("|---|---:|---:|---:|---:|")
    for spec in RUNS:
        print(run_alone(__file__, json.dumps(spec), rows), flush=True)


if __name__ == "__main__":
    main()
