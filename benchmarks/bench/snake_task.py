"""A task of SNAKE 1 as in 2023, and how well and how fast a sanitizer does it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.bench.machine import peak, real_data
from quintain.data import Table, as_table
from quintain.data.sources.cps import FILE, SCHEMA, Cps
from quintain.measures import reading_rng
from quintain.measures.utility.table.marginals import Marginals
from quintain.randomness.noise import Noise
from quintain.releases import Trace
from quintain.samples.targets import Targets
from quintain.sanitizers import Sanitizer, sanitize

EPSILONS = (1.0, 10.0, 100.0, 1000.0)
ROWS = 10_000
"""Records in a release, and people in the private data if all targets are counted."""
DESIGN = Targets(targets=100, unit="household", min_unit_size=5, members="half", fill_to=ROWS)


def source() -> Cps:
    """The historic table if QUINTAIN_DATA has it, else the stand-in."""
    return Cps(real=real_data(FILE[0]), duplicates="keep")


def private_table() -> Table:
    """50 of 100 households of at least five, among other people: about 9,735 with 15 attributes."""
    population = source().data(np.random.default_rng(0))
    return as_table(DESIGN.draw(population, rng=np.random.default_rng(0)).private)


def keep(table: Table, folder: Path) -> Path:
    """Write a table into a file for another process."""
    file = folder / "private.npz"
    np.savez(file, allow_pickle=False, **dict(table.columns))
    return file


def load(file: Path) -> Table:
    """Read the table that another process wrote."""
    with np.load(file) as arrays:
        return Table(SCHEMA.select(arrays.files), dict(arrays))


@dataclass(frozen=True, slots=True)
class Figures:
    """CPU seconds, peak memory in MB, and the mean distances of one- and two-way marginals."""

    seconds: float
    memory: float
    one_way: float
    two_way: float


def measure(sanitizer: Sanitizer, private: Table, seeds: int) -> tuple[Figures, list[Trace]]:
    """The mean figures over releases with several seeds, and the traces of their runs."""
    traces, lines, memory = [], [], 0.0
    for seed in range(seeds):
        rng, noise = np.random.default_rng(seed), Noise.for_test(seed)
        start = time.process_time()
        made = sanitize(sanitizer, private, rng=rng, noise=noise)
        seconds = time.process_time() - start
        memory = memory or peak()  # before any measuring
        lines.append([seconds, *distances(private, as_table(made.release.data))])
        traces.append(made.trace)
    seconds, one, two = np.mean(lines, axis=0).tolist()
    return Figures(seconds, memory, one, two), traces


def distances(private: Table, release: Table) -> tuple[float, float]:
    """The mean distances of one- and of two-way marginals."""
    one = Marginals(ways=1).measure(private, release, None, rng=reading_rng())["tv1"].value
    return one, Marginals(ways=2).measure(private, release, None, rng=reading_rng())["tv2"].value
