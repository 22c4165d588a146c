"""Releases of which everybody knows whether they are safe: copies, overfitting, strangers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from benchmarks.audit.adult_people import People
from quintain.data import Table, as_table
from quintain.data.arrays import Array, Rows
from quintain.kernels.neighbours import Distance, k_nearest
from quintain.randomness.noise import Noise
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.privbayes import PrivBayes

Generator = Callable[[People, np.random.Generator], Table]

BANDWIDTH = 0.02
"""Of the kernels: a share of the standard deviation, and how often a category changes."""


def strangers(people: People, rng: np.random.Generator) -> Table:
    """As many other people: nothing depends on the original."""
    return people.others.take(_some(people.others, len(people.original), rng))


def copies(share: float, people: People, rng: np.random.Generator) -> Table:
    """Strangers, but a share of the records is copied from the original."""
    copied = round(share * len(people.original))
    rest = strangers(people, rng).take(np.arange(len(people.original) - copied))
    return _joined(people.original.take(_some(people.original, copied, rng)), rest)


def kernel_density(people: People, rng: np.random.Generator) -> Table:
    """A kernel density estimate whose bandwidth is far too small."""
    original = people.original
    base = original.take(rng.integers(len(original), size=len(original)))
    columns = {}
    for column in base.schema.columns:
        values = base.columns[column.name]
        if column.kind == "category":
            drawn = rng.permutation(values)
            columns[column.name] = np.where(rng.random(len(values)) < BANDWIDTH, drawn, values)
        else:
            width = BANDWIDTH * original.columns[column.name].std()
            columns[column.name] = _noisy(column.size, values, width, rng)
    return Table(base.schema, columns)


def smote(people: People, rng: np.random.Generator) -> Table:
    """Each record lies between an original record and one of its five nearest neighbours."""
    original = people.original
    _, near = k_nearest(original, original, 6, Distance("gower"))
    first = rng.integers(len(original), size=len(original))
    second = near[first, rng.integers(1, 6, size=len(first))]
    mix = rng.random(len(first))
    columns = {}
    for column in original.schema.columns:
        one, other = (original.columns[column.name][rows] for rows in (first, second))
        between = np.rint(one + mix * (other - one)).astype(one.dtype)
        kept = np.where(mix < 0.5, one, other)
        columns[column.name] = kept if column.kind == "category" else between
    return Table(original.schema, columns)


def private(sanitizer: Sanitizer, people: People, rng: np.random.Generator) -> Table:
    """The release of a sanitizer with differential privacy."""
    noise = Noise.for_test(int(rng.integers(1 << 32)))
    return as_table(sanitize(sanitizer, people.original, rng=rng, noise=noise).release.data)


GENERATORS: Mapping[str, Generator] = {
    "strangers": strangers,
    "copies 30 %": partial(copies, 0.3),
    "copies 3 %": partial(copies, 0.03),
    "kernel density": kernel_density,
    "SMOTE": smote,
    "MST 1": partial(private, Mst(epsilon=1)),
    "MST 10": partial(private, Mst(epsilon=10)),
    "PrivBayes 1": partial(private, PrivBayes(epsilon=1)),
    "PrivBayes 10": partial(private, PrivBayes(epsilon=10)),
}


def _some(table: Table, count: int, rng: np.random.Generator) -> Rows:
    return np.sort(rng.choice(len(table), count, replace=False))


def _joined(one: Table, other: Table) -> Table:
    both = {n: np.concatenate([one.columns[n], other.columns[n]]) for n in one.schema.names}
    return Table(one.schema, both)


def _noisy(size: int, values: Array, width: float, rng: np.random.Generator) -> Array:
    moved = np.rint(values + rng.normal(0, width, len(values))).astype(values.dtype)
    return np.where(values == 0, values, moved.clip(0, size - 1))
