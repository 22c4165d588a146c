"""Random samples of Adult with all 15 columns; kinds that need them have names in ``adult_``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.audit.adult_people import FILES
from benchmarks.audit.blind_kinds.cells import Cells, Rng, mapped, size, split, take, without
from benchmarks.bench.machine import real_data
from quintain.data.sources.adult import FILE_COLUMNS
from quintain.data.sources.source import DATA_FOLDER

ADULT = tuple(name.replace("-", "_") for name in FILE_COLUMNS)
INTEGERS = {"age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"}


def needs_adult(name: str) -> bool:
    """Whether the kind of this name is made of people of Adult."""
    return name.startswith("adult_")


def has_adult() -> bool:
    """Whether the files of Adult are there."""
    return all(real_data(name) for name in FILES)


def adult(
    rng: Rng,
    *sizes: int,
    drop: Sequence[str] = (),
    where: Callable[[Mapping[str, Any]], bool] | None = None,
) -> list[Cells]:
    """Random samples that share nobody; a kind that calls this twice asks for distinct groups."""
    everybody = read()
    rows = np.arange(size(everybody))
    if where is not None:
        rows = np.array([i for i in rows if where({name: everybody[name][i] for name in ADULT})])
    sample = take(everybody, rng.choice(rows, sum(sizes), replace=False))
    return split(without(sample, *drop), *sizes)


def coarse(table: Cells) -> Cells:
    """The table with four columns of numbers rounded, and three of them top-coded."""
    table = mapped(table, "age", lambda cell: min(5 * round(cell / 5), 75))
    table = mapped(table, "hours_per_week", lambda cell: min(5 * round(cell / 5), 70))
    table = mapped(table, "fnlwgt", lambda cell: 2000 * round(cell / 2000))
    return mapped(table, "capital_gain", lambda cell: min(500 * round(cell / 500), 8000))


@cache
def read() -> Cells:
    """The 48,842 people of the UCI files."""
    rows = []
    for file in FILES:
        for line in (Path(os.environ[DATA_FOLDER]) / file).read_text().splitlines():
            texts = [text.strip().rstrip(".") for text in line.split(",")]
            if len(texts) == len(ADULT):
                rows.append(texts)
    return {
        name: [cell(row[place], name in INTEGERS) for row in rows]
        for place, name in enumerate(ADULT)
    }


def cell(text: str, integer: bool) -> str | int | None:
    """The value of a text of the file."""
    if text == "?":
        return None
    return int(text) if integer else text
