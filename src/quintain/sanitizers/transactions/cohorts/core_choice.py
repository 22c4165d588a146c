"""Core choice: the purchases that decide which items look as if they are bought together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Mask, Rows
from quintain.kernels.purchases import Purchases

ROUNDS = 12
"""How often the choice is repeated with the influence of the purchases chosen before."""

EMPHASIS = np.array([[1.0], [1.2]])
"""The importance of similarities by all quantities and by small ones; the second suffer more."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """All pairs of a person and an item that the person bought.

    Parameters
    ----------
    of_row : for each row the number of its pair.
    person : for each pair the position of its person among the persons.
    people : how many persons there are.
    weights : one line for all quantities and one for small ones: the quantity of each pair, divided
        by the length of the vector of all buyers' quantities of the item.
    """

    of_row: Rows
    person: Rows
    people: int
    weights: Floats

    @classmethod
    def of(cls, rows: Purchases, small: int) -> Pairs:
        """Pair persons and items; quantities are small if a person bought fewer than ``small``."""
        people = max(len(rows.persons), 1)
        key = rows.item.astype(np.int64) * people + rows.person
        known, pair = np.unique(key, return_inverse=True)
        total = np.bincount(pair, rows.quantity, len(known)).astype(np.float64)
        item = known // people
        kinds: tuple[Floats, ...] = (total, np.where(total < small, total, 0.0))
        return cls(pair, known % people, people, np.stack([_weights(item, q) for q in kinds]))

    def influence(self, chosen: Mask) -> Floats:
        """For all and for small quantities, the summed weights of every person's chosen pairs."""
        sums = (np.bincount(self.person[chosen], w[chosen], self.people) for w in self.weights)
        return np.stack(list(sums))


def _weights(item: Rows, quantity: Floats) -> Floats:
    length = np.sqrt(np.bincount(item, weights=quantity**2))
    return quantity / np.maximum(length[item], np.finfo(float).tiny)


def choose_core(pairs: Pairs, most: int, most_people: int) -> tuple[Mask, Floats]:
    """Choose at most so many pairs of at most so many people, and give the worth of every pair.

    A person whose chosen weights sum to S adds S squared to the sum of all similarities, so a
    further pair of weight w adds about 2 w S. The choice starts with everything, shrinks in steps,
    and is made again at each step with what every person still has.
    """
    chosen = np.ones(len(pairs.person), bool)
    everything = (pairs.influence(chosen) ** 2).sum(axis=1, keepdims=True)
    scale = EMPHASIS / np.maximum(everything, np.finfo(float).tiny)
    for left in range(ROUNDS - 1, -1, -1):
        sums = pairs.influence(chosen)
        worth = (pairs.weights * (scale * sums)[:, pairs.person]).sum(axis=0)
        extra = left / (2 * ROUNDS)
        heaviest = _largest(
            (scale * sums**2).sum(axis=0), most_people + int(extra * (pairs.people - most_people))
        )
        allowed = np.where(heaviest[pairs.person], worth, 0.0)
        chosen = _largest(allowed, most + int(extra * max(len(chosen) - most, 0)))
    return chosen, worth


def _largest(values: Floats, count: int) -> Mask:
    """Mark the largest values, at most so many and none that is zero."""
    marked = np.zeros(len(values), bool)
    marked[np.argsort(-values, kind="stable")[:count]] = True
    return marked & (values > 0)
