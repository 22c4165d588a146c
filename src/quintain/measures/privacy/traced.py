"""Traced: how near does the attacker come to where people really were?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data.arrays import Floats, Rows
from quintain.data.trajectories import Sides
from quintain.guesses import Goal
from quintain.guesses.trace import TraceGoal, true_and_guessed_cells
from quintain.measures.intervals import normal_quantile
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@register("traced-v1")
class Traced(GuessMeasure):
    r"""How near the guessed places are to the true ones: 1 if right, 0 from a distance on.

    $$ traced = sum_i w_i max(0, 1 - d_i / reach) / sum_i w_i $$

    where $d_i$ is the distance between the middles of the true and the guessed cell of a point.
    ``cells_right`` is the share of points, weighted in the same way, whose cell is exactly right.
    Points without a true place do not count. The points of a person depend on each other, so the
    intervals come from the spread between people. Lower is better for people. What an attacker
    reaches who knows only the habits of people says how much of it comes from the release.

    Parameters
    ----------
    reach : the distance from which on a guess is worth nothing.
    sides : the sides of a cell, in the unit of ``reach``.
    sensitive : cells, numbered row by row from 0, whose points count ``weight`` times.
    weight : how many times these points count.

    References
    ----------
    Murakami et al., Designing a location trace anonymization contest, arXiv:2107.10407, and the
    evaluation program of PWS Cup 2019: a reach of 2 km, cells of 0.34125 x 0.346875 km, and regions
    with a hospital count ten times. Its safety is 1 minus this reading.

    Examples
    --------
    One point is right, the other is one cell away, which is half of the reach:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> points = {"target": [0, 0], "time": ["2024-03-06 06:00", "2024-03-06 10:30"], "y": [1, 1]}
    >>> case = case_of(q.part("trace"), points | {"x": [2, 2]}, points | {"x": [2, 3]})
    >>> q.measure("traced", case.guess, case.truth, reach=2)["traced"].value
    0.75
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (TraceGoal,)
    reads: ClassVar[Mapping[str, Direction]] = {"traced": "lower", "cells_right": "lower"}
    captions: ClassVar[Mapping[str, str]] = {
        "traced": "How near guessed places are to the true ones, from 0 to 1.",
        "cells_right": "Share of points whose cell is guessed exactly.",
    }

    reach: Annotated[float, Field(gt=0)] = 6.0
    sides: Sides = (1.0, 1.0)
    sensitive: tuple[Annotated[int, Field(ge=0)], ...] = ()
    weight: Annotated[float, Field(gt=0)] = 10.0

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Average over the points of all repetitions, with the spread between people."""
        near, right, weights = [], [], []
        for case in cases:
            grid, person, true, guessed = true_and_guessed_cells(case.truth, case.guess)
            weight = np.where(np.isin(true, self.sensitive), self.weight, 1.0)
            worth = np.maximum(0, 1 - grid.distances(true, guessed, self.sides) / self.reach)
            people = int(person.max(initial=-1)) + 1
            weights.append(_sums(person, weight, people))
            near.append(_sums(person, weight * worth, people))
            right.append(_sums(person, weight * (true == guessed), people))
        total = np.concatenate(weights)
        return {
            "traced": _ratio(np.concatenate(near), total),
            "cells_right": _ratio(np.concatenate(right), total),
        }


def _sums(person: Rows, values: Floats, people: int) -> Floats:
    return np.bincount(person, values, people).astype(np.float64)


def _ratio(parts: Floats, wholes: Floats) -> Reading:
    """The sum of parts over the sum of wholes, where each person has one part and one whole."""
    there = wholes > 0
    parts, wholes = parts[there], wholes[there]
    n = len(parts)
    if n == 0:
        return Reading.missing("lower", "nobody has a place")
    value = float(parts.sum() / wholes.sum())
    if n == 1:
        return Reading(value=value, low=0, high=1, n=1, better="lower", method="one person")
    residuals = (parts - value * wholes) / wholes.mean()
    reach = normal_quantile(6) * float(residuals.std(ddof=1)) / float(np.sqrt(n))
    return Reading(
        value=value,
        low=max(0.0, value - reach),
        high=min(1.0, value + reach),
        n=n,
        better="lower",
        method="normal interval over people",
    )
