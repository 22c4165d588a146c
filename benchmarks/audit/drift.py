"""A control that was not drawn at random: how often does the audit take that for a leak?

    QUINTAIN_DATA=folder python -m benchmarks.audit.drift [--draws 20] [--rows 500] [--first 0]
        [--check]

Each draw deals people of Adult into an original and strangers, who are the release, and draws a
control with chances that grow with exp(shift x z): z is the age, or the sum of age, hours and
education in standard deviations. So every alarm is a false one. The last lines have copies of 10 %
of the original in the release: there, an alarm is right. With ``--check``, there is no release, and
the table says how often the comparison of original and control notices the difference.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.adult_people import People, population
from benchmarks.audit.generators import copies, strangers
from quintain.audits.checks.drift import measure_drift
from quintain.audits.release import audit_release
from quintain.data import Table
from quintain.data.arrays import Floats
from quintain.measures.intervals import clopper_pearson

DESIGNS = (
    ("none", 0.0, ()),
    ("0.25 sd in age", 0.25, ("age",)),
    ("0.5 sd in age", 0.5, ("age",)),
    ("0.25 sd in three columns", 0.25, ("age", "hours-per-week", "education")),
    ("0.5 sd in three columns", 0.5, ("age", "hours-per-week", "education")),
)


def main() -> None:
    """Audit every design, and print how often each verdict was given."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    everybody = population()
    numbers = range(given.first, given.first + given.draws)
    if given.check:
        print(
            "| control | noticed | by a column | by the classifier | CPU s |\n|---|---|---|---|---|"
        )
        for name, shift, columns in DESIGNS:
            print(check(everybody, numbers, given.rows, name, shift, columns), flush=True)
        return
    print("| release | control | verdicts |\n|---|---|---|", flush=True)
    for release in ("strangers", "copies 10 %"):
        for name, shift, columns in DESIGNS:
            verdicts = Counter(
                draw(everybody, number, given.rows, release, shift, columns) for number in numbers
            )
            said = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
            print(f"| {release} | {name} | {said} |", flush=True)


def draw(
    everybody: Table, number: int, rows: int, release: str, shift: float, columns: tuple[str, ...]
) -> str:
    """The verdict on a release beside a control that is tilted by ``shift`` in some columns."""
    rng = np.random.default_rng([number, rows])
    people = deal(everybody, rows, shift, columns, rng)
    made = strangers(people, rng) if release == "strangers" else copies(0.1, people, rng)
    return audit_release(people.original, made, people.control, seed=number).verdict


def check(
    everybody: Table,
    numbers: Sequence[int],
    rows: int,
    name: str,
    shift: float,
    columns: tuple[str, ...],
) -> str:
    """How often original and control seem to differ without a release, as a line of the table."""
    noticed, start = [], time.process_time()
    for number in numbers:
        rng = np.random.default_rng([number, rows])
        people = deal(everybody, rows, shift, columns, rng)
        drift = measure_drift(people.original, people.control, rng=rng)
        noticed.append((drift.noticed, bool(drift.columns), drift.by_classifier))
    seconds = (time.process_time() - start) / len(numbers)
    any_test, column, classifier = np.sum(noticed, axis=0)
    low, high = clopper_pearson(int(any_test), len(numbers))
    said = f"{any_test} of {len(numbers)} ({low:.1%} to {high:.1%})"
    return f"| {name} | {said} | {column} | {classifier} | {seconds:.2f} |"


def deal(
    everybody: Table, rows: int, shift: float, columns: tuple[str, ...], rng: np.random.Generator
) -> People:
    """An original, a control that is tilted by ``shift`` in some columns, and the others."""
    order = rng.permutation(len(everybody))
    original, rest = everybody.take(order[:rows]), everybody.take(order[rows:])
    tilt = sum((_standard(rest.columns[name]) for name in columns), np.zeros(len(rest)))
    chances = np.exp(shift * tilt)
    chosen = rng.choice(len(rest), rows, replace=False, p=chances / chances.sum())
    others = np.setdiff1d(np.arange(len(rest)), chosen)
    return People(original, rest.take(chosen), rest.take(others))


def _standard(values: Floats) -> Floats:
    numbers = values.astype(np.float64)
    return (numbers - numbers.mean()) / numbers.std()


if __name__ == "__main__":
    main()
