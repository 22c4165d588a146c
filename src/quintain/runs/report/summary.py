"""Summary: what a data officer should take away from a track."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from quintain.figures.matrix import Matrix, Worst, entry_name
from quintain.rankings import Entry


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
        readings = list(matrix.measured)
        worsts = matrix.worsts()
        ranked = [worst for worst in worsts if worst.entry.accepted] or worsts
        most, least = _all(max, ranked, matrix), _all(min, ranked, matrix)
        sizes = [reading.n for _, _, reading in readings]
        pairs = [(e, a) for e in matrix.entries for a in matrix.attackers if e.owner != a.id]
        return cls(
            most=most,
            least=least,
            apart=bool(ranked) and _apart(most[0], least[0], matrix),
            cells=len(pairs),
            attacked=sum(matrix.reading(e, a) is not None for e, a in pairs),
            measured=len(readings),
            lucky=sum(matrix.luck(entry, reading) for entry, _, reading in readings),
            safe=tuple(entry_name(e, matrix.names) for e in matrix.entries if _safe(e, matrix)),
            observations=(min(sizes), max(sizes)) if sizes else None,
        )


def _all(pick: Callable[..., float], worsts: list[Worst], matrix: Matrix) -> tuple[Worst, ...]:
    if not worsts:
        return ()
    extreme = pick(matrix.leak(worst.reading) for worst in worsts)
    return tuple(worst for worst in worsts if matrix.leak(worst.reading) == extreme)


def _apart(most: Worst, least: Worst, matrix: Matrix) -> bool:
    """Whether two intervals have no value in common."""
    one, other = most.reading, least.reading
    return one.low > other.high if matrix.better == "lower" else one.high < other.low


def _safe(entry: Entry, matrix: Matrix) -> bool:
    """Whether it was attacked, and every attack could be luck or was worse than luck."""
    readings = matrix.results.column(entry.id, matrix.name).values()
    return bool(readings) and all(matrix.luck(entry, reading) for reading in readings)
