"""Collusion: pairs of attacker and release that fit neither the attacker nor the release.

Every reading is compared with what the skill of its attacker and the weakness of its release give
together. What is left over is the residual. A friend's release that tells one attacker everything
has a large one, and nobody else's is nearly as large.

References
----------
J. W. Tukey (1977), Exploratory Data Analysis, chapter 11: median polish.
B. M. Hill (1975), A simple general approach to inference about the tail of a distribution, The
Annals of Statistics 3(5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Mask
from quintain.measures.intervals import normal_quantile
from quintain.measures.reading import LEVEL
from quintain.rankings.results import Results

CHANCE = 0.01
"""With this chance or less, a contest without friends has a pair that stands out."""
_TAIL = 4.0
"""The largest of many residuals is c times the next with a chance of at most c to the power -4.

That is so if a residual beyond x is 16 times as rare as one beyond x / 2, or rarer. In contests of
eight teams drawn from the published matrix of AMIC, it was at most a little more often.
"""
_LEAST_CELLS = 45
_LEAST_ATTACKERS = 3
_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class ResidualPair:
    """An attacker on a release of another team.

    Parameters
    ----------
    value : the reading.
    expected : what attacker and release give together.
    chance : how likely a contest without friends has such a pair at most; None if there are too
        few other readings to tell.
    """

    attacker: str
    entry: str
    owner: str
    value: float
    expected: float
    chance: float | None

    @property
    def residual(self) -> float:
        """How much more the attacker learned than was to be expected."""
        return abs(self.value - self.expected)


def residual_pairs(
    results: Results, measure: str, within: tuple[float, float], *, tables: int = 1
) -> list[ResidualPair]:
    """The teams that learned more of another team's release than was to be expected, most first.

    Baselines and releases of the organisers are compared with, and never listed.

    Parameters
    ----------
    within : what the reading is of an attacker who learned nothing, and of one who learned all.
    tables : how many tables the contest has; the chance holds for all of them together.
    """
    grid = results.grid(measure)
    sign = 1.0 if within[1] >= within[0] else -1.0
    value = sign * np.where(np.isfinite(grid.value), grid.value, np.nan).T
    if np.isnan(value).all():
        return []
    fitted = value - polish(value)
    residual = value - fitted
    error = (grid.high - grid.low).T / (2 * normal_quantile(15, LEVEL))
    known = error[np.isfinite(error)]
    noise = float(np.median(known)) if len(known) else 0.0
    ids = [attacker.id for attacker in results.contestants]
    owners = [ids.index(e.owner) if e.owner in ids else None for e in results.entries]
    pairs = []
    for a, attacker in enumerate(results.contestants):
        if not attacker.competing or np.isnan(value[a]).all():
            continue
        most = _largest_of_others(residual, a, owners)
        half = (sign * within[1] - np.nanmedian(value)) / 2
        for e, entry in enumerate(results.entries):
            extra = residual[a, e]
            if entry.owner in (None, attacker.id) or not extra > 0:
                continue
            chance = None
            if most is not None:
                ratio = extra / max(most, noise, 1e-12)
                # Who learned less than half of what others missed gained little by it.
                chance = min(1.0, float(tables * ratio**-_TAIL)) if extra >= half else 1.0
            pairs.append(
                ResidualPair(
                    attacker.id,
                    entry.id,
                    entry.owner or "",
                    float(sign * value[a, e]),
                    float(sign * fitted[a, e]),
                    chance,
                )
            )
    return sorted(pairs, key=lambda pair: (-pair.residual, pair.attacker, pair.entry))


def stands_out(pair: ResidualPair) -> bool:
    """Whether a pair is beyond what contests without friends have."""
    return pair.chance is not None and pair.chance <= CHANCE


def polish(values: Floats) -> Floats:
    """The residuals of a table after the median of each row and each column is taken off, in turn.

    Of two numbers in the middle, the lower one is the median, so up to half of a row or column may
    be too high. NaN is a missing value.

    >>> polish(np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.5, 0.6, 1.0]])).round(9).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.3]]
    """
    left = values.copy()
    for _ in range(_ROUNDS):
        moved = 0.0
        for axis in (0, 1):
            step = _low_medians(left, axis)
            left -= step
            moved = max(moved, float(np.abs(step).max(initial=0.0)))
        if moved < 1e-12:
            break
    return left


def _low_medians(values: Floats, axis: int) -> Floats:
    """The lower median along an axis; 0 where nothing was measured."""
    ordered = np.sort(values, axis=axis)  # NaN comes last
    count = np.sum(~np.isnan(values), axis=axis, keepdims=True)
    medians = np.take_along_axis(ordered, np.maximum((count - 1) // 2, 0), axis=axis)
    out: Floats = np.where(count > 0, medians, 0.0)
    return out


def _largest_of_others(
    residual: Floats, attacker: int, owners: Sequence[int | None]
) -> float | None:
    """The largest residual of attackers who have nothing to do with this one; None if too few.

    The teams whose releases this attacker knows best may be its friends, and friends may read each
    other's releases. So their attacks are left out.
    """
    own = residual[attacker]
    known: Mask = own > np.nanmax(own) / 2
    out = {attacker, *(owners[e] for e in np.flatnonzero(known).tolist())}
    others = [a for a in range(len(residual)) if a not in out]
    rows = residual[others]
    rows = rows[~np.isnan(rows).all(axis=1)]
    measured = rows[~np.isnan(rows)]
    if len(rows) < _LEAST_ATTACKERS or len(measured) < _LEAST_CELLS:
        return None
    return float(measured.max())
