"""Targets and background: chosen persons or households, members or not, among many others."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, shape_of
from quintain.data.arrays import Rows
from quintain.errors import PartError
from quintain.registry import register
from quintain.samples.sample import Design, Sample, private_part


@register("targets-v1")
class Targets(Design):
    """Chooses targets, makes about half of them members, and adds background records.

    >>> import numpy as np
    >>> from quintain.samples import Targets
    >>> from quintain.testing.examples import example_table
    >>> design = Targets(targets=4, members="half", background=10)
    >>> sample = design.draw(example_table(rows=50), rng=np.random.default_rng(1))
    >>> sample.private, sample.members.tolist()
    (<Table 12 rows: colour, size, flag>, [False, True, True, False])

    Parameters
    ----------
    targets : how many targets there are.
    everybody : make every eligible person or household a target, whatever ``targets`` says.
    unit : the role of the id column that groups records into targets ("household"); without it,
        every record is a target.
    min_unit_size : the smallest number of records of a target.
    members : "coins" tosses an independent fair coin for each target, so that a single release
        supports a valid bound on epsilon; "half" makes exactly half of the targets members.
    background : how many records are drawn, one by one, from everybody who is not a target.
    fill_to : replaces ``background``: the number of background records is this number minus the
        records of all targets, members or not (as in the SNAKE 1 contest).
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
        """Designs that are small enough for the example table."""
        return [cls(targets=20, background=50), cls(targets=10, members="half", background=0)]

    @property
    def balanced(self) -> bool:
        """True for ``members = "half"``."""
        return self.members == "half"

    @property
    def target_count(self) -> int | None:
        """``targets``, unless everybody is one."""
        return None if self.everybody else self.targets

    def draw(self, population: Data, *, rng: np.random.Generator) -> Sample:
        """Choose targets, decide which are members, and add background records."""
        units = self._units(population)
        sizes = np.bincount(units)
        eligible = np.flatnonzero(sizes >= self.min_unit_size)
        wanted = len(eligible) if self.everybody else self.targets
        if len(eligible) < max(wanted, 2):
            raise PartError(
                f"the data have {len(eligible)} possible targets of {self.min_unit_size} or more "
                f"records; the sample design needs {max(wanted, 2)}"
            )
        chosen = rng.choice(eligible, wanted, replace=False)
        position = np.full(len(sizes), -1)
        position[chosen] = np.arange(wanted)
        target_of_row = position[units]
        rows = np.flatnonzero(target_of_row >= 0)
        rows = rows[np.argsort(target_of_row[rows], kind="stable")]
        members = self._members(wanted, rng)
        member_rows = rows[members[target_of_row[rows]]]
        others = np.flatnonzero(target_of_row < 0)
        count = self.background if self.fill_to is None else self.fill_to - len(rows)
        if count < 0:
            raise PartError(
                f"fill_to is {self.fill_to}; the targets alone have {len(rows)} records"
            )
        if count > len(others):
            raise PartError(
                f"the sample design needs {count} background records; available: {len(others)} "
                "records that belong to no target"
            )
        background = rng.choice(others, count, replace=False)
        private = rng.permutation(np.concatenate([member_rows, background]))
        return Sample(
            population,
            private_part(population, private),
            rows,
            target_of_row[rows],
            members,
            private,
        )

    def _units(self, population: Data) -> Rows:
        if self.unit is None:
            return np.arange(len(population))
        units = shape_of(population).units(population, self.unit)
        if units is None:
            raise PartError(
                f"no column of the data has the role {self.unit!r}, the unit of the sample design"
            )
        return units

    def _members(
        self, count: int, rng: np.random.Generator
    ) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        if self.balanced:
            return rng.permutation(np.arange(count) < count // 2)
        return rng.integers(2, size=count).astype(bool)
