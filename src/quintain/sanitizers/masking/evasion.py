"""Evasion: move every record a little, so that the nearest person is another one."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from quintain.data import Column, Table
from quintain.data.arrays import Array, Rows
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.masking.mask import Masking
from quintain.sanitizers.shuffling import permutation


@register("evasion-v1")
class Evasion(Masking):
    """Swaps numbers between records that differ a little, which misleads nearest-record attacks.

    Every record swaps its number with a record whose number is ``least`` to ``most`` larger or
    smaller. A record without a partner moves by ``least``. One-way counts and most other
    statistics that measure utility hardly change. In a dense population the person nearest to a
    published record is then somebody else, so an attack that names the nearest person is wrong.
    An attacker who expects the swaps is not misled: all other values are true. This sanitizer
    shows that a failed attack does not make a release safe.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> people = q.Table.of(q.Schema(columns=(age,)), {"age": [21, 34, 35, 36, 90]})
    >>> release = q.sanitize("evasion", people, seed=1)
    >>> [record["age"] for record in release.data.records()]
    [19, 33, 34, 36, 92]

    Parameters
    ----------
    columns : the columns to change, integers with bounds; all such columns if not given.
    least, most : the smallest and the largest difference between partners.

    References
    ----------
    AMIC (PWSCup 2020), final round: the sample attack identified nobody in nine of 17 releases. In
    some of these releases other attacks identified nearly everybody (review of the contest, 2021).
    """

    method: ClassVar[str] = "swapping"
    need: ClassVar[str] = "an integer with bounds"

    least: Annotated[int, Field(ge=1)] = 2
    most: Annotated[int, Field(ge=1)] = 3

    @classmethod
    def examples(cls) -> list[Self]:
        """Examples for the test battery: the defaults, and the smallest possible swaps."""
        return [cls(), cls(least=1, most=1)]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.least > self.most:
            raise ValueError(f"least {self.least} is above most {self.most}")
        return self

    def fits(self, column: Column) -> bool:
        """Whether the column has integers with bounds, so that partners can be counted."""
        return column.whole and column.discrete

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Swap the numbers of partners and shift records without a partner."""
        return {name: self._move(data.schema[name], data.columns[name], noise) for name in names}

    def _move(self, column: Column, codes: Array, noise: Noise) -> Array:
        first, second = self._pairs(column.size, codes, noise)
        moved = codes.copy()
        moved[first], moved[second] = codes[second], codes[first]
        alone = np.setdiff1d(np.flatnonzero(codes >= 0), np.concatenate([first, second]))
        up = noise.bernoulli(0.5, len(alone)) & (codes[alone] + self.least < column.size)
        up |= codes[alone] < self.least
        step = min(self.least, column.size - 1)
        moved[alone] = np.clip(codes[alone] + np.where(up, step, -step), 0, column.size - 1)
        return moved

    def _pairs(self, size: int, codes: Array, noise: Noise) -> tuple[Rows, Rows]:
        """Pair records value by value: a record without a partner looks among larger values."""
        order = permutation(len(codes), noise)
        order = order[np.argsort(codes[order], kind="stable")]
        ends = np.searchsorted(codes[order], np.arange(size + 1))
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
        """The distance between partners in words."""
        return f"swapped between records whose numbers differ by {self.least} to {self.most}"
