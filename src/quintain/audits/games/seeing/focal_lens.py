"""Focal lens: looks at the statistics that a sanitizer tends to preserve, for all targets at once.

The statistics are the focal points of a few runs before the game, as in MAMA-MIA: attackers who
have the sanitizer can find them in runs of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quintain.attacks.membership.focal_points import Counted
from quintain.attacks.membership.mama_mia import ABSENT
from quintain.attacks.threat import Knowledge
from quintain.data import Table, as_table
from quintain.data.arrays import Floats
from quintain.guesses import MembershipQuestion
from quintain.kernels.cells import cell_counts
from quintain.releases import FocalPoint, Release

FOCAL = ("focal-ratio", "focal-surplus", "focal-share")
"""The numbers about each target: the ratio of MAMA-MIA, and sums of logarithms of two kinds."""


@dataclass(frozen=True, slots=True, eq=False)
class FocalLens:
    """Focal points, and how common the values of the targets are there in the data.

    Parameters
    ----------
    points : the focal points.
    counted : how the values of tables are counted.
    targets : the records of the targets, as they are counted.
    joint, given : for each focal point and target, how many records of the data agree with the
        target in all its columns, and in those that are given.
    size : how many records the data have.
    """

    points: tuple[FocalPoint, ...]
    counted: Counted
    targets: Table
    joint: Floats
    given: Floats
    size: int

    @classmethod
    def of(
        cls,
        points: Iterable[FocalPoint],
        pilot: Release,
        data: Table,
        targets: Table,
        parameters: Mapping[str, Any],
    ) -> FocalLens:
        """Count the data once, as a release shows that its values are counted."""
        known = Knowledge(MembershipQuestion(targets), parameters=parameters)
        counted = Counted.of(as_table(pilot.data), known)
        chosen = tuple(points)
        base, records = (counted.encode(t) if chosen else t for t in (data, targets))
        joint, given = _counts(chosen, base, records)
        return cls(chosen, counted, records, joint, given, len(data))

    def see(self, release: Table) -> Floats:
        """The numbers of :data:`FOCAL` for each target; noughts if there are no focal points."""
        if not self.points:
            return np.zeros((len(self.targets), len(FOCAL)))
        joint, given = _counts(self.points, self.counted.encode(release), self.targets)
        here = np.where(joint > 0, joint / np.maximum(given, 1), ABSENT)
        there = np.where(self.joint > 0, self.joint / np.maximum(self.given, 1), ABSENT)
        usual = len(release) * self.joint / self.size
        surplus = np.log((joint + 0.5) / (usual + 0.5))
        shares = np.log((joint + 0.1) / (given + 0.2)) - np.log(
            (self.joint + 0.1) / (self.given + 0.2)
        )
        ratio = np.log((here / there).mean(axis=0))
        return np.column_stack([ratio, surplus.mean(axis=0), shares.mean(axis=0)])


def _counts(points: Sequence[FocalPoint], table: Table, records: Table) -> tuple[Floats, Floats]:
    """How many records agree with each target, in all columns of each point and in the given."""
    known: dict[tuple[str, ...], Floats] = {}

    def count(names: tuple[str, ...]) -> Floats:
        key = tuple(sorted(names))
        if key not in known:
            known[key] = cell_counts(table, key, records)
        return known[key]

    empty = np.zeros((0, len(records)))
    joint = [count((*point.columns, *point.given)) for point in points]
    given = [count(point.given) for point in points]
    return (np.stack(joint), np.stack(given)) if points else (empty, empty)
