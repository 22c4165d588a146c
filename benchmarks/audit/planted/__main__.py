"""Planted bugs and honest sanitizers under ``audit sanitizer``: what it refutes, and in what time.

    python -m benchmarks.audit.planted bugs|honest [--runs N] [--repetitions K] [--workers W]
        [--only NAME] [--attacks]

A bug must be refuted, an honest sanitizer never. Without ``--runs`` an audit has as many runs as by
default. Prints a line per sanitizer: how many audits refute its claim, the bounds, and seconds.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

from benchmarks.audit.planted.histograms import (
    BUGS,
    GaussianHistograms,
    Histograms,
    people,
    people_of_common_values,
)
from quintain.audits.results import SanitizerAudit
from quintain.audits.sanitizer import audit_sanitizer
from quintain.data import Data
from quintain.jobs.executor import Executor
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.masking.randomized_response import RandomizedResponse
from quintain.sanitizers.people.marginals import PeopleMarginals
from quintain.sanitizers.synthetic.aim import Aim
from quintain.sanitizers.synthetic.independent import Independent
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.privbayes import PrivBayes
from quintain.testing import example

Case = tuple[Sanitizer, Callable[[], Data]]

HONEST: dict[str, Case] = {
    "histograms": (Histograms(), people),
    "histograms, common values": (Histograms(), people_of_common_values),
    "histograms, epsilon 0.3": (Histograms(epsilon=0.3), people),
    "Gaussian histograms": (GaussianHistograms(), people),
    "independent": (Independent(epsilon=1.0), people),
    "PrivBayes": (PrivBayes(epsilon=1.0), people),
    "MST": (Mst(epsilon=1.0), people),
    "AIM": (Aim(epsilon=1.0), people),
    "randomized response": (RandomizedResponse(keep=0.2), people),
    "people-marginals": (PeopleMarginals(epsilon=1.0), lambda: example("people", rows=3000)),
}


def audited(case: Case, runs: int | None, seed: int, workers: int, attacks: bool) -> SanitizerAudit:
    """One audit of a case."""
    part, table = case
    return audit_sanitizer(
        part,
        table(),
        runs=runs,
        attacks=attacks,
        seed=seed,
        executor=Executor(workers),
    )


def refuted(audit: SanitizerAudit) -> bool:
    """Whether a bound on which the verdict rests is above the claim."""
    (setting,) = audit.settings
    assert setting.claim is not None
    return any(b.decides and b.bound.value > setting.claim.epsilon for b in setting.bounds)


def line(
    name: str, case: Case, runs: int | None, repetitions: int, workers: int, attacks: bool
) -> str:
    """Some audits of a case in one line."""
    count, bounds, seconds, played = 0, [], [], []
    for seed in range(repetitions):
        start = time.perf_counter()
        audit = audited(case, runs, seed, workers, attacks)
        seconds.append(time.perf_counter() - start)
        count += refuted(audit)
        bounds.append(max(b.bound.value for b in audit.settings[0].bounds if b.decides))
        played.append(audit.runs)
    middle = statistics.median(bounds)
    return (
        f"{name:<48} refuted {count:>2} of {repetitions:<2}  bound {middle:5.2f} "
        f"(at most {max(bounds):.2f})  {min(played):>6,} runs  {statistics.median(seconds):6.1f} s"
    )


def main() -> None:
    """Print a line per sanitizer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("bugs", "honest"))
    parser.add_argument("--runs", type=int)
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", action="append", help="a name from the table")
    parser.add_argument("--attacks", action="store_true", help="with the attacks of the contests")
    given = parser.parse_args()
    cases = BUGS if given.kind == "bugs" else HONEST
    for name, case in cases.items():
        if not given.only or name in given.only:
            told = line(name, case, given.runs, given.repetitions, given.workers, given.attacks)
            print(told, flush=True)


if __name__ == "__main__":
    main()
