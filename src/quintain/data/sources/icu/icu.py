"""Intensive care: irregular series of vital signs and laboratory values, real or simulated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data.arrow import from_arrow
from quintain.data.schema import Column, Schema
from quintain.data.series import Series
from quintain.data.sources.icu.simulator import Leaks, feature_names, make_hospital, simulate
from quintain.data.sources.source import Source
from quintain.errors import DataError, Fault, Faults
from quintain.registry import register

PHYSIONET = (
    "physionet2012.npz",
    "3a8593be0badade85d0b717596b8bc0a0d103435176e5caa2cb0ad5cae48229a",
)
AMSTERDAM = "train_longitudinal_data.csv"
STAYS_OF_A_SET = 4_000
ROWS_OF_ALL_SETS = 898_352
USUAL_STAYS = 4_000

PHYSIONET_FEATURES = (
    "ALP", "ALT", "AST", "Albumin", "BUN", "Bilirubin", "Cholesterol", "Creatinine", "DiasABP",
    "FiO2", "GCS", "Glucose", "HCO3", "HCT", "HR", "K", "Lactate", "MAP", "MechVent", "Mg",
    "NIDiasABP", "NIMAP", "NISysABP", "Na", "PaCO2", "PaO2", "Platelets", "RespRate", "SaO2",
    "SysABP", "Temp", "TroponinI", "TroponinT", "Urine", "WBC", "Weight", "pH",
)  # fmt: skip


@register("icu-v1")
class Icu(Source):
    """Stays in intensive care as irregular time series: the kind of data of Hide-and-Seek.

    The stand-in simulates stays whose rhythm, length, baseline and ordered tests differ from
    patient to patient, each as strongly as a parameter says; ``hospital`` says which features there
    are and how they hang together, so test data come from the same place. The real files are those
    of the PhysioNet Challenge 2012 (12,000 stays, 37 features over 48 hours, 84 % of the values not
    measured), or a file shaped like the contest's extract of AmsterdamUMCdb: admissionid, time, and
    one column a feature; every fifth stay of it is kept back as test data.

    Parameters
    ----------
    rows : how many stays.
    real : as for every source.
    steps : a longer stay is cut to its first rows, this many.
    unit : of time; a file shaped like AmsterdamUMCdb keeps its own.
    real_set : which real files.
    sets : of PhysioNet's three sets of 4,000 stays, those that are the population; the others are
        the test data.
    features : how many the stand-in has.
    hospital : which hospital the stand-in simulates.
    baseline, gap_spread, length_spread, missing : how strongly the stand-in's stays differ in their
        usual values, in the times between rows, in length, and in what was measured; 0 is not at
        all, 1 or the default as much as real ones.

    References
    ----------
    Silva et al., Predicting in-hospital mortality of ICU patients: the PhysioNet/Computing in
    Cardiology Challenge 2012. Jordon et al., Hide-and-Seek Privacy Challenge, arXiv:2007.12087.
    """

    licence: ClassVar[str] = (
        "PhysioNet/CinC Challenge 2012: open access, to be cited; see its page for the licence. "
        "AmsterdamUMCdb: by agreement with its owners only"
    )
    obtain: ClassVar[str] = (
        "physionet2012.npz holds sets a, b and c of https://physionet.org/content/challenge-2012/ "
        "as arrays M, off, ids, sets and names; train_longitudinal_data.csv is what participants "
        "of Hide-and-Seek were given."
    )

    steps: Annotated[int, Field(ge=2, le=10_000)] = 100
    unit: Literal["hours", "minutes"] = "hours"
    real_set: Literal["physionet2012", "amsterdamumcdb"] = "physionet2012"
    sets: Annotated[tuple[Literal["a", "b", "c"], ...], Field(min_length=1)] = ("a", "b")
    features: Annotated[int, Field(ge=1, le=1000)] = 70
    hospital: Annotated[int, Field(ge=0)] = 0
    baseline: Annotated[float, Field(ge=0, le=100)] = 1.0
    gap_spread: Annotated[float, Field(ge=0, le=3)] = 0.8
    length_spread: Annotated[float, Field(ge=0, le=3)] = 0.7
    missing: Annotated[float, Field(ge=0, le=1)] = 1.0

    @classmethod
    def examples(cls) -> list[Self]:
        """Short stays with few features, so that the generic checks are quick."""
        return [cls(rows=200, features=5, steps=8, unit="minutes")]

    def data_schema(self) -> Schema:
        """The stay, the time and the features; those of AmsterdamUMCdb are named in its file."""
        if not self.real:
            return self._schema(feature_names(self.features))
        if self.real_set == "physionet2012":
            return self._schema(PHYSIONET_FEATURES)
        return self._schema(_amsterdam_names(self.find(AMSTERDAM))[2:])

    def generate(self, rng: np.random.Generator) -> Series:
        """Simulated stays: 4,000, or ``rows``."""
        leaks = Leaks(self.baseline, self.gap_spread, self.length_spread, self.missing)
        hospital = make_hospital(self.features, self.hospital)
        stays = self.rows or USUAL_STAYS
        offsets, values = simulate(stays, self.steps, hospital, leaks, rng)
        values[:, 0] *= self._per_hour()
        return Series(self.data_schema(), np.arange(stays), offsets, values)

    def load(self) -> Series:
        """The real stays."""
        if self.real_set == "amsterdamumcdb":
            return self._amsterdam(held_back=False)
        return self._physionet(self.sets)

    def test_data(self, rng: np.random.Generator) -> Series | None:
        """As many fresh stays of the same hospital, or real ones that are not the population."""
        if not self.real:
            return self.generate(rng)
        others = tuple(name for name in "abc" if name not in self.sets)
        amsterdam = self.real_set == "amsterdamumcdb"
        if not amsterdam and not others:
            return None
        stays = self._amsterdam(held_back=True) if amsterdam else self._physionet(others)
        wanted = min(len(stays), self.rows or len(stays))
        return stays.take(np.sort(rng.choice(len(stays), wanted, replace=False)))

    def _amsterdam(self, *, held_back: bool) -> Series:
        stays = load_amsterdam(self.find(AMSTERDAM), self.data_schema())
        fifth = np.arange(1, len(stays) + 1) % 5 == 0
        return stays.take(np.flatnonzero(fifth == held_back)).head(self.steps)

    def _physionet(self, sets: tuple[str, ...]) -> Series:
        stays = load_physionet(self.find(*PHYSIONET), self.data_schema(), sets)
        values = np.array(stays.values)
        values[:, 0] *= self._per_hour() / 60
        return Series(stays.schema, stays.ids, stays.offsets, values).head(self.steps)

    def _per_hour(self) -> float:
        return 60.0 if self.unit == "minutes" else 1.0

    def _schema(self, features: npt.ArrayLike) -> Schema:
        unit = "" if self.real and self.real_set == "amsterdamumcdb" else self.unit
        columns = [
            Column(name="stay", kind="id", role="person"),
            Column(name="time", kind="real", role="time", unit=unit),
        ]
        columns += [Column(name=str(f), kind="real", nullable=True) for f in np.asarray(features)]
        return Schema(shape="series", title="Stays in intensive care", columns=tuple(columns))


def load_physionet(file: Path, schema: Schema, sets: tuple[str, ...]) -> Series:
    """Some of the three sets, time in minutes; the counts of the whole file are checked."""
    with np.load(file, allow_pickle=False) as held:
        values, offsets, ids = held["M"], held["off"], held["ids"]
        of_set, names = held["sets"], held["names"]
    faults = Faults(file.name)
    if tuple(names.tolist()) != ("time", *schema.names[2:]):
        faults.add(f"has other columns than {', '.join(schema.names[2:5])} ...")
    if len(values) != ROWS_OF_ALL_SETS:
        faults.add(f"has {len(values)} rows, expected {ROWS_OF_ALL_SETS}")
    for name in "abc":
        found = int((of_set == name).sum())
        if found != STAYS_OF_A_SET:
            faults.add(f"has {found} stays in set {name}, expected {STAYS_OF_A_SET}")
    faults.raise_if_any(DataError)
    chosen, lengths = np.isin(of_set, sets), np.diff(offsets)
    # The file has single precision; the texts it was made from had at most four decimals.
    exact = np.round(values[np.repeat(chosen, lengths)].astype(np.float64), 4)
    starts = np.concatenate([[0], np.cumsum(lengths[chosen])])
    return Series(schema, ids[chosen], starts, exact)


def load_amsterdam(file: Path, schema: Schema) -> Series:
    """A file of rows (admissionid, time, features), after a column of row numbers or not.

    Stays come in the order of their numbers, rows in that of the file.
    """
    import pyarrow as pa
    import pyarrow.csv

    names = _amsterdam_names(file)
    try:
        arrow = pyarrow.csv.read_csv(file).select(names)
    except (pa.ArrowException, OSError) as problem:
        message = f"is not a readable CSV file: {problem}".split("\n")[0]
        raise DataError([Fault(message, file.name)]) from None
    faults = Faults(file.name)
    renamed = arrow.rename_columns(list(schema.names))
    stays = from_arrow(renamed, schema, faults, lambda row: row + 2)
    faults.raise_if_any(DataError)
    assert isinstance(stays, Series)
    return stays.take(np.argsort(stays.ids, kind="stable"))


def _amsterdam_names(file: Path) -> list[str]:
    """The columns that count, from the first line: everything from admissionid on."""
    with file.open(encoding="utf-8-sig") as lines:
        names = [name.strip('"') for name in lines.readline().rstrip("\r\n").split(",")]
    if "admissionid" in names[:2]:
        names = names[names.index("admissionid") :]
    if names[:2] != ["admissionid", "time"] or len(names) < 3 or len(set(names)) < len(names):
        message = "the first line must name admissionid, time and features, none of them twice"
        raise DataError([Fault(message, file.name, line=1)])
    return names
