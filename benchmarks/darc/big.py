"""What a table of millions of rows with names as text costs DARC's judge; prints a table.

    python -m benchmarks.darc.big [--rows 3000000 10000000] [--pooled]

The data are simulated, with one customer per 76 rows. The release gives everybody a new name of
letters and digits each month; ``--pooled`` pools the baskets of 70 % of the customers instead. All
rules and measures are those of the edition. Every size runs in its own process, so that its peak
memory is its own. The last column is the CPU time of the largest size, divided by that of the
smallest and by the growth of the rows: 1 means that time grows with the rows.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import peak, run_alone
from quintain.contests import load
from quintain.data import Data
from quintain.data.sources.retail import Retail
from quintain.errors import Faults, SubmissionError
from quintain.measures import reading_rng
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.sanitizers import Sanitizer, sanitize

SIZES = (3_000_000, 10_000_000)


def released(data: Data, use: str) -> Data:
    """The release of a sanitizer."""
    part = build("sanitizer", {"use": use})
    assert isinstance(part, Sanitizer)
    rng = np.random.default_rng(0)
    return sanitize(part, data, rng=rng, noise=Noise.for_test(0)).release.data


def run_one(rows: int, use: str) -> dict[str, Any]:
    """CPU seconds of every step, and the peak memory in MB."""
    seconds: dict[str, float] = {}
    read: dict[str, float] = {}
    begin = time.process_time()

    def step(name: str) -> None:
        nonlocal begin
        now = time.process_time()
        seconds[name] = seconds.get(name, 0.0) + now - begin
        begin = now

    track = load("darc", overrides={"baseline": []}).track[0]
    data = Retail(rows=rows).generate(np.random.default_rng(0))
    step("making the data")
    release = released(data, use)
    step("making the release")
    faults = Faults("release")
    for rule in track.rule:
        rule.check(data, release, faults)
        rule.remarks(data, release)
    faults.raise_if_any(SubmissionError)
    step("checking the rules")
    for measured in track.release_measures:
        readings = measured.measure.measure(data, release, None, rng=reading_rng())
        read |= {name: reading.value for name, reading in readings.items()}
        by = getattr(measured.measure, "by", getattr(measured.measure, "right", ""))
        step(f"{measured.measure.name()} {by}".strip())
    return {"seconds": seconds, "memory": peak(), "read": read}


def main() -> None:
    """Measure every size and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--pooled", action="store_true", help="pool baskets instead of renaming")
    parser.add_argument("--one", nargs=2, metavar=("ROWS", "SANITIZER"))
    options = parser.parse_args()
    if options.one:
        print(json.dumps(run_one(int(options.one[0]), options.one[1])))
        return
    use = "pooled-baskets" if options.pooled else "pseudonyms"
    sizes = sorted(options.rows)
    figures = [json.loads(run_alone(__file__, "--one", rows, use)) for rows in sizes]
    names = list(figures[0]["seconds"])
    head = " | ".join(f"{rows:,} rows, CPU s" for rows in sizes)
    print(f"| step | {head} | growth / linear |\n|---|{'---|' * len(sizes)}---|")
    steps = {name: [one["seconds"][name] for one in figures] for name in names}
    judged = [name for name in names if not name.startswith("making")]
    steps["all but making"] = [sum(one["seconds"][name] for name in judged) for one in figures]
    for name, seconds in steps.items():
        growth = seconds[-1] / max(seconds[0], 1e-9) / (sizes[-1] / sizes[0])
        print(f"| {name} | {' | '.join(f'{s:.1f}' for s in seconds)} | {growth:.2f} |")
    print(f"| peak memory, MB | {' | '.join(str(round(one['memory'])) for one in figures)} | |")


if __name__ == "__main__":
    main()
