"""Alarms of the audit of everybody, over sanitizers of which everybody knows what they give away.

    QUINTAIN_DATA=folder python -m benchmarks.audit.everybody [SEEDS [ROWS [KIND ...]]]

Each seed draws people of Adult (12 columns; without the files, a stand-in with nine). The
sanitizers are MST, one that copies 2 % of the people among strangers, and two that know nobody:
they release strangers, fresh ones in each run, or four fifths of them the same in all runs. The
last line audits MST and gives the whole table as the file to publish. An alarm is a p-value of at
most 0.05; times are CPU seconds in one thread, the runs of the sanitizer included.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.adult_people import population
from quintain.audits.everybody import audit_everybody
from quintain.audits.results import ReleaseAudit
from quintain.data import Table, as_table
from quintain.data.frames import to_frame
from quintain.measures.intervals import clopper_pearson
from quintain.randomness.noise import Noise
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.adapters import function
from quintain.sanitizers.synthetic.mst import Mst

SEEDS, ROWS = 12, 1000
LEVEL = 0.05
COPIED, SHARED = 0.02, 0.8


def strangers(others: Table, *, copied: float = 0.0, shared: float = 0.0) -> Sanitizer:
    """A sanitizer that releases strangers, and copies of a share of its people.

    Parameters
    ----------
    shared : the share of the strangers that is the same in every run.
    """
    frame: Any = to_frame(others, "pandas")

    def release(private: Any, seed: int) -> Any:
        import pandas as pd

        rows, rng = len(private), np.random.default_rng(seed)
        same, copies = round(shared * rows), round(copied * rows)
        rest = rng.choice(np.arange(same, len(frame)), rows - same - copies, replace=False)
        parts = [frame.iloc[:same], frame.iloc[rest], private.sample(copies, random_state=seed)]
        return pd.concat(parts, ignore_index=True)

    return function(release)


KINDS: dict[str, Callable[[Table], Sanitizer]] = {
    "MST 3": lambda _others: Mst(epsilon=3),
    "MST 30": lambda _others: Mst(epsilon=30),
    "copies 2 %": lambda others: strangers(others, copied=COPIED),
    "strangers, fresh": strangers,
    "strangers, shared": lambda others: strangers(others, shared=SHARED),
    "verbatim file": lambda _others: Mst(epsilon=3),
}


def draw(kind: str, seed: int, rows: int, everybody: Table) -> tuple[ReleaseAudit, float]:
    """Audit one sanitizer on people drawn anew; the CPU seconds beside it."""
    rng = np.random.default_rng([seed, rows])
    order = rng.permutation(len(everybody))
    people, others = everybody.take(order[:rows]), everybody.take(order[rows:])
    sanitizer = KINDS[kind](others)
    start = time.process_time()
    noise = Noise.for_test(int(rng.integers(1 << 32)))
    final = as_table(sanitize(sanitizer, people, rng=rng, noise=noise).release.data)
    if kind == "verbatim file":
        final = people.take(rng.permutation(rows))
    audit = audit_everybody(sanitizer, people, final, seed=seed)
    return audit, time.process_time() - start


def line(kind: str, seeds: int, rows: int, everybody: Table) -> str:
    """How often there was an alarm, with its exact 95 % interval, and the verdicts."""
    audits, seconds = zip(*(draw(kind, s, rows, everybody) for s in range(seeds)), strict=True)
    alarms = sum((audit.p or 0.0) <= LEVEL for audit in audits)
    low, high = clopper_pearson(alarms, seeds)
    verdicts = [audit.verdict for audit in audits]
    counted = ", ".join(f"{verdicts.count(name)} {name}" for name in dict.fromkeys(verdicts))
    p = " ".join(f"{audit.p:.3f}" for audit in audits)
    return (
        f"| {kind} | {alarms} of {seeds} ({low:.0%} to {high:.0%}) | {counted} | "
        f"{np.mean(seconds):.1f} | {p} |"
    )


def main() -> None:
    """Print the table, line by line."""
    seeds, rows = (
        int(sys.argv[place]) if len(sys.argv) > place else default
        for place, default in enumerate((SEEDS, ROWS), start=1)
    )
    everybody = population()
    print("| sanitizer | alarms | verdicts | CPU s | p |\n|---|---|---|---|---|", flush=True)
    for kind in sys.argv[3:] or KINDS:
        print(line(kind, seeds, rows, everybody), flush=True)


if __name__ == "__main__":
    main()
