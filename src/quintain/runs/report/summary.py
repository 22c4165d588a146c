"""Summary: what a data officer should take away from a track."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from quintain.data.arrays import Mask
from quintain.figures.matrix import Matrix, Worst, entry_name


@dataclass(frozen=True, slots=True)
class Summary:
    """The entries that leaked most and least, and how many attacks could be luck.

    Parameters
    ----------
    most, least : the entries that leaked most and least, several if they are equal; only accepted
        entries, if there are any.
    apart : whether the intervals of the two do not overlap.
    cells, attacked, measured, lucky : how many cells there could be, how many were attacked, how
        many have a value, and how many could be luck.
    safe : names of the entries on which no attack was better than luck.
    observations : the smallest and the largest number of observations behind a cell.
    """

    most: tuple[Worst, ...]
    least: tuple[Worst, ...]
    apart: bool
    cells: int
    attacked: int
    measured: int
    lucky: int
    safe: tuple[str, ...]
    observations: tuple[int, int] | None

    @classmethod
    def of(cls, matrix: Matrix) -> Self:
        """The summary of a matrix."""
        worsts = matrix.worsts()
        ranked = [worst for worst in worsts if worst.entry.accepted] or worsts
        most, least = _all(max, ranked, matrix), _all(min, ranked, matrix)
        grid, measured = matrix.grid, matrix.grid.measured
        sizes = grid.n[measured]
        others = _others(matrix)
        return cls(
            most=most,
            least=least,
            apart=bool(ranked) and _apart(most[0], least[0], matrix),
            cells=int(others.sum()),
            attacked=int((grid.attacked & others).sum()),
            measured=len(sizes),
            lucky=int(matrix.lucky.sum()),
            safe=tuple(
                entry_name(entry, matrix.names)
                for entry, attacked, lucky in zip(
                    matrix.entries, measured, matrix.lucky, strict=True
                )
                # It was attacked, and every attack could be luck or was worse than luck.
                if attacked.any() and lucky[attacked].all()
            ),
            observations=(int(sizes.min()), int(sizes.max())) if len(sizes) else None,
        )


def _others(matrix: Matrix) -> Mask:
    """The cells of attackers on entries of others."""
    owners = np.array([entry.owner for entry in matrix.entries], np.object_)
    attackers = np.array([attacker.id for attacker in matrix.attackers], np.object_)
    others: Mask = owners[:, None] != attackers[None, :]
    return others


def _all(pick: Callable[..., float], worsts: list[Worst], matrix: Matrix) -> tuple[Worst, ...]:
    if not worsts:
        return ()
    extreme = pick(matrix.leak(worst.reading) for worst in worsts)
    return tuple(worst for worst in worsts if matrix.leak(worst.reading) == extreme)


def _apart(most: Worst, least: Worst, matrix: Matrix) -> bool:
    """Whether two intervals have no value in common."""
    one, other = most.reading, least.reading
    return one.low > other.high if matrix.better == "lower" else one.high < other.low
