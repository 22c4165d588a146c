"""What AMIC's utility measures read for well-known releases, and what they cost.

    QUINTAIN_DATA=folder-with-adult.data python -m benchmarks.amic.utility

The benchmark makes a population of 100,000 distinct records from the real people, as AMIC did, or
from the stand-in if the real data are missing. Every draw takes 10,000 of them and publishes them
in several ways. The first line is what an honest second sample of the same population would read.
The tables show the mean, the smallest and the largest value over the draws.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import real_data
from quintain.data import Table, as_table
from quintain.data.sources.adult import TRAIN, Adult
from quintain.measures import ReleaseMeasure, reading_rng
from quintain.measures.utility.table.covariance import Correlation, Covariance
from quintain.measures.utility.table.decision_tree import DecisionTree
from quintain.measures.utility.table.marginals import Histogram
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.releases import Release
from quintain.sanitizers import Sanitizer, sanitize

MEASURES: dict[str, ReleaseMeasure] = {
    "histogram": Histogram(),
    "worst": Histogram(each=True),
    "cov. (sum)": Covariance(norm="sum"),
    "cov. (row)": Covariance(),
    "correlation": Correlation(),
    "F Husband": DecisionTree(target="relationship", positive="Husband", depth=3),
    "F <=50K": DecisionTree(target="income", positive="<=50K", depth=5),
    "F >50K": DecisionTree(target="income", positive=">50K", depth=5),
}
RELEASES: dict[str, dict[str, Any]] = {
    "private data": {"use": "identity"},
    "rr .99": {"use": "rr", "draw": "occurring", "keep": 0.99},
    "rr .9": {"use": "rr", "draw": "occurring", "keep": 0.9},
    "rr .5": {"use": "rr", "draw": "occurring", "keep": 0.5},
    "rrp .99": {"use": "rrp", "keep": 0.99},
    "rrp .9": {"use": "rrp", "keep": 0.9},
    "rrp .5": {"use": "rrp", "keep": 0.5},
    "moments": {"use": "moments"},
    "k-anonymity 5": {
        "use": "small-class-deletion",
        "columns": ["education", "occupation", "relationship"],
    },
    "columns shuffled": {"use": "swapping", "window": 1.0},
}


def source() -> Adult:
    """The real people if QUINTAIN_DATA has them."""
    return Adult(real=real_data(TRAIN[0]))


def made(spec: dict[str, Any], table: Table, seed: int) -> Release:
    """A release, as an edition would make it."""
    part = build("sanitizer", spec)
    assert isinstance(part, Sanitizer)
    return sanitize(
        part, table, rng=np.random.default_rng(seed), noise=Noise.for_test(seed)
    ).release


def population(rows: int, seed: int) -> Table:
    """Distinct records made as AMIC made them: generate ten times as many, then draw from them."""
    people = as_table(source().data(np.random.default_rng(seed)))
    many = as_table(made({"use": "moments", "rows": 10 * rows}, people, seed).data)
    _, distinct = np.unique(many.row_keys(), return_index=True)
    return many.take(np.random.default_rng(seed).choice(distinct, rows, replace=False))


def releases(base: Table, rows: int, seed: int) -> Iterator[tuple[str, Table, Table]]:
    """The name, the private data and the release of every line of the table."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(base))
    private = base.take(order[:rows])
    yield "fresh sample", private, base.take(order[rows : 2 * rows])
    for name, spec in RELEASES.items():
        yield name, private, as_table(made(spec, private, seed).data)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--rows", type=int, default=10_000)
    options = parser.parse_args()
    base = population(10 * options.rows, 0)
    test = as_table(source().test_data(np.random.default_rng(1)))
    read: dict[str, list[list[float]]] = {}
    for seed in range(options.draws):
        for name, private, release in releases(base, options.rows, seed):
            readings = [
                m.measure(private, release, test, rng=reading_rng()) for m in MEASURES.values()
            ]
            values = [next(iter(reading.values())).value for reading in readings]
            read.setdefault(name, []).append(values)
    print("real" if source().real else "stand-in", f"people, {options.draws} draws\n")
    for title, show in (("mean", np.mean), ("smallest", np.min), ("largest", np.max)):
        print(f"| {title} |", " | ".join(MEASURES), "|")
        print("|---" * (len(MEASURES) + 1) + "|")
        for name, values in read.items():
            print(f"| {name} |", " | ".join(f"{v:.3f}" for v in show(values, axis=0)), "|")
        print()
    private = base.take(np.arange(options.rows))
    print("| records in the release | CPU seconds of all measures |\n|---|---|")
    for size in (options.rows, 10 * options.rows):
        release = base.take(np.arange(size))
        start = time.process_time()
        for measure in MEASURES.values():
            measure.measure(private, release, test, rng=reading_rng())
        print(f"| {size} | {time.process_time() - start:.2f} |")


if __name__ == "__main__":
    main()
