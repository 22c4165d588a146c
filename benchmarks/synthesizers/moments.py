"""How fast and how exact the generator of moments is, in one thread; prints a table.

    QUINTAIN_DATA=folder-with-adult.data python -m benchmarks.synthesizers.moments

The task is AMIC's: 30,162 people with nine attributes in, up to a million out. Without the real
data the benchmark uses the stand-in. Every run is its own process, so that its peak memory is its
own. The CPU seconds do not include loading the data and measuring the result. "Distinct" counts
different records. The errors of means and covariances are the largest ones before the generator
makes records discrete (over up to 100,000 records). The last column is the largest row sum of
differences of the covariance matrix afterwards.

``plain`` is the same method with whole matrices of floats and NumPy's own random numbers.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import peak, people, real_data, run_alone
from quintain.data import Table, as_table
from quintain.data.sources.adult import TRAIN, Adult
from quintain.kernels.dummies import moments
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic.moments import MomentsGenerator

RUNS = [
    ("moments-v1", "svd", 100_000),
    ("moments-v1", "svd", 1_000_000),
    ("moments-v1", "zca", 1_000_000),
    ("plain", "svd", 100_000),
    ("plain", "svd", 1_000_000),
]
CHECKED = 100_000


def population() -> tuple[Table, str]:
    """The people whose moments the generator keeps, and whether they are real."""
    real = real_data(TRAIN[0])
    return as_table(Adult(real=real).data(np.random.default_rng(0))), people(real)


def plain(data: Table, rows: int) -> tuple[np.ndarray, Table]:
    """The same method step by step, as a short script would write it."""
    rng = np.random.default_rng(0)
    parts: list[np.ndarray] = []
    for column in data.schema.columns:
        codes = data.columns[column.name]
        parts.append(
            np.eye(column.size)[codes] if column.kind == "category" else codes[:, None] + 0.0
        )
    x = np.hstack(parts)
    varies = x.std(axis=0) > 0
    y = np.empty((rows, x.shape[1]))
    for j in range(x.shape[1]):
        y[:, j] = rng.choice(x[:, j], rows)
        if x[:, j].max() > 1:
            y[:, j] += rng.normal(size=rows)
    y = y[:, varies]
    axes, spread, _ = np.linalg.svd(np.cov(y.T))
    aims, wanted, _ = np.linalg.svd(np.cov(x[:, varies].T))
    z = np.tile(x.mean(axis=0), (rows, 1))
    z[:, varies] += (y - y.mean(axis=0)) @ (axes / np.sqrt(spread)) @ (aims * np.sqrt(wanted)).T
    out, at = {}, 0
    for column in data.schema.columns:
        if column.kind == "category":
            out[column.name] = z[:, at : at + column.size].argmax(axis=1)
            at += column.size
        else:
            codes = data.columns[column.name]
            out[column.name] = np.clip(z[:, at].round(), codes.min(), codes.max()).astype(int)
            z[:, at] += column.offset
            at += 1
    return z, Table(data.schema, out)


def run_one(engine: str, variant: str, rows: int) -> str:
    """One line of the table."""
    data, _ = population()
    part = MomentsGenerator.model_validate({"rows": rows, "variant": variant})
    start = time.process_time()
    if engine == "plain":
        continuous, made = plain(data, rows)
    else:
        release = sanitize(
            part, data, rng=np.random.default_rng(0), noise=Noise.for_test(0)
        ).release
        made = as_table(release.data)
    seconds, memory = time.process_time() - start, peak()
    if engine != "plain":
        few = part.model_copy(update={"rows": min(rows, CHECKED)})
        continuous = few.continuous(data, Noise.for_test(0))
    wanted = moments(data)
    mean = np.abs(continuous.mean(axis=0) - wanted.mean).max()
    covariance = np.abs(np.cov(continuous.T) - wanted.covariance).max()
    after = np.abs(moments(made).covariance - wanted.covariance).sum(axis=0).max()
    distinct = len(np.unique(made.row_keys()))
    return (
        f"| {engine} | {variant} | {rows:,} | {seconds:.2f} | {memory:.0f} | {distinct:,} "
        f"| {mean:.0e} | {covariance:.0e} | {after:.1f} |"
    )


def main() -> None:
    """Measure and print."""
    if len(sys.argv) == 4:
        print(run_one(sys.argv[1], sys.argv[2], int(sys.argv[3])))
        return
    data, kind = population()
    print(f"{len(data):,} people of the {kind} in\n")
    print(
        "| engine | variant | rows | CPU s | peak RSS MB | distinct | mean error | "
        "covariance error | row sum after |"
    )
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for engine, variant, rows in RUNS:
        print(run_alone(__file__, engine, variant, rows), flush=True)


if __name__ == "__main__":
    main()
