"""The pseudonym table: the name under which each person appears in each month."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Array, Codes, Mask, Rows
from quintain.errors import Faults, SubmissionError
from quintain.kernels.purchases import Purchases, months_of
from quintain.wording.languages import tell


@dataclass(frozen=True, slots=True, eq=False)
class PseudonymTable:
    """A table with one row per person and one column per month; a cell is a pseudonym or empty.

    Parameters
    ----------
    persons : the persons of the original, sorted.
    pseudonyms : the pseudonyms of the release, sorted.
    first_month : the first month of the original, counted from January 1970.
    cells : for each person and month a position in ``pseudonyms``; -1 if the person bought
        nothing in that month, or if all of those rows were deleted.
    """

    persons: Array
    pseudonyms: Array
    first_month: int
    cells: Codes

    @property
    def months(self) -> int:
        """How many months the original spans."""
        return int(self.cells.shape[1])

    @property
    def live(self) -> Mask:
        """A mask of the cells that have a pseudonym."""
        return self.cells >= 0

    def until(self, months: int) -> PseudonymTable:
        """The table of the first ``months`` months; all later cells are empty."""
        cells = self.cells.copy()
        cells[:, months:] = -1
        return PseudonymTable(self.persons, self.pseudonyms, self.first_month, cells)

    def cell_of_row(self, original: Purchases) -> Rows:
        """For every row of the original the number of its cell, person after person."""
        return original.person * np.int64(self.months) + months_of(original.day) - self.first_month


def pseudonym_table(original: Purchases, release: Purchases) -> PseudonymTable:
    """Read the pseudonyms off a release in which row i stands for row i of the original.

    A person with two pseudonyms in one month is a fault.
    """
    month = months_of(original.day)
    first, last = (int(month.min()), int(month.max())) if len(month) else (0, -1)
    cells = np.full((len(original.persons), last - first + 1), -1, np.int32)
    table = PseudonymTable(original.persons, release.persons, first, cells)
    cell = table.cell_of_row(original)
    live = np.flatnonzero(release.live)
    flat = cells.reshape(-1)
    flat[cell[live]] = release.person[live]
    _refuse_two(original, release, live[flat[cell[live]] != release.person[live]], flat, cell)
    cells.flags.writeable = False
    return table


def _refuse_two(
    original: Purchases, release: Purchases, rows: Rows, flat: Codes, cell: Rows
) -> None:
    faults = Faults("release")
    listed = rows[: faults.room()]
    for row in listed.tolist():
        month = np.datetime64(int(original.day[row]), "D").astype("datetime64[M]")
        other = release.persons[flat[cell[row]]]
        faults.add(
            tell(
                "%(person)s is also %(other)s in %(month)s; a person has one pseudonym per month",
                person=original.persons[original.person[row]],
                other=other,
                month=month,
            ),
            line=faults.line_of(row),
            got=str(release.persons[release.person[row]]),
        )
    faults.count(len(rows) - len(listed))
    faults.raise_if_any(SubmissionError)
