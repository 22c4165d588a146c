"""Small pools for the tests of panels: people with a copying and an independent release."""

from __future__ import annotations

import numpy as np

from quintain.audits.pool import Pool
from quintain.data import Column, Schema, Table
from quintain.releases import Release

SCHEMA = Schema(
    columns=(
        Column(name="town", kind="category", values=tuple("abcdefghijkl")),
        Column(name="job", kind="category", values=tuple("uvwxyz")),
        Column(name="ill", kind="category", values=("no", "yes")),
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="wage", kind="real", low=0, high=1000),
    )
)


def people(rows: int, seed: int) -> Table:
    """People whose wage follows from their age, roughly."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 100, rows)
    wage = np.clip(age * 5 + rng.normal(0, 100, rows), 0, 1000)
    columns = {
        "town": rng.integers(12, size=rows),
        "job": rng.integers(6, size=rows),
        "ill": rng.integers(2, size=rows),
        "age": age,
        "wage": wage,
    }
    return Table(SCHEMA, columns)


def pool_and_release(share: float, *, rows: int = 400, seed: int = 0) -> tuple[Pool, Release]:
    """A pool of twice so many people, and a release that copies a share of the original."""
    original, control, other = (people(rows, 10 * seed + k) for k in range(3))
    copied = round(share * rows)
    released = original.take(np.arange(copied)).concat(other.take(np.arange(copied, rows)))
    pool = Pool.of(original, control, rng=np.random.default_rng(seed))
    return pool, Release(released)


def relabelled(pool: Pool, seed: int = 5) -> Pool:
    """The same people, of whom others are said to be members."""
    members = np.random.default_rng(seed).permutation(pool.members)
    return Pool(pool.records, members, pool.rows)
