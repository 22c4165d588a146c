"""The standing table: ``python -m benchmarks.standing --out FOLDER [--page FILE]``.

Plays every registered generator of tables and every registered attack on membership that needs at
most the population, on five tables of people: real ones from QUINTAIN_DATA, else stand-ins. It also
audits each release. Then it writes the page. A second start goes on where the first one stopped;
new parts join, and nothing is played twice.
"""

from __future__ import annotations

import argparse
import os
import time
from functools import partial
from pathlib import Path

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet

# isort: split
from benchmarks.bench.person_tables import PERSON_TABLES
from benchmarks.bench.pool import in_pool
from benchmarks.standing.cells import SMALL, Judged, Size, generators, plan
from benchmarks.standing.page import read_results, write_page


def main(arguments: list[str] | None = None) -> None:
    """Play what is missing, then write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.standing", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/standing"))
    parser.add_argument("--page", type=Path, help="where to write the page; else beside the runs")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=600.0, help="start nothing after this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--gpu-jobs", type=int, default=4, help="networks trained at once")
    parser.add_argument("--small", action="store_true", help="tiny releases, in seconds")
    parser.add_argument("--only", nargs="*", help="generators; else all")
    parser.add_argument("--data", nargs="*", default=[*PERSON_TABLES], choices=[*PERSON_TABLES])
    given = parser.parse_args(arguments)
    size = SMALL if given.small else Size()
    names = given.only or [*generators(size)]
    cells = [Judged(cell, given.out) for cell in plan(given.data, names, given.seeds, size)]
    end = time.time() + 60 * given.minutes
    missing = [partial(judged.play, end) for judged in cells if judged.missing()]
    in_pool(missing, jobs=given.jobs, gpu_jobs=given.gpu_jobs)
    page = given.page or given.out / "standing-table.md"
    write_page(page, read_results(given.out), size)


if __name__ == "__main__":
    main()
