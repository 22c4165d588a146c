"""False alarms where people have several rows: audited row by row, and person by person.

    python -m benchmarks.audit.visits [DRAWS [PEOPLE]]

Each draw simulates the visits of three groups of patients: an original, a control, and strangers
whose visits are the release. The visits of one patient are much alike. The release knows nothing of
the original, so an audit must not raise an alarm (p of at most 0.05) in more than 5 % of the draws.
In the last lines, all visits of a patient are equal, and nothing else says whose they are.
"""

from __future__ import annotations

import sys

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from quintain.audits.reading.units import EQUAL_ROWS
from quintain.audits.release import audit_release
from quintain.data import Column, Schema, Table
from quintain.data.arrays import Rows
from quintain.measures.intervals import clopper_pearson

DRAWS, PEOPLE, MOST_VISITS, COLUMNS, VALUES, ALIKE = 60, 120, 8, 5, 8, 0.9
LEVEL, PERMUTATIONS = 0.05, 199
DESIGNS = (
    ("every row", None, False),
    ("the patient (`unit`)", "patient_id", False),
    ("every row; a patient's rows are equal", None, True),
    ("equal rows (`unit`)", EQUAL_ROWS, True),
)
PATIENT = Column(name="patient_id", kind="id")


def visits(people: int, first: int, alike: float = ALIKE, *, rng: np.random.Generator) -> Table:
    """The visits of so many patients, one to eight each; ``alike`` is the share of usual cells."""
    patient: Rows = np.repeat(np.arange(people), rng.integers(1, MOST_VISITS + 1, people))
    cells = {}
    for number in range(COLUMNS):
        usual, other = rng.integers(VALUES, size=people), rng.integers(VALUES, size=len(patient))
        same = rng.random(len(patient)) < alike
        cells[f"finding{number}"] = np.where(same, usual[patient], other)
    columns = [Column(name=name, kind="integer", low=0, high=VALUES - 1) for name in cells]
    schema = Schema(columns=(PATIENT, *columns))
    return Table(schema, {"patient_id": patient + first, **cells})


def draw(number: int, people: int, unit: str | None, *, equal: bool = False) -> float:
    """The p-value of one audit of strangers; with ``equal``, the visits of a patient are equal."""
    rng = np.random.default_rng(number)
    alike = 1.0 if equal else ALIKE
    groups = [visits(people, 10_000 * group, alike, rng=rng) for group in range(3)]
    original, control, strangers = [rows.drop("patient_id") for rows in groups] if equal else groups
    audit = audit_release(
        original, strangers, control, unit=unit, seed=number, permutations=PERMUTATIONS
    )
    assert audit.p is not None  # there is a control
    return audit.p


def main() -> None:
    """Count the alarms of both audits and print a table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else DRAWS
    people = int(sys.argv[2]) if len(sys.argv) > 2 else PEOPLE
    print(f"{count} releases without any leak, {people} patients in each table\n")
    print("| what counts as a person | alarms | share | exact 95 % interval |")
    print("|---|---|---|---|")
    for words, unit, equal in DESIGNS:
        alarms = sum(draw(number, people, unit, equal=equal) <= LEVEL for number in range(count))
        low, high = clopper_pearson(alarms, count)
        print(
            f"| {words} | {alarms} | {alarms / count:.3f} | {low:.3f} to {high:.3f} |", flush=True
        )


if __name__ == "__main__":
    main()
