"""Counts: how often each value shall occur, close to the private data and no closer than needed.

What is rare gives its people away first: a value that nine people of the population have, and four
of the private data, puts each of the nine at four in nine. So the error that is allowed is spent
where values are rare.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from quintain.data import Column, Table
from quintain.data.arrays import Floats
from quintain.noise import Noise

Counts = npt.NDArray[np.int64]

_BANDWIDTH = 0.5  # of the smoothing of numbers, in standard deviations
_STEPS = 60  # degrees of disguise that are tried
_FOR_NUMBERS = 0.6  # of the error: smoothing hides more people than the same error of noise


def redrawn_counts(table: Table, worst: float, total: float, noise: Noise) -> dict[str, Counts]:
    """New counts for every column, with the same sum.

    ``worst`` bounds the error of a column and ``total`` the sum over columns, the error being half
    the summed differences as a share of the records. Numbers get the larger part of the total.
    """
    columns = table.schema.columns
    numeric = [c for c in columns if c.kind != "category"]
    values = sum(c.size for c in columns if c.kind == "category")
    for_numbers = _FOR_NUMBERS * total if values else total
    out, left = {}, total
    for column in sorted(columns, key=lambda c: c.kind == "category"):
        counts = np.bincount(table.columns[column.name], minlength=column.size)
        if column.kind == "category":
            allowed, tried = left * column.size / values, _noisy(counts, noise)
        else:
            allowed, tried = for_numbers / len(numeric), _smoothed(counts, noise)
        out[column.name] = _first_within(tried, counts, min(worst, allowed))
        if column.kind != "category":
            left -= error(counts, out[column.name])
    return out


def error(counts: Counts, others: Counts) -> float:
    """Half the summed differences, as a share of the records."""
    return float(np.abs(counts - others).sum() / (2 * counts.sum()))


def drawn(column: Column, counts: Counts, order: npt.NDArray[np.int64]) -> Counts:
    """Values that occur as often as counted, in an order."""
    return np.repeat(np.arange(column.size), counts)[order]


def _first_within(tried: Iterator[Counts], counts: Counts, allowed: float) -> Counts:
    """The first, most disguised counts that are close enough; the true ones if none are."""
    return next((some for some in tried if error(counts, some) <= allowed), counts)


def _noisy(counts: Counts, noise: Noise) -> Iterator[Counts]:
    """Counts of categories with less and less noise, the same for rare and for common ones.

    A category that occurs still does, and one that does not still does not: where it did not, or
    all at once, its correlations would not be defined.
    """
    there = np.flatnonzero(counts)
    for scale in np.geomspace(max(1.0, counts.sum() / 20), 0.5, _STEPS):
        some = counts.copy()
        some[there] = np.maximum(1, counts[there] + noise.gaussian(float(scale), len(there)))
        surplus = some.sum() - counts.sum()
        some[there] -= np.rint(surplus * counts[there] / counts.sum()).astype(np.int64)
        some[there] = np.maximum(1, some[there])
        some[some.argmax()] -= some.sum() - counts.sum()
        if some.min() >= 0:
            yield some


def _smoothed(counts: Counts, noise: Noise) -> Iterator[Counts]:
    """Counts of numbers of which fewer and fewer are smoothed: common ones stay as they are."""
    at = np.arange(len(counts))
    mean = (at * counts).sum() / counts.sum()
    spread = np.sqrt((counts * (at - mean) ** 2).sum() / counts.sum())
    for common in _spread(np.unique(counts)[::-1], _STEPS):
        rare = counts <= common
        rare[: np.flatnonzero(counts)[0]] = rare[np.flatnonzero(counts)[-1] + 1 :] = False
        smooth = np.where(rare, _kernel_mean(counts, rare, _BANDWIDTH * spread), counts)
        tilted = _with_moments(smooth, rare, counts, at - mean)
        some = np.floor(tilted + noise.uniform(len(tilted))).astype(np.int64)
        surplus = int(some.sum() - counts.sum())
        most = np.argsort(-some, kind="stable")[: abs(surplus)]
        some[most] -= np.sign(surplus)
        if some.min() >= 0 and some.sum() == counts.sum():
            yield some


def _spread(values: Counts, count: int) -> Counts:
    """Some of the values, evenly spread over their places."""
    chosen = np.linspace(0, len(values) - 1, min(count, len(values)))
    return values[np.rint(chosen).astype(np.int64)]


def _kernel_mean(counts: Counts, where: npt.NDArray[np.bool_], width: float) -> Floats:
    """Around each value, the weighted mean of the counts of some values."""
    far = max(1, min(len(counts) - 1, round(4 * width)))
    kernel = np.exp(-0.5 * (np.arange(-far, far + 1) / max(width, 0.1)) ** 2)
    padded = [np.pad(part.astype(float), far) for part in (counts * where, where)]
    total, weight = (np.convolve(part, kernel, "valid") for part in padded)
    return np.asarray(total / np.maximum(weight, 1e-9))


def _with_moments(
    smooth: Floats, rare: npt.NDArray[np.bool_], counts: Counts, centred: Floats
) -> Floats:
    """Smoothed counts, tilted a little until number, mean and variance are those of the counts."""
    powers = np.stack([np.ones(len(counts)), centred, centred**2])
    scale = np.abs(powers).max(axis=1, keepdims=True)
    powers /= np.where(scale > 0, scale, 1)
    free = smooth * rare
    missing = powers @ (counts - smooth)
    tilt = np.linalg.lstsq((powers * free) @ powers.T, missing, rcond=None)[0]
    return np.asarray(np.maximum(smooth + free * (tilt @ powers), 0))
