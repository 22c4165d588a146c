"""Synthesizers and groups, made anew here so that no part of quintain makes the cases."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import norm, rankdata
from sklearn.cluster import MiniBatchKMeans
from sklearn.mixture import GaussianMixture
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.audit.blind_kinds.cells import (
    Cells,
    Rng,
    filled,
    is_number,
    jitter,
    keep,
    like,
    matrix,
    size,
)
from quintain.data.arrays import Array

QUANTILES = np.linspace(0, 1, 26)
"""The steps of a coarse quantile function."""


def cart(
    rng: Rng,
    table: Cells,
    rows: int,
    leaf: int,
    order: Sequence[str] | None = None,
    smooth: float = 0.0,
) -> Cells:
    """Sequential trees as synthpop grows them: each column is drawn from the donors of a leaf."""
    names = list(order or table)
    first = names[0]
    drawn: Cells = {first: [table[first][row] for row in rng.integers(0, size(table), rows)]}
    for place, name in enumerate(names[1:], 1):
        known, new = matrix(keep(table, names[:place]), drawn)
        goal = table[name]
        numeric = is_number(goal)
        grow = DecisionTreeRegressor if numeric else DecisionTreeClassifier
        tree = grow(min_samples_leaf=leaf, random_state=a_state(rng))
        tree.fit(known, filled(goal) if numeric else np.array([str(cell) for cell in goal]))
        donors: dict[int, list[int]] = {}
        for row, end in enumerate(tree.apply(known)):
            donors.setdefault(int(end), []).append(row)
        column = []
        for end in tree.apply(new):
            own = donors[int(end)]
            column.append(goal[own[int(rng.integers(len(own)))]])
        drawn[name] = column
    drawn = keep(drawn, table)
    return jitter(rng, drawn, smooth) if smooth else drawn


def copula(rng: Rng, table: Cells, rows: int, verbatim: bool) -> Cells:
    """A Gaussian copula; numbers are those that occur, or between them on a coarse grid."""
    people = size(table)
    scores: list[Array] = []
    ordered: dict[str, Sequence[Any] | Array] = {}
    for name, cells in table.items():
        if is_number(cells):
            numbers = np.array(cells, float)
            ordered[name] = np.sort(numbers)
        else:
            levels = sorted(set(cells))
            numbers = np.array([levels.index(cell) for cell in cells]) + rng.random(people)
            ordered[name] = sorted(cells)
        scores.append(norm.ppf(rankdata(numbers) / (people + 1)))
    related = np.corrcoef(np.array(scores))
    normal = rng.multivariate_normal(np.zeros(len(related)), related, rows, method="eigh")
    drawn = {}
    for (name, cells), share in zip(table.items(), norm.cdf(normal).T, strict=True):
        numeric = is_number(cells)
        if numeric and not verbatim:
            numbers = np.interp(share, QUANTILES, np.quantile(ordered[name], QUANTILES))
            drawn[name] = [like(cells[0], number) for number in numbers]
        else:
            places = np.minimum((share * people).astype(int), people - 1)
            values = [ordered[name][place] for place in places]
            drawn[name] = [like(cells[0], value) for value in values] if numeric else values
    return drawn


def mixture(rng: Rng, table: Cells, rows: int, parts: int, covariance: str) -> Cells:
    """A mixture of normal distributions; of more than 50 parts, each is a cluster of people."""
    known = np.array([table[name] for name in table], float).T
    middle, scale = known.mean(0), known.std(0)
    scaled = (known - middle) / scale
    if parts > 50:
        clusters = MiniBatchKMeans(parts, n_init=1, random_state=a_state(rng)).fit_predict(scaled)
        members = [scaled[clusters == part] for part in range(parts) if (clusters == part).any()]
        means = np.array([group.mean(0) for group in members])
        deviations = np.array([group.std(0) + 1e-3 for group in members])
        weights = np.array([len(group) for group in members], float)
        own = rng.choice(len(members), rows, p=weights / weights.sum())
        drawn = means[own] + deviations[own] * rng.normal(size=(rows, scaled.shape[1]))
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a careless vendor does not wait for convergence
            model = GaussianMixture(
                parts,
                covariance_type=covariance,
                max_iter=60,
                reg_covar=1e-4,
                random_state=a_state(rng),
            ).fit(scaled)
        drawn = model.sample(rows)[0]  # drawn with the random state above
        drawn = drawn[rng.permutation(rows)]
    drawn = drawn * scale + middle
    return {
        name: [round(float(number), 3) for number in drawn[:, place]]
        for place, name in enumerate(table)
    }


def a_state(rng: Rng) -> int:
    """A random seed for scikit-learn."""
    return int(rng.integers(1 << 31))


def groups_of(rng: Rng, points: Array, least: int) -> list[Array]:
    """Groups of at least so many near rows (a greedy MDAV)."""
    rest = list(rng.permutation(len(points)))
    groups = []
    while len(rest) >= 2 * least:
        rows = np.array(rest)
        distances = ((points[rows] - points[rows[0]]) ** 2).sum(1)
        group = rows[np.argsort(distances, kind="stable")[:least]]
        groups.append(group)
        members = set(group.tolist())
        rest = [row for row in rest if row not in members]
    groups.append(np.array(rest))
    return groups


def mode(cells: list[Any]) -> Any:
    """The most frequent cell, the first in order if several are."""
    return max(sorted(set(cells), key=str), key=cells.count)
