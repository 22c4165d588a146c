"""Adult with 12 columns: an original, a control and further people of the same population."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.bench.machine import real_data
from quintain.data import Column, Schema, Table
from quintain.data.codec import parse_texts
from quintain.data.sources.adult import FILE_COLUMNS, Adult
from quintain.data.sources.source import DATA_FOLDER

FILES = ("adult.data", "adult.test")
BOUNDS = {
    "age": (17, 90),
    "capital-gain": (0, 99_999),
    "capital-loss": (0, 4_356),
    "hours-per-week": (1, 99),
}
EDGES = {
    "capital-gain": (1, 3_000, 5_000, 7_500, 10_000, 20_000),
    "capital-loss": (1, 1_500, 1_750, 2_000, 2_500),
}
"""Public bins for synthesizers: most people have neither gain nor loss."""
CATEGORIES = (
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "income",
)


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Three samples of one population that share nobody."""

    original: Table
    control: Table
    others: Table


def population() -> Table:
    """The 48,842 people of the UCI files, or as many of the stand-in, which has nine columns."""
    if not real_data(*FILES):
        return Adult(rows=48_842).data(np.random.default_rng(0))
    rows = []
    for name in FILES:
        lines = (Path(os.environ[DATA_FOLDER]) / name).read_text().splitlines()
        cells = [[cell.strip() for cell in row] for row in csv.reader(lines)]
        rows += [row for row in cells if len(row) == len(FILE_COLUMNS)]
    texts = dict(zip(FILE_COLUMNS, zip(*rows, strict=True), strict=True))
    columns = {n: _number(n, texts[n]) for n in BOUNDS}
    columns |= {n: _category(n, texts[n]) for n in CATEGORIES}
    schema = Schema(columns=tuple(column for column, _ in columns.values()))
    return Table(schema, {name: values for name, (_, values) in columns.items()})


def people(everybody: Table, rows: int, *, rng: np.random.Generator) -> People:
    """Deal the population: ``rows`` people each for the original and the control."""
    order = rng.permutation(len(everybody))
    parts = np.split(order, [rows, 2 * rows])
    return People(*(everybody.take(part) for part in parts))


def _number(name: str, texts: tuple[str, ...]) -> tuple[Column, np.ndarray]:
    low, high = BOUNDS[name]
    column = Column(name=name, kind="integer", low=low, high=high, edges=EDGES.get(name))
    return column, parse_texts(column, list(texts))[0]


def _category(name: str, texts: tuple[str, ...]) -> tuple[Column, np.ndarray]:
    plain = [text.removesuffix(".") for text in texts]
    column = Column(name=name, kind="category", values=tuple(sorted(set(plain))))
    return column, parse_texts(column, plain)[0]
