"""Halves: choose on one half of a pool what is then judged on the other half."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Mask, Rows


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
        values = [np.asarray(one, np.float64)[side] for one in scores]
        sides.append(tuple(one[~np.isnan(one)] for one in values))
    return Half(*sides)


@dataclass(frozen=True, slots=True)
class Rule:
    """An attack with a threshold: who scores at least so much counts as a member."""

    attack: int
    threshold: float


def above(scores: Floats, threshold: float) -> int:
    """How many scores reach a threshold."""
    return int((scores >= threshold).sum())


def curve(inside: Floats, outside: Floats) -> tuple[Floats, Rows, Rows]:
    """Every threshold that differs from the others, and how many of each side reach it."""
    thresholds = np.unique(np.concatenate([inside, outside]))[::-1]
    hits, false = (_reaching(np.sort(side), thresholds) for side in (inside, outside))
    return thresholds, hits, false


def _reaching(ascending: Floats, thresholds: Floats) -> Rows:
    """How many scores reach each threshold."""
    return (len(ascending) - np.searchsorted(ascending, thresholds)).astype(np.int64)
