"""Icu: irregular series of vital signs and laboratory values, real or simulated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data.arrow import from_arrow
from quintain.data.lines import Lines
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

    In the stand-in, stays differ in their rhythm, length, usual values and ordered tests; a
    parameter says how strongly in each. The number ``hospital`` decides which features there are
    and how they depend on each other, so that test data come from the same hospital.

    The real files are those of the PhysioNet Challenge 2012: 12,000 stays, 37 features over 48
    hours, 84 % of the values not measured. Or they are a file like the contest's extract of
    AmsterdamUMCdb, with the columns admissionid, time, and one column per feature; every fifth stay
    of it is test data.

    Parameters
    ----------
    rows : how many stays; 4,000 by default in the stand-in.
    real : load the real files instead of generating the stand-in.
    steps : the largest number of rows of a stay; longer stays keep their first rows.
    unit : the unit of time; a file like AmsterdamUMCdb keeps its own.
    real_set : which real files to load.
    sets : which of PhysioNet's three sets of 4,000 stays are the population; the others are the
        test data.
    features : how many features the stand-in has.
    hospital : the number of the hospital that the stand-in simulates.
    baseline, gap_spread, length_spread, missing : how strongly the stays of the stand-in differ in
        their usual values, in the times between rows, in their length, and in which values are
        measured. 0 means that they do not differ; the default is as much as real stays.

    >>> import quintain as q
    >>> source = q.part("icu", rows=2, features=4, steps=3, unit="minutes")
    >>> stays = source.data(np.random.default_rng(1))
    >>> for row in stays.to_rows().select(["stay", "time", "vital1"]).records():
    ...     print(row)
    {'stay': 0, 'time': 29.0, 'vital1': 6.0}
    {'stay': 0, 'time': 47.0, 'vital1': 5.99}
    {'stay': 0, 'time': 89.0, 'vital1': 5.79}
    {'stay': 1, 'time': 59.0, 'vital1': None}
    {'stay': 1, 'time': 63.0, 'vital1': 6.25}
    {'stay': 1, 'time': 68.0, 'vital1': 6.13}

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
        "as arrays M, off, ids, sets and names; train_longitudinal_data.csv is the file "
        "that the participants of Hide-and-Seek got."
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
        """The stay, the time and the features; for AmsterdamUMCdb, its file names them."""
        if not self.real:
            return self._schema(feature_names(self.features))
        if self.real_set == "physionet2012":
            return self._schema(PHYSIONET_FEATURES)
        return self._schema(_amsterdam_names(self.find(AMSTERDAM))[2:])

    def generate(self, rng: np.random.Generator) -> Series:
        """The stays of the stand-in: 4,000, or ``rows``."""
        leaks = Leaks(self.baseline, self.gap_spread, self.length_spread, self.missing)
        hospital = make_hospital(self.features, self.hospital)
        stays = self.rows or USUAL_STAYS
        offsets, values = simulate(stays, self.steps, hospital, leaks, rng)
        values[:, 0] *= self._per_hour()
        return Series(self.data_schema(), np.arange(stays), offsets, values)

    def load(self) -> Series:
        """The real stays of the population, without those that are test data."""
        if self.real_set == "amsterdamumcdb":
            return self._amsterdam(for_test=False)
        return self._physionet(self.sets)

    def test_data(self, rng: np.random.Generator) -> Series | None:
        """Further stays: simulated ones of the same hospital, or real ones set apart for tests."""
        if not self.real:
            return self.generate(rng)
        others = tuple(name for name in "abc" if name not in self.sets)
        amsterdam = self.real_set == "amsterdamumcdb"
        if not amsterdam and not others:
            return None
        stays = self._amsterdam(for_test=True) if amsterdam else self._physionet(others)
        wanted = min(len(stays), self.rows or len(stays))
        return stays.take(np.sort(rng.choice(len(stays), wanted, replace=False)))

    def _amsterdam(self, *, for_test: bool) -> Series:
        stays = load_amsterdam(self.find(AMSTERDAM), self.data_schema())
        fifth = np.arange(1, len(stays) + 1) % 5 == 0
        return stays.take(np.flatnonzero(fifth == for_test)).head(self.steps)

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
    """Some of the three sets, with the time in minutes; checks the counts of the whole file."""
    with np.load(file, allow_pickle=False) as arrays:
        values, offsets, ids = arrays["M"], arrays["off"], arrays["ids"]
        of_set, names = arrays["sets"], arrays["names"]
    faults = Faults(file.name)
    if tuple(names.tolist()) != ("time", *schema.names[2:]):
        faults.add(f"has other columns; expected time, {', '.join(schema.names[2:5])} ...")
    if len(values) != ROWS_OF_ALL_SETS:
        faults.add(f"has {len(values)} rows, expected {ROWS_OF_ALL_SETS}")
    for name in "abc":
        count = int((of_set == name).sum())
        if count != STAYS_OF_A_SET:
            faults.add(f"has {count} stays in set {name}, expected {STAYS_OF_A_SET}")
    faults.raise_if_any(DataError)
    chosen, lengths = np.isin(of_set, sets), np.diff(offsets)
    # The file has single precision, and its original had at most four decimals.
    exact = np.round(values[np.repeat(chosen, lengths)].astype(np.float64), 4)
    starts = np.concatenate([[0], np.cumsum(lengths[chosen])])
    return Series(schema, ids[chosen], starts, exact)


def load_amsterdam(file: Path, schema: Schema) -> Series:
    """The stays of a file with the columns admissionid, time and features.

    A column of row numbers may come first. Stays are in the order of their numbers, rows in the
    order of the file.
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
    stays = from_arrow(renamed, schema, faults, Lines(2))
    faults.raise_if_any(DataError)
    assert isinstance(stays, Series)
    return stays.take(np.argsort(stays.ids, kind="stable"))


def _amsterdam_names(file: Path) -> list[str]:
    """The column names on the first line, from admissionid on."""
    with file.open(encoding="utf-8-sig") as lines:
        names = [name.strip('"') for name in lines.readline().rstrip("\r\n").split(",")]
    if "admissionid" in names[:2]:
        names = names[names.index("admissionid") :]
    if names[:2] != ["admissionid", "time"] or len(names) < 3 or len(set(names)) < len(names):
        message = "the first line must name admissionid, time and features, each of them once"
        raise DataError([Fault(message, file.name, line=1)])
    return names
