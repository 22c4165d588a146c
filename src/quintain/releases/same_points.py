"""Same points: everybody of the original has a trajectory in the release, at the same times."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.data import Data, Trajectories
from quintain.data.arrays import Array
from quintain.data.columns import Columns
from quintain.data.trajectories import person_column, time_column
from quintain.errors import Faults
from quintain.registry import register
from quintain.releases.rule import Rule
from quintain.wording.languages import tell


@register("same-points-v1")
class SamePoints(Rule):
    """Requires one trajectory per person of the original, with points at the same times.

    The ids say for whom a trajectory stands; the judge replaces them by pseudonyms. Places may
    change or be left out, but not people or times.

    >>> from quintain.errors import Faults, SubmissionError
    >>> from quintain.releases import SamePoints
    >>> from quintain.testing import example
    >>> original, faults = example("trajectories"), Faults("release.csv")
    >>> SamePoints().check(original, original.take(range(1, len(original))), faults)
    >>> faults.raise_if_any(SubmissionError)
    Traceback (most recent call last):
    ...
    quintain.errors.SubmissionError: release.csv: 1 of 12 persons have no points: 0; each person ...
    """

    shapes: ClassVar[tuple[str, ...]] = ("trajectories",)
    essential: ClassVar[bool] = True

    def check(self, original: Data, release: Data, faults: Faults) -> None:
        """Note people who are missing or unknown, and points that are missing or added."""
        before: Trajectories = self.see(original)
        after: Trajectories = self.see(release)
        _note_absent(before.ids, after.ids, faults)
        rows = after.to_rows()
        wanted, given = _keys(before.to_rows()), _keys(rows)
        strange = np.flatnonzero(~np.isin(given, wanted))
        names = rows.columns[person_column(rows.schema).name].astype(np.str_)
        times = rows.columns[time_column(rows.schema).name].astype("datetime64[s]")
        known = np.isin(names, before.ids.astype(np.str_))
        for row in strange[: faults.room()].tolist():
            column = time_column(rows.schema).name if known[row] else None
            got = str(times[row]).replace("T", " ") if known[row] else names[row]
            words = (
                tell("the original has no point of %(name)s at this time", name=names[row])
                if known[row]
                else tell("the original has no such person")
            )
            faults.add(words, column=column or person_column(rows.schema).name, got=got)
        faults.count(max(0, len(strange) - faults.room()))
        here = np.isin(wanted, given)
        listed = np.isin(_names(before.to_rows()), after.ids.astype(np.str_))
        lost = int((~here & listed).sum())
        if lost:
            faults.add(
                tell(
                    "%(lost)s points of the original are not there; leave the place empty to hide "
                    "one",
                    lost=lost,
                )
            )


def _note_absent(wanted: Array, given: Array, faults: Faults) -> None:
    absent = wanted[~np.isin(wanted.astype(np.str_), given.astype(np.str_))].astype(np.str_)
    if len(absent):
        some = ", ".join(absent[:5].tolist()) + (" ..." if len(absent) > 5 else "")
        faults.add(
            tell(
                "%(n)s of %(all)s persons have no points: %(some)s; each person of the "
                "original needs a trajectory",
                n=len(absent),
                all=len(wanted),
                some=some,
            )
        )


def _names(rows: Columns) -> Array:
    return rows.columns[person_column(rows.schema).name].astype(np.str_)


def _keys(rows: Columns) -> Array:
    """One text per point, the same for the same person and time."""
    time = rows.columns[time_column(rows.schema).name].astype(np.str_)
    return np.char.add(np.char.add(time, " "), _names(rows))
