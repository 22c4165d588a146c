"""Colours: steps from "nothing leaked" to "most leaked", safe for colour-blind readers.

Orange shows a leak, blue shows an attack that was worse than chance. The style sheet has the
colours, for light and for dark pages, under the names of the steps: ``leak-0`` to ``leak-5``,
``under-1`` to ``under-5``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from quintain.data.arrays import Floats, Ints
from quintain.figures.axis import LARGEST, round_step
from quintain.figures.format import number
from quintain.figures.matrix import Matrix

STEPS = 5


@dataclass(frozen=True, slots=True)
class Colours:
    """A scale of colours for one matrix.

    Parameters
    ----------
    zero : the value of step 0: chance if it is known, else the smallest leak.
    reach : the distance from ``zero`` to the last step; negative if lower values leak more.
    under : how many steps there are on the other side of ``zero``.
    """

    zero: float
    reach: float
    under: int

    def step(self, value: float) -> int:
        """The colour step of a value, from -5 to 5."""
        share = (value - self.zero) / self.reach
        return round(max(-self.under, min(STEPS, share * STEPS)))

    def steps(self, values: Floats) -> Ints:
        """The steps of many values; NaN has none and must be left out."""
        with np.errstate(over="ignore"):  # beyond the last step there is no further one
            shares = (values - self.zero) / self.reach
            return np.rint(np.clip(shares * STEPS, -self.under, STEPS)).astype(np.int64)

    def css(self, value: float) -> str:
        """The name of a value's colour in the style sheet."""
        return css(self.step(value))

    def decimals(self) -> int:
        """How many decimals distinguish what the colours do, and a little more."""
        power = math.floor(math.log10(abs(self.reach)) + 1e-9)
        return max(0, 2 - power if power >= 0 else 1 - power)

    def legend(self) -> list[tuple[str, str]]:
        """The colour and value of every step, from the smallest leak to the largest."""
        steps = range(-self.under, STEPS + 1)
        values = [self.zero + self.reach * step / STEPS for step in steps]
        digits = self.decimals()
        while digits < self.decimals() + 2 and any(
            abs(round(v, digits) - v) > 1e-9 for v in values
        ):
            digits += 1
        return [(self.css(value), number(value, digits)) for value in values]


def css(step: int) -> str:
    """The name of a step's colour in the style sheet."""
    return f"leak-{step}" if step >= 0 else f"under-{-step}"


def colours_of(matrix: Matrix) -> Colours:
    """A scale that includes the ends of all intervals, so that a matrix of noise stays pale."""
    grid = matrix.grid
    values = grid.value[grid.measured]
    figures = np.concatenate([values, grid.low[grid.measured], grid.high[grid.measured]])
    drawn = figures[np.abs(figures) < LARGEST]
    ends = [float(drawn.min()), float(drawn.max())] if len(drawn) else []
    sign = 1.0 if matrix.better == "lower" else -1.0
    chance = matrix.chance.value
    if chance is not None:
        reach = max((abs(end - chance) for end in ends), default=1.0) or 1.0
        both = Colours(chance, sign * _rounded(reach), STEPS)
        return replace(both, under=max(0, -int(both.steps(values).min(initial=0))))
    least, most = (min(ends), max(ends)) if ends else (0.0, 1.0)
    reach = _rounded(most - least) if most > least else 1.0
    step = round_step(reach / 10)
    zero = math.floor(least / step) * step if sign > 0 else math.ceil(most / step) * step
    return Colours(zero, sign * reach, 0)


def _rounded(reach: float) -> float:
    """Round the reach up, so that the legend has short numbers."""
    step = round_step(reach / 10)
    return max(1, math.ceil(reach / step - 1e-9)) * step
