"""Precision: releases of programs have no finer numbers than the data that they were made from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quintain.data import Data, shape_of
from quintain.data.arrays import Floats

_MOST_DECIMALS = 6
_STEPS_OF_RANGE = 10**5
"""Numbers without a common step are rounded to so many steps of their range."""


def round_like(release: Data, private: Data) -> Data:
    """A release with every real column rounded to the precision of the private data.

    A program could write into the digits beyond it who is in the private data, and only a friend
    would read them there. No honest use of the release needs these digits.
    """
    shape = shape_of(private)
    rows, known = shape.to_rows(release), shape.to_rows(private)
    columns = {
        column.name: _round(rows.columns[column.name], known.columns[column.name])
        for column in rows.schema.columns
        if column.fractional and column.name in known.columns
    }
    if not columns:
        return release
    rounded: Data = shape.from_rows(replace(rows, columns={**rows.columns, **columns}))
    return rounded


def _round(values: Floats, known: Floats) -> Floats:
    decimals, step = precision(known)
    if step:
        rounded: Floats = np.round(values / step) * step
        return rounded
    return values if decimals is None else np.round(values, decimals)


def precision(known: Floats) -> tuple[int | None, float]:
    """How many decimals all numbers have, or else the step between them; (None, 0) without numbers.

    >>> precision(np.array([36.6, 37.0, np.nan])), precision(np.array([120.0, 95.0]))
    ((1, 0.0), (0, 0.0))
    >>> decimals, minutes = precision(np.array([1, 7, 60, 90]) / 60)
    >>> decimals, round(minutes * 60, 9)
    (None, 1.0)
    """
    numbers = np.unique(known[np.isfinite(known)])
    if not len(numbers):
        return None, 0.0
    for decimals in range(_MOST_DECIMALS + 1):
        if np.allclose(numbers, np.round(numbers, decimals), rtol=1e-12, atol=1e-12):
            return decimals, 0.0
    gaps = np.diff(np.concatenate([[0.0], numbers])) if numbers[0] > 0 else np.diff(numbers)
    step = _common_step(gaps[gaps > 1e-9])
    return None, step or float(np.ptp(numbers)) / _STEPS_OF_RANGE


def _common_step(gaps: Floats) -> float:
    """The number of which all gaps are multiples, but for rounding errors; 0 if there is none."""
    step = float(gaps.min(initial=np.inf))
    for _ in range(64):
        rest = np.abs(gaps - step * np.round(gaps / step))
        rest = rest[rest > 1e-6 * step + 1e-9]
        if not len(rest):
            return step
        step = float(rest.min())
        if step < 1e-6:
            break
    return 0.0
