"""Cells found: how many of the hidden values does an attacker guess right?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from quintain.guesses import Goal
from quintain.guesses.hidden_columns import HiddenColumns, cells_right
from quintain.measures.intervals import bounded_mean
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction
from quintain.registry import register


@register("cells-found-v1")
class CellsFound(GuessMeasure):
    """The share of hidden values that an attacker guesses right, over all people and columns.

    The values of one person depend on each other, so the interval counts people and not values.
    A right guess is not always a leak: chance and correlation give some. Lower is better for
    people. Repetitions are pooled.

    References
    ----------
    PWS Cup 2023, value of an attack. Hoeffding, Probability inequalities for sums of bounded random
    variables, JASA 58 (1963), for the interval.

    Examples
    --------
    Three of four values are right:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> case = case_of(
    ...     q.part("hidden-columns", columns=["colour", "flag"]),
    ...     {"target": "ab", "colour": ["red", "blue"], "flag": ["yes", "no"]},
    ...     {"target": "ab", "colour": ["red", "blue"], "flag": ["yes", "yes"]},
    ... )
    >>> print(q.measure("cells-found", case.guess, case.truth)["cells_found"])
    0.75 [0, 1]
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (HiddenColumns,)
    reads: ClassVar[Mapping[str, Direction]] = {"cells_found": "lower"}

    def in_people(self, value: float) -> str:
        """How many of a hundred hidden values are guessed right."""
        return f"Of 100 hidden values, the attacker guesses {round(100 * value)} right."

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Average the share of right values over all people."""
        shares = [
            cells_right(case.truth, case.guess) / (len(case.truth.table.schema.names) - 1)
            for case in cases
        ]
        return {"cells_found": bounded_mean(np.concatenate(shares), "lower")}
