"""Clinic: a year of visits to an outpatient clinic, three tables about patients who do not exist.

Every patient has a few lasting illnesses, which most visits are about; the others are about
anything. An illness has its ward and its drugs, and a patient keeps to the drug that helped before.
So no row is telling, and all rows of a patient together are.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from quintain.data.arrays import Array, Ints
from quintain.data.column import Column
from quintain.data.people import Branch, People
from quintain.data.people_schema import PeopleSchema, TableSchema
from quintain.data.schema import Schema
from quintain.data.sources.source import Source
from quintain.data.table import Table
from quintain.data.trees import Trees
from quintain.errors import DataError, Fault
from quintain.registry import register

TITLE = "A year of visits to a clinic"
PATIENTS, VISITS = 2000, 6.0
"""The usual number of patients, and of visits of a patient."""

DISTRICTS = tuple(f"district {number}" for number in range(1, 13))
WARDS = ("surgery", "medicine", "eyes", "skin", "heart", "children")
CODES = tuple(f"{letter}{number:02d}" for letter in "CEIJM" for number in range(8))
DRUGS = tuple(f"drug {number:02d}" for number in range(1, 61))
_LASTING, _ABOUT_THEM, _KEPT = 3, 0.75, 0.8  # illnesses of a patient; visits about them; drug kept
_PER_CODE = 3  # drugs for an illness
_FIRST_DAY, _DAYS, _DAY = 1_704_067_200, 366, 86_400  # the year 2024


@cache
def clinic_schema() -> PeopleSchema:
    """Patients, their visits, and what was prescribed on each visit."""
    sex = Column(name="sex", kind="category", values=("f", "m"))
    born = Column(name="born", kind="integer", low=1924, high=2023, unit="year")
    district = Column(name="district", kind="category", values=DISTRICTS)
    year = {"earliest": "2024-01-01", "latest": "2024-12-31"}
    day = Column(name="day", kind="time", role="time", **year)
    ward = Column(name="ward", kind="category", values=WARDS)
    code = Column(name="code", kind="category", values=CODES)
    drug = Column(name="drug", kind="category", values=DRUGS)
    days = Column(name="days", kind="integer", low=1, high=90)
    return PeopleSchema(
        tables=(
            TableSchema(name="patients", columns=(sex, born, district), key="patient"),
            TableSchema(
                name="visits",
                columns=(day, ward, code),
                key="visit",
                reference="patient",
                order=("day",),
            ),
            TableSchema(
                name="prescriptions", columns=(drug, days), parent="visits", reference="visit"
            ),
        )
    )


@register("clinic-v1")
class Clinic(Source):
    """A simulated clinic: patients, their visits in a year, and the prescriptions of each visit.

    Parameters
    ----------
    rows : how many patients.
    real : always false: there are no real patients behind it.
    visits : how many visits a patient has on average; everybody has one.

    >>> people = Clinic(rows=3).data(np.random.default_rng(1))
    >>> people
    <Trees of 3 persons: patients 3 rows, visits 22 rows, prescriptions 26 rows>
    >>> people.take([0]).to_tables()["visits"].select(["ward", "code"]).records()[0]
    {'ward': 'heart', 'code': 'M07'}
    """

    licence: ClassVar[str] = "simulated; free of rights"
    obtain: ClassVar[str] = "There are no real files: the clinic is simulated."

    real: Literal[False] = False
    visits: Annotated[float, Field(ge=1, le=200)] = VISITS

    def data_schema(self) -> Schema:
        """The flat file with patients, visits and prescriptions."""
        return clinic_schema().flat(TITLE)

    def generate(self, rng: np.random.Generator) -> Trees:
        """Patients with their visits and prescriptions."""
        return simulate(self.rows or PATIENTS, self.visits, rng)

    def load(self) -> Trees:
        """Refuse: there are no real files."""
        raise DataError([Fault(self.obtain, "clinic")])


def simulate(patients: int, visits: float, rng: np.random.Generator) -> Trees:
    """So many patients, who have so many visits on average."""
    popular = rng.permutation(len(CODES))  # the first illness is the most frequent one
    shares = 1 / np.arange(1.0, len(CODES) + 1)
    shares /= shares.sum()

    def illnesses(size: int | tuple[int, int]) -> Ints:
        return popular[rng.choice(len(CODES), size, p=shares)]

    root = {
        "sex": rng.integers(2, size=patients),
        "born": rng.integers(100, size=patients),
        "district": rng.integers(len(DISTRICTS), size=patients),
    }
    lasting = illnesses((patients, _LASTING))
    helped = rng.integers(_PER_CODE, size=(patients, len(CODES)))
    rate = rng.gamma(2.0, (visits - 1) / 2.0, patients) if visits > 1 else np.zeros(patients)
    patient = np.repeat(np.arange(patients), 1 + rng.poisson(rate))
    about = rng.random(len(patient)) < _ABOUT_THEM
    usual = lasting[patient, rng.integers(_LASTING, size=len(patient))]
    code = np.where(about, usual, illnesses(len(patient)))
    visit_cells = {
        "day": _FIRST_DAY + _DAY * rng.integers(_DAYS, size=len(patient)),
        "ward": (code + (rng.random(len(code)) < 0.1)) % len(WARDS),
        "code": code,
    }
    visit = np.repeat(np.arange(len(patient)), rng.integers(3, size=len(patient)))
    kept = rng.random(len(visit)) < _KEPT
    which = np.where(
        kept, helped[patient[visit], code[visit]], rng.integers(_PER_CODE, size=len(visit))
    )
    prescribed = {
        "drug": (code[visit] * 7 + which * 11) % len(DRUGS),
        "days": rng.choice([6, 9, 13, 29, 89], len(visit)),
    }
    cells: dict[str, dict[str, Array]] = {
        "patients": root,
        "visits": visit_cells,
        "prescriptions": prescribed,
    }
    parents = {"patients": np.arange(patients), "visits": patient, "prescriptions": visit}
    persons = {**parents, "prescriptions": patient[visit]}
    tables = {
        table.name: Branch(
            Table(Schema(columns=table.columns), cells[table.name]),
            parents[table.name],
            persons[table.name],
            patients,
            table.order,
        )
        for table in clinic_schema().tables
    }
    return Trees.of(People(clinic_schema(), patients, None, tables), TITLE)
