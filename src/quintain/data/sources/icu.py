"""Icu: irregular series of vital signs and laboratory values, real or simulated.

In the simulation, a stay is one patient in one bed. Rows are written at irregular times, at the
pace of the stay, with a long gap now and then. Nearly every row has vital signs. A blood gas is
ordered every few hours, chemistry twice per day, rare tests every other day, and a device is used
for some patients only. Values follow eight slow states that drift, each at its own pace, around
what is normal for this patient. All of that can reveal who was in the data, so each has a strength
that can be set to 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data.arrays import Floats, Ints
from quintain.data.arrow import from_arrow
from quintain.data.column import Column
from quintain.data.kinds import as_series
from quintain.data.schema import Schema
from quintain.data.series import Series
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
    renamed = arrow.rename_columns(list(schema.names))
    stays = as_series(from_arrow(renamed, schema, file.name, first_line=2))
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


# --- the simulation ---

STATES = 8
FACTORS = 4
SHORTEST = 3
"""A stay has at least this many rows."""

_BLOCK = 1000
"""How many stays are simulated together; another number would change the draws of a seed."""


class Panel(NamedTuple):
    """A group of tests that are ordered together."""

    name: str
    share: float  # of the features
    hours: float  # between two orders; 0 for every row
    recorded: float  # share of ordered tests that give a value


PANELS = (
    Panel("vital", 0.25, 0.0, 0.85),
    Panel("gas", 0.25, 4.0, 0.95),
    Panel("chem", 0.30, 12.0, 0.95),
    Panel("rare", 0.20, 48.0, 0.95),
)


class Leaks(NamedTuple):
    """How strongly a stay differs from others, in each way that a release could reveal.

    Parameters
    ----------
    baseline : how far the usual values of a patient are from those of all patients, relative to how
        much values move during the stay; the spread of all values together stays about the same.
        0: all patients have the same usual values.
    gap_spread : how irregular the times between rows are, between stays and within a stay: the
        spread of the logarithm of the mean gap of a stay. 0: every stay has a row every half hour.
    length_spread : the spread of the logarithm of the number of rows. 0: all stays are equally
        long.
    missing : the share of the values that were not ordered and are missing. 0: every row has every
        value.
    """

    baseline: float
    gap_spread: float
    length_spread: float
    missing: float


@dataclass(frozen=True, slots=True, eq=False)
class Hospital:
    """What is the same for all stays: the features, and how they depend on each other."""

    panel: Ints
    loading: Floats  # features x states
    factors: Floats  # features x factors of the baseline
    severity: Floats  # how a feature reacts to being severely ill on admission
    centre: Floats
    scale: Floats
    skewed: npt.NDArray[np.bool_]
    relaxation: Floats  # hours in which a state forgets


def panel_sizes(features: int) -> list[int]:
    """The number of features of each panel; with enough features, every panel has some."""
    ends = np.rint(np.cumsum([panel.share for panel in PANELS]) * features)
    return [int(size) for size in np.diff(ends, prepend=0)]


def feature_names(features: int) -> list[str]:
    """The names of the features: vital1, vital2 ... gas1 ... chem1 ... rare1 ..."""
    sizes = zip(PANELS, panel_sizes(features), strict=True)
    return [f"{panel.name}{number + 1}" for panel, size in sizes for number in range(size)]


def make_hospital(features: int, number: int) -> Hospital:
    """The hospital with this number; the same number always gives the same features."""
    rng = np.random.default_rng([features, number])
    loading = rng.normal(size=(features, STATES)) * (rng.random((features, STATES)) < 0.35)
    spread = np.sqrt((loading**2).sum(axis=1, keepdims=True))
    factors = rng.normal(size=(features, FACTORS)) / np.sqrt(2 * FACTORS)
    centre = np.exp(rng.uniform(1.5, 5.0, features))
    return Hospital(
        panel=np.repeat(np.arange(len(PANELS)), panel_sizes(features)),
        loading=loading / np.where(spread > 0, spread, 1.0),
        factors=factors,
        severity=0.5 * rng.normal(size=features),
        centre=centre,
        scale=centre * rng.uniform(0.05, 0.25, features),
        skewed=rng.random(features) < 0.4,
        relaxation=np.geomspace(2.0, 48.0, STATES),
    )


def simulate(
    stays: int, steps: int, hospital: Hospital, leaks: Leaks, rng: np.random.Generator
) -> tuple[Ints, Floats]:
    """Simulated stays, one after the other: where each begins, and rows x (hours and features)."""
    lengths = _lengths(stays, steps, leaks, rng)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    out = np.empty((int(offsets[-1]), 1 + len(hospital.panel)))
    for start in range(0, stays, _BLOCK):
        end = min(start + _BLOCK, stays)
        out[offsets[start] : offsets[end]] = _block(lengths[start:end], hospital, leaks, rng)
    return offsets, out


def _lengths(stays: int, steps: int, leaks: Leaks, rng: np.random.Generator) -> Ints:
    """Numbers of rows per stay: log-normal, with a median of two thirds of the steps."""
    usual = np.log(steps * 2 / 3)
    lengths = np.exp(usual + leaks.length_spread * rng.normal(size=stays))
    return np.asarray(np.clip(np.rint(lengths), min(SHORTEST, steps), steps), np.int64)


def _block(lengths: Ints, hospital: Hospital, leaks: Leaks, rng: np.random.Generator) -> Floats:
    stays, longest = len(lengths), int(lengths.max())
    real = np.arange(longest) < lengths[:, None]
    gaps = _gaps(stays, longest, leaks.gap_spread, rng)
    start = rng.uniform(0, 1, size=(stays, 1))
    minutes = np.rint(60 * (start + np.cumsum(gaps, axis=1) - gaps[:, :1]))
    hours = (np.maximum.accumulate(minutes - np.arange(longest), axis=1) + np.arange(longest)) / 60
    states = _states(np.diff(hours, axis=1), hospital.relaxation, rng)[real]
    owner = np.repeat(np.arange(stays), lengths)
    time = hours[real]
    severe = rng.gamma(2.0, 0.5, size=stays)[owner] * np.exp(-time / 36)
    level = states @ hospital.loading.T + severe[:, None] * hospital.severity
    level += (leaks.baseline * _baselines(stays, hospital, rng))[owner]
    level += 0.25 * rng.standard_normal(level.shape)
    level /= np.sqrt(1 + leaks.baseline**2)  # keeps the spread of all values about the same
    values = _in_units(level, hospital)
    waited = np.diff(hours, axis=1, prepend=hours[:, :1])[real]
    measured = _draw_measured(owner, waited, hospital, rng)
    if leaks.missing < 1:
        measured |= rng.random(measured.shape) >= leaks.missing
    values[~measured] = np.nan
    return np.column_stack([time, values])


def _gaps(stays: int, longest: int, spread: float, rng: np.random.Generator) -> Floats:
    """Hours between rows: gamma gaps around the mean of the stay; one in 33 is six times longer."""
    pace = 0.8 * rng.normal(size=(stays, 1))
    step = np.log(rng.gamma(1.5, 1 / 1.5, size=(stays, longest)))
    long = np.log(6.0) * (rng.random((stays, longest)) < 0.03)
    return np.asarray(0.5 * np.exp((pace + step + long) * spread / 0.8))


def _states(waits: Floats, relaxation: Floats, rng: np.random.Generator) -> Floats:
    """Ornstein-Uhlenbeck states, exact at irregular times, as stays x rows x states."""
    stays, more = waits.shape
    out = np.empty((stays, more + 1, len(relaxation)))
    out[:, 0] = rng.normal(size=(stays, len(relaxation)))
    for row in range(more):
        kept = np.exp(-waits[:, row, None] / relaxation)
        fresh = rng.normal(size=kept.shape)
        out[:, row + 1] = kept * out[:, row] + np.sqrt(1 - kept**2) * fresh
    return out


def _baselines(stays: int, hospital: Hospital, rng: np.random.Generator) -> Floats:
    """The usual values of each patient: half shared by features, half special to a feature."""
    shared = rng.normal(size=(stays, FACTORS)) @ hospital.factors.T
    return np.asarray(shared + np.sqrt(0.5) * rng.normal(size=shared.shape))


def _in_units(level: Floats, hospital: Hospital) -> Floats:
    """Levels as a device shows them: in units, some skewed, rounded to a step."""
    out = hospital.centre + hospital.scale * level
    bent = hospital.skewed
    relative = 2 * (hospital.scale / hospital.centre)[bent]
    out[:, bent] = hospital.centre[bent] * np.exp(relative * np.clip(level[:, bent], -20, 20))
    step = 10.0 ** np.floor(np.log10(hospital.scale / 4))
    return np.asarray(np.rint(out / step) * step)


def _draw_measured(
    owner: Ints, waited: Floats, hospital: Hospital, rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """Which values are measured: of the panels ordered at a row, with the devices of the stay."""
    rows, features = len(owner), len(hospital.panel)
    used = rng.random((int(owner[-1]) + 1, features)) < 0.85
    out = rng.random((rows, features))
    for number, panel in enumerate(PANELS):
        in_panel = hospital.panel == number
        chance = np.ones(rows) if panel.hours == 0 else -np.expm1(-waited / panel.hours)
        ordered = rng.random(rows) < chance
        out[:, in_panel] = (out[:, in_panel] < panel.recorded) & ordered[:, None]
    return (out > 0) & used[owner]
