"""False alarms of the whole release audit, over releases that know nothing of the original.

    python -m benchmarks.audit.validity [DRAWS [ROWS [WORKERS]]]

Each draw deals the Adult data anew: an original, a control, and as many strangers as the release.
The audit must not raise an alarm (some leakage, or unsafe) in more than 5 % of the draws. Each draw
has its own seed, so the number of workers does not matter. Results are kept in
``benchmarks/results``, and a run that was stopped goes on where it was. Delete the file after a
change of the audit.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.adult_people import people, population
from benchmarks.audit.generators import strangers
from benchmarks.bench.kept import keep_line, kept_lines, results_folder
from quintain.audits.release import audit_release
from quintain.data import Table
from quintain.measures.intervals import clopper_pearson

DRAWS, ROWS, WORKERS = 400, 1000, 2
ALARMS = ("some-leakage", "unsafe")

Row = dict[str, Any]


@cache
def everybody() -> Table:
    """The population, read once per process."""
    return population()


def draw(number: int, rows: int, permutations: int = 999) -> Row:
    """Audit strangers beside an original and a control of so many people."""
    rng = np.random.default_rng((number, rows))
    dealt = people(everybody(), rows, rng=rng)
    audit = audit_release(
        dealt.original,
        strangers(dealt, rng),
        dealt.control,
        seed=number,
        permutations=permutations,
    )
    return {
        "draw": number,
        "p": audit.p,
        "verdict": audit.verdict,
        "share": audit.exposed_share.low,
        "names": audit.nameable_records.value,
        "sure names": audit.nameable_records.low,
    }


def draws(count: int, rows: int, workers: int, path: Path) -> list[Row]:
    """All draws, those of an earlier run among them; each is kept as soon as it is done."""
    kept = kept_lines(path)
    missing = sorted(set(range(count)) - {row["draw"] for row in kept})
    for row in _run(missing, rows, workers):
        keep_line(path, row)
        kept.append(row)
    return sorted((row for row in kept if row["draw"] < count), key=lambda row: row["draw"])


def _run(numbers: list[int], rows: int, workers: int) -> Iterator[Row]:
    """Run draws in processes, in the order in which they end."""
    if workers == 1:
        yield from (draw(number, rows) for number in numbers)
        return
    with ProcessPoolExecutor(workers) as pool:
        for future in as_completed([pool.submit(draw, number, rows) for number in numbers]):
            yield future.result()


def table(kept: list[Row], rows: int) -> str:
    """How often each alarm was raised, with its exact 95 % interval, as Markdown."""
    alarms = {
        "some leakage or unsafe": sum(row["verdict"] in ALARMS for row in kept),
        "p is at most 0.05": sum(row["p"] <= 0.05 for row in kept),
        "p is at most 0.01": sum(row["p"] <= 0.01 for row in kept),
        "verdict unsafe": sum(row["verdict"] == "unsafe" for row in kept),
        "exposed share, bound above 0": sum(row["share"] > 0 for row in kept),
        "somebody is named": sum(row["names"] > 0 for row in kept),
        "nameable people, bound above 0": sum(row["sure names"] > 0 for row in kept),
    }
    lines = [
        f"{len(kept)} releases without any leak, {rows} people in each table",
        "",
        "| alarm | draws | share | exact 95 % interval |",
        "|---|---|---|---|",
    ]
    for name, count in alarms.items():
        low, high = clopper_pearson(count, len(kept))
        lines.append(f"| {name} | {count} | {count / len(kept):.4f} | {low:.4f} to {high:.4f} |")
    return "\n".join(lines)


def main() -> None:
    """Run the draws that are missing and print the table."""
    count, rows, workers = (
        int(sys.argv[place]) if len(sys.argv) > place else default
        for place, default in enumerate((DRAWS, ROWS, WORKERS), start=1)
    )
    path = results_folder() / f"audit.validity-{rows}.jsonl"
    print(table(draws(count, rows, workers, path), rows))


if __name__ == "__main__":
    main()
