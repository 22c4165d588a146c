"""Simulated people with many columns of all kinds, so that anybody can repeat the measurement."""

from __future__ import annotations

import numpy as np

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Array

_FACTORS = 4


def wide_people(rows: int, columns: int, *, rng: np.random.Generator) -> Table:
    """People whose columns depend on a few hidden factors: words, numbers and dates, with gaps."""
    hidden = rng.normal(size=(rows, _FACTORS))
    made = [_column(place, hidden, rng) for place in range(columns)]
    schema = Schema(columns=tuple(column for column, _ in made))
    return Table(schema, {column.name: cells for column, cells in made})


def _column(place: int, hidden: Array, rng: np.random.Generator) -> tuple[Column, Array]:
    """One column: the kinds take turns."""
    name, kind = f"column {place}", place % 5
    weights = np.random.default_rng(place).normal(size=_FACTORS)
    signal = hidden @ weights / np.linalg.norm(weights) + rng.normal(size=len(hidden))
    if kind in (0, 1):
        size = 2 + 7 * (place % 5) + place // 2
        cells = np.clip(((signal + 3) / 6 * size).astype(np.int32), 0, size - 1)
        values = tuple(f"value {number}" for number in range(size))
        gaps = rng.random(len(hidden)) < 0.02 * kind
        column = Column(name=name, kind="category", values=values, nullable=bool(kind))
        return column, np.where(gaps, -1, cells)
    if kind == 2:
        cells = np.clip(np.round(50 + 18 * signal), 0, 120)
        return Column(name=name, kind="integer", low=0, high=120), cells
    if kind == 3:
        cells = np.round(np.exp(8 + signal / 2), 2)
        return Column(name=name, kind="real", low=0, high=1e7), np.clip(cells, 0, 1e7)
    days = np.clip(np.round(12_000 + 1_500 * signal), 0, 20_000).astype(np.int64)
    column = Column(name=name, kind="time", earliest="1970-01-01", latest="2030-01-01")
    return column, 86_400 * days
