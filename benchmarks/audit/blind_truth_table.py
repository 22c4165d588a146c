"""Is the verdict right on cases that were chosen without a view of the audit?

    QUINTAIN_DATA=folder python -m benchmarks.audit.blind_truth_table [--seeds 20] [--first 0]
        [--kinds NAME ...] [--folder build/blind-truth] [--workers 1]

Each seed makes one case of every kind of ``blind_kinds``, whose author had seen neither the attacks
nor the thresholds of the audit. Prints how often the verdict is right, then misses and false
alarms: a miss is nothing found where only an alarm is right, a false alarm is one where none is.
Kinds on Adult need its files (adult.data and adult.test). The folder keeps one file per
kind and seed, so that a run that was stopped goes on.

Intervals speak of further seeds of these kinds, not of kinds that nobody has tried.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.blind_kinds import KINDS, Kind
from benchmarks.audit.blind_kinds.adult import has_adult, needs_adult
from benchmarks.audit.truth_table import VERDICTS
from benchmarks.bench.workers import in_workers
from quintain.audits.release import audit_release
from quintain.errors import QuintainError
from quintain.measures.intervals import clopper_pearson

ROLES = ("original", "release", "control")
REFUSED = "refused"
"""The outcome of an audit that ends with an error: right where ``cannot-say`` is."""
KEPT = {"verdict", "reasons", "p", "p_alike", "exposed_share"}
"""What a file keeps of an audit; the rest can be had again from the seed."""
OUTCOMES = (*VERDICTS, REFUSED)
ALARM = {"unsafe", "some-leakage"}
FINE = {"nothing-found"}
OPEN = {"cannot-say", REFUSED}

Outcomes = Mapping[str, Counter[str]]
"""How often each kind had which outcome."""


def main() -> None:
    """Make the cases, audit them, and print the table."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--kinds", nargs="*", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--folder", type=Path, default=Path("build/blind-truth"))
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    names = [name for name in given.kinds if has_adult() or not needs_adult(name)]
    if len(names) < len(given.kinds):
        left_out = len(given.kinds) - len(names)
        print(f"Kinds skipped: {left_out}. QUINTAIN_DATA has no files of Adult.", file=sys.stderr)
    seeds = range(given.first, given.first + given.seeds)
    wanted = [(name, seed, given.folder) for seed in seeds for name in names]
    in_workers(audit, wanted, given.workers)
    print("\n".join(lines(count_outcomes(names, seeds, given.folder))))


def audit(name: str, seed: int, folder: Path) -> None:
    """Write the outcome of one case, unless it is there."""
    file = outcome_file(name, seed, folder)
    if file.exists():
        return
    case = KINDS[name].make(np.random.default_rng([seed, 7]))
    with TemporaryDirectory() as tables:
        paths = [Path(tables) / f"{role}.csv" for role in ROLES]
        for role, path in zip(ROLES, paths, strict=True):
            csv.write_csv(pa.table(getattr(case, role)), path)
        start = time.process_time()
        outcome = judge(*paths) | {"cpu_seconds": time.process_time() - start}
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(outcome))


def judge(original: Path, release: Path, control: Path) -> dict[str, Any]:
    """The audit of the files, or why there is none."""
    try:
        return audit_release(original, release, control).model_dump(mode="json", include=KEPT)
    except QuintainError as error:
        return {"verdict": REFUSED, "reasons": [str(error)]}


def outcome_file(name: str, seed: int, folder: Path) -> Path:
    """Where the outcome of a case is kept."""
    return folder / f"{name}.{seed}.json"


def count_outcomes(names: Iterable[str], seeds: Iterable[int], folder: Path) -> Outcomes:
    """How often each kind had which outcome with these seeds."""
    return {
        name: Counter(
            json.loads(outcome_file(name, seed, folder).read_text())["verdict"] for seed in seeds
        )
        for name in names
    }


def right_outcomes(kind: Kind) -> set[str]:
    """The outcomes that are right for a kind."""
    return {*kind.right, REFUSED} if "cannot-say" in kind.right else set(kind.right)


def lines(outcomes: Outcomes) -> Iterator[str]:
    """One line per kind, then how often the audit missed harm or gave a false alarm."""
    heads = ("kind", "right are", "right", *OUTCOMES)
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for name, counts in outcomes.items():
        right = f"{sum_of(counts, right_outcomes(KINDS[name]))} of {counts.total()}"
        numbers = (str(counts[outcome]) for outcome in OUTCOMES)
        yield f"| {' | '.join((name, ', '.join(KINDS[name].right), right, *numbers))} |"
    wrong = {name: {*OUTCOMES} - right_outcomes(KINDS[name]) for name in outcomes}
    harmful = [name for name in outcomes if ALARM.issuperset(KINDS[name].right)]
    harmless = [name for name in outcomes if ALARM.isdisjoint(KINDS[name].right)]
    yield ""
    yield share_line("Wrong", outcomes, wrong)
    yield share_line("Missed", outcomes, dict.fromkeys(harmful, FINE))
    yield share_line("Not judged, though unsafe", outcomes, dict.fromkeys(harmful, OPEN))
    yield share_line("False alarms", outcomes, dict.fromkeys(harmless, ALARM))


def share_line(what: str, outcomes: Outcomes, hits: Mapping[str, set[str]]) -> str:
    """How many audits had an outcome that counts for their kind, with the exact 95 % interval."""
    counts = {name: sum_of(outcomes[name], wanted) for name, wanted in hits.items()}
    audits = sum(outcomes[name].total() for name in hits)
    if audits == 0:
        return f"- {what}: no audits to count"
    total = sum(counts.values())
    low, high = clopper_pearson(total, audits)
    kinds = ", ".join(f"{name} ({count})" for name, count in counts.items() if count) or "no kind"
    share = f"{total / audits:.1%} [{low:.1%}, {high:.1%}]"
    return f"- {what}: {total} of {audits} audits, {share}: {kinds}"


def sum_of(counts: Counter[str], outcomes: Iterable[str]) -> int:
    """How often any of the outcomes occurred."""
    return sum(counts[outcome] for outcome in outcomes)


if __name__ == "__main__":
    main()
