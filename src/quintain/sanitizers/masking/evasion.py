"""Evasion: change every record until another person's record is nearer to the released one."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from quintain.data import Column, Table
from quintain.data.arrays import Array, Rows
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.masking.mask import Masking
from quintain.sanitizers.masking.shuffling import permutation


@register("evasion-v1")
class Evasion(Masking):
    """Swaps numbers between records that differ by a little, so that looking for people fails.

    Every record swaps its number with one that is ``least`` to ``most`` larger or smaller; who
    finds no partner is moved by ``least``. One-way counts stay, and so does nearly everything else
    that utility is measured by. In a dense population somebody else is then nearer to a published
    record than the person it is about, and who names the nearest names the wrong ones. It protects
    nobody from an attacker who expects it: all other values are still true. It is here to show
    that a release is not safe because one attack fails.

    Parameters
    ----------
    columns : the columns it is applied to, integers with bounds; all such if not given.
    least, most : how far partners are apart.

    References
    ----------
    AMIC (PWSCup 2020), final round: the sample attack found nobody in nine of 17 releases, in some
    of which others found nearly everybody (review of the contest, 2021).
    """

    method: ClassVar[str] = "swapping"
    need: ClassVar[str] = "an integer with bounds"

    least: Annotated[int, Field(ge=1)] = 2
    most: Annotated[int, Field(ge=1)] = 3

    @classmethod
    def examples(cls) -> list[Self]:
        """The usual, and the smallest."""
        return [cls(), cls(least=1, most=1)]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.least > self.most:
            raise ValueError(f"least {self.least} is above most {self.most}")
        return self

    def fits(self, column: Column) -> bool:
        """Integers with bounds."""
        return column.kind == "integer" and column.discrete

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Pair and swap; shift unmatched records."""
        return {name: self._moved(data.schema[name], data.columns[name], noise) for name in names}

    def _moved(self, column: Column, held: Array, noise: Noise) -> Array:
        first, second = self._pairs(column.size, held, noise)
        moved = held.copy()
        moved[first], moved[second] = held[second], held[first]
        alone = np.setdiff1d(np.flatnonzero(held >= 0), np.concatenate([first, second]))
        up = noise.bernoulli(0.5, len(alone)) & (held[alone] + self.least < column.size)
        up |= held[alone] < self.least
        step = min(self.least, column.size - 1)
        moved[alone] = np.clip(held[alone] + np.where(up, step, -step), 0, column.size - 1)
        return moved

    def _pairs(self, size: int, held: Array, noise: Noise) -> tuple[Rows, Rows]:
        """Partners, value by value: records left without one look among larger values."""
        order = permutation(len(held), noise)
        order = order[np.argsort(held[order], kind="stable")]
        ends = np.searchsorted(held[order], np.arange(size + 1))
        free = [order[ends[value] : ends[value + 1]] for value in range(size)]
        low, high = [order[:0]], [order[:0]]
        for value in range(size - self.least):
            gaps = self.least + permutation(self.most - self.least + 1, noise)
            for larger in value + gaps[value + gaps < size]:
                count = min(len(free[value]), len(free[larger]))
                low.append(free[value][:count])
                high.append(free[larger][:count])
                free[value], free[larger] = free[value][count:], free[larger][count:]
        return np.concatenate(low), np.concatenate(high)

    def detail(self) -> str:
        """Who swaps with whom."""
        return f"numbers swapped between records {self.least} to {self.most} apart"
