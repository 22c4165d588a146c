"""Simulator: an intensive care unit in which stays differ in rhythm, usual values and tests.

A stay is one patient in one bed. Rows are written at irregular times, at the pace of the stay, with
a long gap now and then. Nearly every row has vital signs. A blood gas is ordered every few hours,
chemistry twice per day, rare tests every other day, and a device is used for some patients only.
Values follow eight slow states that drift, each at its own pace, around what is normal for this
patient. All of that can reveal who was in the data, so each has a strength that can be set to 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats, Ints

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
    measured = _measured(owner, waited, hospital, rng)
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


def _measured(
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
