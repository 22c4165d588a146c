"""How close a stand-in comes to the real data: distances of marginals, and rows in common.

The folder is QUINTAIN_DATA, or ``shared/data`` beside the repository. TVD is the total variation
distance, half the sum of the differences of shares; integers are compared value by value.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from quintain.data import Table
from tests.data.sources.source_cases import rng

FOLDER = Path(os.environ["QUINTAIN_DATA"])
Figures = dict[tuple[str, ...], float]


def need(*names: str) -> None:
    missing = [name for name in names if not (FOLDER / name).is_file()]
    if missing:
        pytest.skip(f"{', '.join(missing)} not in {FOLDER}: set QUINTAIN_DATA to the real data")


def distances(one: Table, other: Table, ways: int) -> Figures:
    """TVD of every combination of ``ways`` attributes."""
    names = [column.name for column in one.schema.attributes]
    return {
        chosen: 0.5 * float(np.abs(_shares(one, chosen) - _shares(other, chosen)).sum())
        for chosen in itertools.combinations(names, ways)
    }


def _shares(table: Table, names: tuple[str, ...]) -> npt.NDArray[np.float64]:
    cell, cells = np.zeros(len(table), np.int64), 1
    for name in names:
        size = table.schema[name].size
        cell, cells = cell * size + table.columns[name], cells * size
    return np.bincount(cell, minlength=cells) / len(table)


def mean(figures: Figures) -> float:
    return float(np.mean(list(figures.values())))


def story(simulated: Figures, fresh: Figures) -> str:
    """The figures as words, with what a fresh sample of the real data would give."""
    worst = sorted(simulated, key=lambda pair: -simulated[pair])[:4]
    listed = ", ".join(f"{'x'.join(p)} {simulated[p]:.3f} (fresh {fresh[p]:.3f})" for p in worst)
    return f"mean {mean(simulated):.4f} (fresh sample {mean(fresh):.4f}); worst: {listed}"


def shared_rows(known: Table, *others: Table) -> list[float]:
    """For each other table the part of its rows that also occur in the known table."""
    names = [column.name for column in known.schema.attributes]
    stacked = known.select(names).concat(*(table.select(names) for table in others))
    keys = stacked.row_keys()
    ends = np.cumsum([len(known), *map(len, others)])
    seen = keys[: len(known)]
    return [float(np.isin(keys[a:b], seen).mean()) for a, b in itertools.pairwise(ends)]


def assert_close(real: Table, made: Table) -> None:
    """Single columns and pairs of the stand-in are distributed like those of the real people."""
    fresh = real.take(rng().integers(len(real), size=len(made)))
    single = distances(real, made, 1)
    assert mean(single) <= 0.02, story(single, distances(real, fresh, 1))
    pairs = distances(real, made, 2)
    words = story(pairs, distances(real, fresh, 2))
    assert mean(pairs) <= 0.06, words
    assert max(pairs.values()) <= 0.15, words
