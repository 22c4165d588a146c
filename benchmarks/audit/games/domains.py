"""What the domain of a release gives away about the richest person, measured or learned.

    python -m benchmarks.audit.games.domains [--runs 200] [--epsilon 1]

The private data are 1,000 simulated people with a job, an age and an income (seed 0); the richest
earns three times as much as the next. MST makes releases with and without this person, by
``q.sanitize`` without a schema, so many of each. The attack asks whether the largest released
income is above the second largest of the private data. The table has how often it is, and what that
proves about epsilon at least, at the level of 95 %.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
import quintain as q
from quintain.data.arrays import Mask
from quintain.data.learning.learn import LearnedSchema
from quintain.measures.epsilon import DEFAULT
from quintain.measures.epsilon.thresholds import FixedThreshold
from quintain.sanitizers.mechanism import DomainSource

PEOPLE = 1000
DELTA = 1e-9


class Seen(NamedTuple):
    """How often the largest income was above the second largest, and what the last release says."""

    inside: Mask
    outside: Mask
    facts: str
    seconds: float

    def bound(self) -> float:
        """The epsilon that the runs prove at least; an answer of yes or no needs no threshold."""
        scores = self.inside.astype(float), self.outside.astype(float)
        method = replace(DEFAULT, thresholds=FixedThreshold(0.5))
        return method.bound(*scores, delta=DELTA, rng=np.random.default_rng(0)).value


def town() -> pa.Table:
    """The private data; the richest person is the last one."""
    rng = np.random.default_rng(0)
    pay = rng.lognormal(8, 0.6, PEOPLE - 1).round().astype(int)
    job = rng.choice(["baker", "nurse", "smith"], PEOPLE)
    age = rng.integers(18, 90, PEOPLE)
    return pa.table({"job": job, "age": age, "pay": [*pay.tolist(), 3 * int(pay.max())]})


def look(domain: DomainSource, runs: int, epsilon: float) -> Seen:
    """Make releases with and without the richest person, and look at the largest income."""
    people, found = town(), ([], [])
    others = people.slice(0, PEOPLE - 1)
    second = max(others.column("pay").to_pylist())
    start, facts = time.process_time(), ""
    for side, frame in enumerate((people, others)):
        for run in range(runs):
            seed = 2 * run + side
            release = q.sanitize("mst", frame, epsilon=epsilon, domain=domain, seed=seed)
            largest = max(release.to_frame().column("pay").to_pylist())
            found[side].append(largest > second)
            facts = release.facts()
    inside, outside = (np.array(side) for side in found)
    return Seen(inside, outside, facts, time.process_time() - start)


def line(domain: DomainSource, runs: int, epsilon: float) -> str:
    """One line of the table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LearnedSchema)
        seen = look(domain, runs, epsilon)
    said = seen.facts.removesuffix("; a test that protects nobody")
    shown = [f"{int(side.sum())} of {runs}" for side in (seen.inside, seen.outside)]
    return f"| {domain} | {' | '.join(shown)} | {seen.bound():.2f} | {said} | {seen.seconds:.0f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--epsilon", type=float, default=1.0)
    given = parser.parse_args()
    seeds = f"seeds 0 to {2 * given.runs - 1}"
    print(f"MST, epsilon {given.epsilon:g}, {PEOPLE} simulated people, {seeds}\n")
    print("| domain | with | without | epsilon is at least | the release says | CPU s |")
    print("|---|---|---|---|---|---|")
    for domain in ("measured", "learned"):
        print(line(domain, given.runs, given.epsilon), flush=True)


if __name__ == "__main__":
    main()
