"""Small tables for audits: people of one population, and releases of which the truth is known."""

import numpy as np

from quintain.data import Column, Schema, Table

SCHEMA = Schema(
    columns=(
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="town", kind="category", values=tuple("abcdefghij")),
        Column(name="income", kind="real", low=0, high=1e6),
        Column(name="sex", kind="category", values=("f", "m")),
        Column(name="ill", kind="category", values=("no", "yes"), nullable=True),
    )
)


def people(count, seed=0):
    """People whose columns depend on each other."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, count)
    return Table(
        SCHEMA,
        {
            "age": age,
            "town": (age // 12 + rng.integers(0, 3, count)) % 10,
            "income": np.round(rng.gamma(2, 9000, count) + 100 * age, 2),
            "sex": rng.integers(0, 2, count),
            "ill": np.where(rng.random(count) < 0.1, -1, rng.random(count) < age / 120),
        },
    )


def three(count=300, seed=0):
    """Original, strangers and control."""
    table = people(3 * count, seed)
    return tuple(table.take(range(i * count, (i + 1) * count)) for i in range(3))


def written(tmp_path, **tables):
    """The tables as CSV files."""
    paths = {}
    for name, table in tables.items():
        paths[name] = tmp_path / f"{name}.csv"
        table.to_csv(paths[name])
    return paths
