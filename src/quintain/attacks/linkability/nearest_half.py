"""Nearest half: follow the nearest released record from one half to the other."""

from __future__ import annotations

from collections.abc import Callable

from quintain.data import Table
from quintain.data.arrays import Rows
from quintain.guesses import LinkabilityQuestion
from quintain.kernels.neighbours import Distance, nearest


def nearest_halves(
    question: LinkabilityQuestion, released: Table, metric: Callable[[Table], Distance]
) -> Rows:
    """Find the right half nearest to the released record that is nearest to each left half."""
    left, right = question.left_halves(), question.right_halves()
    _, rows = nearest(left, released.select(question.left), metric(left))
    other_halves = released.select(question.right).take(rows)
    return nearest(other_halves, right, metric(right))[1]
