"""Reading list: the readings of several cells of the matrix as numbers of a formula."""

from __future__ import annotations

from functools import lru_cache
from math import isinf, isnan

import numpy as np

from quintain.data.arrays import Floats, Ints
from quintain.measures.reading import LEVEL
from quintain.rankings.formulas.quantity import (
    UNLIMITED,
    Item,
    Missing,
    Quantity,
    exact_figures,
)
from quintain.rankings.formulas.vector import Figures, Vector
from quintain.rankings.reading_table import ReadingGrid


def reading_list(
    name: str,
    grid: ReadingGrid,
    places: tuple[Ints, Ints],
    labels: tuple[str, ...],
    own: tuple[str, ...],
    *,
    instead: float | None = None,
) -> Vector:
    """The readings in some cells of a grid.

    Parameters
    ----------
    places : the rows and columns of the cells.
    instead : the value of a cell without a reading; None if it is an attack that does not count.
    """
    value, low, high = (array[places] for array in (grid.value, grid.low, grid.high))
    n, attacked = grid.n[places], grid.attacked[places]
    if instead is not None:
        absent = np.isnan(value)
        value, low, high = (np.where(absent, instead, array) for array in (value, low, high))
        n = np.where(absent, UNLIMITED, n)

    def items() -> tuple[Item, ...]:
        columns = (array.tolist() for array in (value, low, high, n, attacked))
        return tuple(_item(name, *cell) for cell in zip(*columns, strict=True))

    return Vector(items, labels, own, _figures(value, low, high, n))


@lru_cache(maxsize=1 << 16)
def _item(name: str, value: float, low: float, high: float, n: int, attacked: bool) -> Item:
    """One cell; equal cells, of which a contest has many, are one object and computed once."""
    if isnan(value):
        reason = f"{name} was not measured" if attacked else "not attacked"
        return Missing(reason, absent=True)
    if isinf(value):
        return Missing(f"{name} is infinite")
    return Quantity(*exact_figures(value, low, high), n, LEVEL)


def _figures(value: Floats, low: Floats, high: Floats, n: Ints) -> Figures | None:
    """The measured figures, if there are any and all of them are numbers."""
    measured = ~np.isnan(value)
    value, low, high = value[measured], low[measured], high[measured]
    if not len(value) or np.isinf(value).any() or np.isnan(low).any() or np.isnan(high).any():
        return None
    return Figures(value.tolist(), low.tolist(), high.tolist(), int(n[measured].min()))
