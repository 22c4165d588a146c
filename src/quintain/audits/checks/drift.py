"""Drift: does the control differ from the original without any release?

If it does, it comes from another population or was not drawn at random, and every attack seems to
find out who is in the original. Each column is compared, and a classifier looks at all of them
together. Both have a half of the level, which is that of the audit's joint test.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quintain.audits.checks.strata import PropensityFeatures
from quintain.audits.results import ControlDrift, NoticedShift
from quintain.data import Table
from quintain.data.arrays import Array, Floats, Mask, Rows, Singles
from quintain.data.column import Column
from quintain.kernels.ranks import average_ranks
from quintain.kernels.value_classes import bin_starts
from quintain.measures import Reading
from quintain.measures.intervals import normal_quantile

LEVEL = 0.04
"""How often a control that was drawn at random seems to differ, at most: as an audit's p does."""
SHIFTS = (0.5, 0.25, 0.1)
"""The report says how often these shifts are noticed, in standard deviations."""
_BINS = 20
_FEWEST = 5
"""Classes with fewer expected people than this are counted together."""
_FOLDS, _PERMUTATIONS, _RIDGE = 5, 199, 10.0
_MOST_PEOPLE = 4_000
"""The classifier looks at so many people at most."""
_MOST_FEATURES = 300
"""Of more features, it takes those of the largest variance among all people."""
_FEWEST_PEOPLE = 10
"""With fewer people on a side, a classifier learns nothing."""


def measure_drift(original: Table, control: Table, *, rng: np.random.Generator) -> ControlDrift:
    """Compare a control with the original, without the release."""
    columns = original.schema.columns
    tests = {column.name: list(_column_tests(original, control, column)) for column in columns}
    count = max(1, sum(map(len, tests.values())))
    least = {name: min((p for _, p in own), default=1.0) for name, own in tests.items()}
    auc, chance = tell_apart(original, control, rng=rng)
    return ControlDrift(
        p=min(1.0, 2 * count * min(least.values(), default=1.0), 2 * chance),
        level=LEVEL,
        columns={name: tests[name][0][0] for name, p in least.items() if 2 * count * p <= LEVEL},
        auc=auc,
        by_classifier=2 * chance <= LEVEL,
        shifts=tuple(
            NoticedShift(
                shift=shift, share=shift_power(shift, len(original), len(control), tests=count)
            )
            for shift in SHIFTS
        ),
    )


def shift_power(shift: float, one: int, other: int, *, tests: int) -> float:
    """The share of audits in which a rank test notices that a column is shifted.

    Parameters
    ----------
    shift : in standard deviations, of numbers that are distributed normally.
    one, other : how many people there are on both sides.
    tests : how many tests share a half of the level.

    >>> round(shift_power(0.25, 500, 500, tests=16), 2)
    0.74
    """
    from scipy.special import ndtr, ndtri

    threshold = ndtri(1 - LEVEL / 2 / tests / 2)
    distance = shift * np.sqrt(3 / np.pi * one * other / (one + other))
    return float(ndtr(distance - threshold))


# --- column by column ---


def _column_tests(original: Table, control: Table, column: Column) -> Iterator[tuple[float, float]]:
    """Total variation distance and p of a chi-squared test; of numbers, those of ranks as well."""
    from scipy.special import chdtrc

    classes = _classes(original, control, column)
    here = np.bincount(classes[: len(original)], minlength=int(classes.max()) + 1)
    there = np.bincount(classes[len(original) :], minlength=len(here))
    distance = float(np.abs(here / here.sum() - there / there.sum()).sum() / 2)
    statistic, degrees = _chi_squared(here, there)
    if degrees:
        yield distance, float(chdtrc(degrees, statistic))
    if not (column.listed or column.identifying):
        yield distance, rank_test(original.numbers(column.name), control.numbers(column.name))


