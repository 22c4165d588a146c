"""Tables as lists of cells by column, and the ways to change them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from quintain.data.arrays import Array

Cells = dict[str, list[Any]]
Rng = np.random.Generator


def size(table: Cells) -> int:
    """The number of rows."""
    return len(next(iter(table.values())))


def take(table: Cells, rows: Iterable[int]) -> Cells:
    """These rows, in this order."""
    places = [int(row) for row in rows]
    return {name: [cells[place] for place in places] for name, cells in table.items()}


def join(*tables: Cells) -> Cells:
    """The rows of all tables, with the columns of the first."""
    return {name: [cell for table in tables for cell in table[name]] for name in tables[0]}


def keep(table: Cells, names: Iterable[str]) -> Cells:
    """Only these columns."""
    return {name: list(table[name]) for name in names}


def without(table: Cells, *names: str) -> Cells:
    """All columns but these."""
    return {name: list(cells) for name, cells in table.items() if name not in names}


def shuffled(rng: Rng, table: Cells) -> Cells:
    """All rows in random order."""
    return take(table, rng.permutation(size(table)))


def some(rng: Rng, table: Cells, rows: int) -> Cells:
    """As many random rows, each once at most."""
    return take(table, rng.choice(size(table), rows, replace=False))


def split(table: Cells, *sizes: int) -> list[Cells]:
    """The first rows, the next ones, and so on."""
    ends = np.cumsum(sizes).tolist()
    assert ends[-1] <= size(table), (ends[-1], size(table))
    return [take(table, range(end - rows, end)) for rows, end in zip(sizes, ends, strict=True)]


def is_number(cells: Sequence[Any]) -> bool:
    """Whether all cells that are not missing are numbers, and there are some."""
    present = [cell for cell in cells if cell is not None]
    return bool(present) and all(isinstance(cell, int | float) for cell in present)


def numbers(table: Cells) -> list[str]:
    """The columns of numbers."""
    return [name for name, cells in table.items() if is_number(cells)]


def like(old: Any, number: float) -> Any:
    """The number in the type and precision of the cell that it replaces."""
    return round(float(number)) if isinstance(old, int) else round(float(number), 2)


def mapped(table: Cells, name: str, change: Callable[[Any], Any]) -> Cells:
    """The table with one column changed; missing cells stay missing."""
    return {**table, name: [None if cell is None else change(cell) for cell in table[name]]}


def deviation(cells: Sequence[Any]) -> float:
    """The standard deviation of a column of numbers; 1 if all are equal."""
    present = np.array([cell for cell in cells if cell is not None], float)
    return float(present.std()) or 1.0


def jitter(rng: Rng, table: Cells, share: float) -> Cells:
    """Numbers moved by normal noise of ``share`` standard deviations; other cells as they were."""
    moved = dict(table)
    for name in numbers(table):
        noise = rng.normal(0, deviation(table[name]) * share, size(table))
        moved[name] = [
            None if cell is None else like(cell, cell + by)
            for cell, by in zip(table[name], noise, strict=True)
        ]
    return moved


def blend_cells(rng: Rng, table: Cells, pool: Cells, share: float) -> Cells:
    """A share of the cells is replaced with the cells of random people of the pool."""
    blended = {}
    for name, cells in table.items():
        hit = rng.random(len(cells)) < share
        other = rng.integers(0, size(pool), len(cells))
        blended[name] = [
            pool[name][place] if replace else cell
            for cell, replace, place in zip(cells, hit, other, strict=True)
        ]
    return blended


def blank(rng: Rng, table: Cells, share: float) -> Cells:
    """A share of the cells is missing."""
    return {
        name: [
            None if hide else cell
            for cell, hide in zip(cells, rng.random(len(cells)) < share, strict=True)
        ]
        for name, cells in table.items()
    }


def matrix(*tables: Cells, onehot: bool = False) -> list[Array]:
    """The tables as numbers, coded and scaled together; words by order, or as 0 and 1."""
    columns = []
    for cells in join(*tables).values():
        if is_number(cells):
            known = filled(cells)
            columns.append((known / (known.std() or 1.0))[:, None])
        else:
            levels = {text: code for code, text in enumerate(sorted({str(cell) for cell in cells}))}
            codes = np.array([levels[str(cell)] for cell in cells])
            columns.append(np.eye(len(levels))[codes] if onehot else codes[:, None].astype(float))
    return np.split(np.hstack(columns), np.cumsum([size(table) for table in tables])[:-1])


def filled(cells: Sequence[Any]) -> Array:
    """A column of numbers with the median in place of missing cells."""
    known = np.array([np.nan if cell is None else cell for cell in cells], float)
    known[np.isnan(known)] = np.nanmedian(known)
    return known
