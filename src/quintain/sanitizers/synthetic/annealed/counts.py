"""Counts: how often each value occurs in the release, no closer to the private data than needed.

Rare values reveal members first. If nine people of the population have a value, and four people of
the private data, then each of the nine is a member with probability four in nine. So the allowed
error is spent on rare values.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from quintain.data import Column, Table
from quintain.data.arrays import Floats
from quintain.noise import Noise

Counts = npt.NDArray[np.int64]

_BANDWIDTH = 0.5
"""The bandwidth with which counts of numbers are smoothed, in standard deviations."""
_STEPS = 60
"""How many amounts of noise or smoothing are tried, from most to least."""
_FOR_NUMBERS = 0.6
"""The part of the error for numbers: smoothing hides more people than noise of the same error."""


def redrawn_counts(
    table: Table, worst: float, total: float, noise: Noise, public: Table | None = None
) -> dict[str, Counts]:
    """Give new counts for every column, with the same sum as the private ones.

    ``worst`` bounds the error of a column, and ``total`` the sum of errors over columns. The error
    is half the sum of differences, as a share of the records. Numbers get the larger part of the
    total. With public people, rare values have the counts of the public people, and as few others
    as possible stay private; without them, counts get noise.
    """
    columns = table.schema.columns
    numeric = [c for c in columns if c.kind != "category"]
    values = sum(c.size for c in columns if c.kind == "category")
    for_numbers = _FOR_NUMBERS * total if values else total
    out, left = {}, total
    for column in sorted(columns, key=lambda c: c.kind == "category"):
        counts = np.bincount(table.columns[column.name], minlength=column.size)
        if column.kind == "category":
            allowed, candidates = left * column.size / values, _noisy(counts, noise)
        else:
            allowed, candidates = for_numbers / len(numeric), _smoothed(counts, noise)
        if public is not None:
            others = np.bincount(public.columns[column.name], minlength=column.size)
            candidates = _replaced(counts, others, noise, number=column.kind != "category")
        out[column.name] = _first_within(candidates, counts, min(worst, allowed))
        if column.kind != "category" or public is not None:
            left -= error(counts, out[column.name])
            values -= column.size if column.kind == "category" else 0
    return out


def error(counts: Counts, others: Counts) -> float:
    """Give half the sum of differences between counts, as a share of the records."""
    return float(np.abs(counts - others).sum() / (2 * counts.sum()))


def arrange(column: Column, counts: Counts, order: npt.NDArray[np.int64]) -> Counts:
    """List values in the given order, each as often as its count says."""
    return np.repeat(np.arange(column.size), counts)[order]


def _first_within(candidates: Iterator[Counts], counts: Counts, allowed: float) -> Counts:
    """Give the first counts that are close enough; the true counts if none are."""
    return next((each for each in candidates if error(counts, each) <= allowed), counts)


def _noisy(counts: Counts, noise: Noise) -> Iterator[Counts]:
    """Try counts of categories with less and less noise, equal for rare and common categories.

    A category that occurs in the private data also occurs in the release, and no other does.
    Otherwise its correlations would be undefined in one of the two.
    """
    present = np.flatnonzero(counts)
    for scale in np.geomspace(max(1.0, counts.sum() / 20), 0.5, _STEPS):
        noisy = counts.copy()
        noisy[present] = np.maximum(1, counts[present] + noise.gaussian(float(scale), len(present)))
        surplus = noisy.sum() - counts.sum()
        noisy[present] -= np.rint(surplus * counts[present] / counts.sum()).astype(np.int64)
        noisy[present] = np.maximum(1, noisy[present])
        noisy[noisy.argmax()] -= noisy.sum() - counts.sum()
        if noisy.min() >= 0:
            yield noisy


def _smoothed(counts: Counts, noise: Noise) -> Iterator[Counts]:
    """Try counts of numbers, smoothing fewer and fewer of them; common numbers stay unchanged."""
    at = np.arange(len(counts))
    mean = (at * counts).sum() / counts.sum()
    spread = np.sqrt((counts * (at - mean) ** 2).sum() / counts.sum())
    for common in _spread(np.unique(counts)[::-1], _STEPS):
        rare = counts <= common
        rare[: np.flatnonzero(counts)[0]] = rare[np.flatnonzero(counts)[-1] + 1 :] = False
        smooth = np.where(rare, _kernel_mean(counts, rare, _BANDWIDTH * spread), counts)
        tilted = _with_moments(smooth, rare, counts, at - mean)
        rounded = _rounded(tilted, int(counts.sum()), noise)
        if rounded.min() >= 0 and rounded.sum() == counts.sum():
            yield rounded


def _replaced(counts: Counts, public: Counts, noise: Noise, *, number: bool) -> Iterator[Counts]:
    """Try the counts of public people, for fewer and fewer values; common values stay private.

    A category that occurs in the private data also occurs in the release, and no other does.
    """
    at = np.arange(len(counts))
    centred = at - (at * counts).sum() / counts.sum()
    others = public * (counts.sum() / public.sum())
    if not number:
        others = np.where(counts > 0, np.maximum(others, 1.0), 0.0)
    for common in _spread(np.unique(others)[::-1], _STEPS):
        rare = others <= common
        if number:
            tilted = _with_moments(np.where(rare, others, counts), rare, counts, centred)
        else:
            missing = counts[rare].sum() / max(others[rare].sum(), 1e-9)
            tilted = np.where(
                rare, np.where(counts > 0, np.maximum(missing * others, 1), 0), counts
            )
        rounded = _rounded(tilted, int(counts.sum()), noise)
        kept = number or ((rounded > 0) == (counts > 0)).all()
        if rounded.min() >= 0 and rounded.sum() == counts.sum() and kept:
            yield rounded


def _rounded(values: Floats, total: int, noise: Noise) -> Counts:
    """Round counts at random, then correct the largest ones until the sum is ``total``."""
    rounded = np.floor(values + noise.uniform(len(values))).astype(np.int64)
    surplus = int(rounded.sum() - total)
    largest = np.argsort(-rounded, kind="stable")[: abs(surplus)]
    rounded[largest] -= np.sign(surplus)
    return rounded


def _spread(values: Counts, count: int) -> Counts:
    """Pick ``count`` of the values, evenly spread over their places."""
    chosen = np.linspace(0, len(values) - 1, min(count, len(values)))
    return values[np.rint(chosen).astype(np.int64)]


def _kernel_mean(counts: Counts, where: npt.NDArray[np.bool_], width: float) -> Floats:
    """Give, around each value, the weighted mean of the counts selected by ``where``."""
    far = max(1, min(len(counts) - 1, round(4 * width)))
    kernel = np.exp(-0.5 * (np.arange(-far, far + 1) / max(width, 0.1)) ** 2)
    padded = [np.pad(part.astype(float), far) for part in (counts * where, where)]
    total, weight = (np.convolve(part, kernel, "valid") for part in padded)
    return np.asarray(total / np.maximum(weight, 1e-9))


def _with_moments(
    smooth: Floats, rare: npt.NDArray[np.bool_], counts: Counts, centred: Floats
) -> Floats:
    """Adjust smoothed counts until their sum, mean and variance are those of the true counts."""
    powers = np.stack([np.ones(len(counts)), centred, centred**2])
    scale = np.abs(powers).max(axis=1, keepdims=True)
    powers /= np.where(scale > 0, scale, 1)
    free = smooth * rare
    missing = powers @ (counts - smooth)
    tilt = np.linalg.lstsq((powers * free) @ powers.T, missing, rcond=None)[0]
    return np.asarray(np.maximum(smooth + free * (tilt @ powers), 0))