def rank_test(one: Floats, other: Floats) -> float:
    """How probable ranks that differ so much are by chance (Wilcoxon, Mann and Whitney).

    The sum of ranks is taken for normal, with a correction for ties. Missing values do not count.

    >>> round(rank_test(np.arange(20.0), np.arange(20.0) + 6), 3)
    0.006
    """
    from scipy.special import ndtr

    one, other = one[~np.isnan(one)], other[~np.isnan(other)]
    if not len(one) or not len(other):
        return 1.0
    ranks = average_ranks(np.concatenate([one, other]))
    variance = ranks.var() * len(one) * len(other) / max(1, len(ranks) - 1)
    if variance == 0:
        return 1.0
    distance = ranks[: len(one)].sum() - len(one) * ranks.mean()
    return float(2 * ndtr(-abs(distance) / np.sqrt(variance)))


def _classes(original: Table, control: Table, column: Column) -> Rows:
    """A class for each person: the category, or a quantile of the numbers; missing is one, too."""
    cells = np.concatenate([original.columns[column.name], control.columns[column.name]])
    if column.listed:
        return cells.astype(np.int64) + 1
    numbers = np.concatenate([original.numbers(column.name), control.numbers(column.name)])
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return np.zeros(len(numbers), np.int64)
    classes = np.searchsorted(bin_starts(known, _BINS), numbers, side="right")
    return np.where(np.isnan(numbers), 0, classes + 1)


def _chi_squared(here: Rows, there: Rows) -> tuple[float, int]:
    """The statistic for equal distributions, and its degrees of freedom."""
    total = here.sum() + there.sum()
    smaller = min(here.sum(), there.sum()) / total
    rare = (here + there) * smaller < _FEWEST
    table = np.array([here, there], float)
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    return float(((table - expected) ** 2 / expected).sum()), table.shape[1] - 1


# --- all columns together ---


def tell_apart(
    original: Table, control: Table, *, rng: np.random.Generator
) -> tuple[Reading, float]:
    """How well a classifier tells original and control that it did not learn from, and p.

    Least squares with a penalty learn from four of five folds and rank the people of the fifth. p
    is exact: the same is done with permuted labels.
    """
    if min(len(original), len(control)) < _FEWEST_PEOPLE:
        return Reading.missing("lower", "there are too few people for a classifier"), 1.0
    people = original.concat(control)
    chosen = rng.permutation(len(people))[:_MOST_PEOPLE]
    members = chosen < len(original)
    features = PropensityFeatures.of(people.take(chosen))[:]
    widest = np.argsort(-features.var(axis=0), kind="stable")[:_MOST_FEATURES]
    features = features[:, np.sort(widest)]
    if not features.shape[1] or members.all() or not members.any():
        return Reading.missing("lower", "all people are alike"), 1.0
    permuted = [rng.permutation(members) for _ in range(_PERMUTATIONS)]
    areas = _cross_fitted(features, np.stack([members, *permuted], axis=1))
    reach = normal_quantile(2) * float(areas[1:].std())
    value = float(areas[0])
    reading = Reading(
        value=value,
        low=max(0.0, value - reach),
        high=min(1.0, value + reach),
        n=len(chosen),
        better="lower",
        method="permuted labels",
    )
    return reading, float((areas >= areas[0]).mean())


def _cross_fitted(features: Singles, labels: Mask) -> Floats:
    """For each column of labels the area under the curve, as a mean over folds of people."""
    table = np.column_stack([np.ones(len(features)), features])
    penalty = np.diag(np.append(0.0, np.full(features.shape[1], _RIDGE)))
    marks = labels.astype(np.float64)
    areas: list[Array] = []
    for fold in range(_FOLDS):
        held_out = np.arange(len(table)) % _FOLDS == fold
        known, wanted = table[~held_out], marks[~held_out]
        weights = np.linalg.solve(known.T @ known + penalty, known.T @ wanted)
        areas.append(_areas(table[held_out] @ weights, labels[held_out]))
    return np.asarray(np.mean(areas, axis=0))


def _areas(scores: Floats, labels: Mask) -> Floats:
    """The area under the curve of each column; people are in random order, and so are ties."""
    ranks = scores.argsort(axis=0).argsort(axis=0) + 1.0
    inside = labels.sum(axis=0)
    pairs = np.maximum(inside * (len(labels) - inside), 1)
    wins = np.where(labels, ranks, 0).sum(axis=0) - inside * (inside + 1) / 2
    return np.asarray(wins / pairs)
