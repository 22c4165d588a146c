"""Halves of a pool: one half chooses an attack and a threshold, the other half judges them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Mask, Rows

SPLITS = 15
"""How often a pool is split, so that nothing depends on the luck of one split."""


@dataclass(frozen=True, slots=True, eq=False)
class Half:
    """The scores of one half of the pool, attack by attack.

    Parameters
    ----------
    inside, outside : for each attack the scores of the members and of the others; attacks score
        as many of them as they were asked about.
    """

    inside: tuple[Floats, ...]
    outside: tuple[Floats, ...]

    def has(self, attack: int) -> bool:
        """Whether an attack scored somebody on both sides."""
        return bool(len(self.inside[attack]) and len(self.outside[attack]))


def halves(
    scores: Sequence[Floats], members: Mask, *, rng: np.random.Generator
) -> tuple[Mask, tuple[Half, Half]]:
    """Split members and others at random into two halves; also tells who is in the first."""
    first = np.zeros(len(members), np.bool_)
    for rows in (np.flatnonzero(members), np.flatnonzero(~members)):
        first[rng.permutation(rows)[: len(rows) // 2]] = True
    return first, (_half(scores, members, first), _half(scores, members, ~first))


def _half(scores: Sequence[Floats], members: Mask, part: Mask) -> Half:
    """The scores of the records in one part; records without a score are left out."""
    sides = []
    for side in (part & members, part & ~members):
        rows = np.flatnonzero(side)
        sides.append(
            tuple(_drop_missing(np.asarray(attack, np.float64)[rows]) for attack in scores)
        )
    return Half(*sides)


def _drop_missing(values: Floats) -> Floats:
    """The values that are not missing."""
    missing = np.isnan(values)
    return values[~missing] if missing.any() else values


@dataclass(frozen=True, slots=True)
class HalvesRule:
    """An attack with a threshold: who scores at least so much counts as a member."""

    attack: int
    threshold: float


def to_places(scores: Sequence[Floats]) -> list[Floats]:
    """Replace each score by its place among the different values of its attack; NaN stays.

    Only the order matters for what is chosen here, and small whole numbers are counted quickly.

    >>> to_places([np.array([0.5, -3.0, np.nan, 0.5])])[0].tolist()
    [1.0, 0.0, nan, 1.0]
    """
    places = []
    for attack in scores:
        values = np.asarray(attack, np.float64)
        scored = ~np.isnan(values)
        place = np.full(len(values), np.nan)
        place[scored] = np.unique(values[scored], return_inverse=True)[1]
        places.append(place)
    return places


def above(scores: Floats, threshold: float) -> int:
    """How many scores reach a threshold."""
    return int((scores >= threshold).sum())


def curve(inside: Floats, outside: Floats) -> tuple[Floats, Rows, Rows]:
    """Every place in the order that occurs, the highest first, and how many of each side reach it.

    Scores must be places in the order, as ``to_places`` gives them.
    """
    size = int(max(inside.max(initial=0), outside.max(initial=0))) + 1
    counts = [
        np.bincount(side.astype(np.int64), minlength=size)[::-1] for side in (inside, outside)
    ]
    used = np.flatnonzero(counts[0] + counts[1])
    hits, false = (np.cumsum(count)[used] for count in counts)
    return (size - 1 - used).astype(np.float64), hits, false
