"""Targets and background: some chosen persons or households, each in or out, among many others."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Series
from quintain.data.arrays import Rows
from quintain.errors import PartError
from quintain.registry import register
from quintain.samples.sample import Design, Sample, private_part


@register("targets-v1")
class Targets(Design):
    """Targets are put in by a coin each, and hidden among background records.

    Parameters
    ----------
    targets : how many targets there are.
    everybody : make a target of everybody who may be one instead.
    unit : the role of the id column that groups records into targets ("household"); without it,
        every record is a target of its own.
    min_unit_size : the smallest number of records a target may have.
    members : "coins" tosses an independent fair coin for each target, which lets a single
        release support a valid bound on epsilon; "half" puts exactly half of them in.
    background : how many further records are drawn one by one from everybody else.
    fill_to : instead, draw as many as make this number together with all targets, members or not
        (SNAKE 1 as it was run).
    """

    targets: Annotated[int, Field(ge=2)] = 100
    everybody: bool = False
    unit: str | None = None
    min_unit_size: Annotated[int, Field(ge=1)] = 1
    members: Literal["coins", "half"] = "coins"
    background: Annotated[int, Field(ge=0)] = 1000
    fill_to: Annotated[int, Field(ge=0)] | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """Small enough for the battery's table."""
        return [cls(targets=20, background=50), cls(targets=10, members="half", background=0)]

    @property
    def balanced(self) -> bool:
        """Where exactly half of the targets are put in."""
        return self.members == "half"

    def draw(self, population: Data, *, rng: np.random.Generator) -> Sample:
        """Choose targets, toss their coins, fill up with background."""
        units = self._units(population)
        sizes = np.bincount(units)
        eligible = np.flatnonzero(sizes >= self.min_unit_size)
        wanted = len(eligible) if self.everybody else self.targets
        if len(eligible) < max(wanted, 2):
            raise PartError(
                f"only {len(eligible)} targets of {self.min_unit_size} or more records are there; "
                f"the sample design asks for {max(wanted, 2)}"
            )
        chosen = rng.choice(eligible, wanted, replace=False)
        position = np.full(len(sizes), -1)
        position[chosen] = np.arange(wanted)
        target_of_row = position[units]
        rows = np.flatnonzero(target_of_row >= 0)
        rows = rows[np.argsort(target_of_row[rows], kind="stable")]
        members = self._members(wanted, rng)
        inside = rows[members[target_of_row[rows]]]
        others = np.flatnonzero(target_of_row < 0)
        more = self.background if self.fill_to is None else self.fill_to - len(rows)
        if not 0 <= more <= len(others):
            raise PartError(f"{more} background records are wanted; {len(others)} are not targets")
        filler = rng.choice(others, more, replace=False)
        private = rng.permutation(np.concatenate([inside, filler]))
        return Sample(
            population, private_part(population, private), rows, target_of_row[rows], members
        )

    def _units(self, population: Data) -> Rows:
        if self.unit is None:
            return np.arange(len(population))
        column = population.schema.role(self.unit)
        if column is None or isinstance(population, Series):
            raise PartError(f"no column of the data has the role {self.unit!r}")
        _, units = np.unique(population.columns[column.name], return_inverse=True)
        return units.astype(np.int64)

    def _members(
        self, count: int, rng: np.random.Generator
    ) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        if self.balanced:
            return rng.permutation(np.arange(count) < count // 2)
        return rng.integers(2, size=count).astype(bool)
