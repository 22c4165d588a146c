"""Counts: how often an attack says yes, in runs with a person and in runs without that person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats


@dataclass(frozen=True, slots=True)
class Counts:
    """The answers of an attack that was tuned on other runs.

    Parameters
    ----------
    hits : how many of the ``with_it`` runs with the person the attack calls so.
    false : how many of the ``without`` runs without the person the attack calls wrongly.

    >>> Counts.perfect(30, 40)
    Counts(hits=30, with_it=30, false=0, without=40)
    """

    hits: int
    with_it: int
    false: int
    without: int

    @classmethod
    def perfect(cls, with_it: int, without: int) -> Counts:
        """What an attack counts that is never wrong."""
        return cls(with_it, with_it, 0, without)

    @classmethod
    def above(cls, threshold: float, with_it: Floats, without: Floats) -> Counts:
        """What an attack counts that says yes to scores above a threshold."""
        hits = int(np.count_nonzero(with_it > threshold))
        false = int(np.count_nonzero(without > threshold))
        return cls(hits, len(with_it), false, len(without))

    @property
    def n(self) -> int:
        """How many runs were counted."""
        return self.with_it + self.without
