"""Inputs: what an audit holds beside each other, and what the reader of its verdict should know."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from quintain.audits.checks.identities import NOT_SEARCHED, IdentitySearch
from quintain.audits.reading.coverage import Coverage
from quintain.audits.reading.people_sides import PeopleSides
from quintain.audits.reading.units import Units
from quintain.audits.results import AuditedInput, MatchedColumn, NotComputed
from quintain.audits.texts.notes import Notes
from quintain.data import Data, Table
from quintain.data.arrays import Rows
from quintain.errors import KnowledgeError
from quintain.wording.suggestion import suggestion


@dataclass(frozen=True, slots=True, eq=False)
class HeldData:
    """What an audit holds beside each other: data of one shape by role.

    Parameters
    ----------
    described : names, sizes and hashes.
    not_computed : what is left out of the data, and why.
    limits : what the reader of the verdict should know about the data.
    """

    original: Data
    release: Data
    control: Data | None
    described: tuple[AuditedInput, ...]
    not_computed: tuple[NotComputed, ...]
    limits: tuple[str, ...]

    @property
    def one_row(self) -> bool:
        """Whether every row counts as a person of its own."""
        return False


@dataclass(frozen=True, slots=True, eq=False)
class AuditInputs(HeldData):
    """Tables that an audit compares, without ids and other columns it cannot compare.

    Parameters
    ----------
    coverage : which columns of the release are not compared, and what they tell nevertheless.
    names : all columns of the original, those that are left out as well.
    units : whose row each one is; None if every row is a person.
    repeated : a sentence for each column that seems to say whose row it is, if no unit was named.
    simplified : whether the audit compares less than the original has: ranges for numbers,
        beginnings of codes, or not all columns. Ids and columns that never vary do not count.
    notes : the columns of free text; None if there is none.
    matched : the columns that the release writes otherwise.
    sides : people with their rows in several tables, of whom the tables here have one row each;
        None if there is one table.
    identities : what the release says about who people are.
    whole_rows : for each row of the original, and of the control, a number that rows share which
        are equal in all columns of the file; empty if nobody compared them.
    control_is : "original" or "release" if the control is the same file; else empty.
    """

    original: Table
    release: Table
    control: Table | None
    coverage: Coverage
    names: tuple[str, ...]
    units: Units | None = None
    repeated: tuple[str, ...] = ()
    simplified: bool = False
    notes: Notes | None = None
    matched: tuple[MatchedColumn, ...] = ()
    sides: PeopleSides | None = None
    identities: IdentitySearch = NOT_SEARCHED
    whole_rows: tuple[Rows, ...] = ()
    control_is: str = ""

    @property
    def one_row(self) -> bool:
        """Whether every row counts as a person of its own."""
        return self.units is None and self.sides is None

    def require(self, **columns: Collection[str] | None) -> None:
        """Raise with all names of columns, by parameter, that the original does not have."""
        require_columns(self.names, **columns)

    def one_row_each(self) -> tuple[Table, Table]:
        """Original and control with the first row of each person, for tests of single rows."""
        assert self.control is not None  # there is another audit without one
        if self.units is None or self.units.control is None:
            return self.original, self.control
        return (
            self.original.take(np.unique(self.units.original, return_index=True)[1]),
            self.control.take(np.unique(self.units.control, return_index=True)[1]),
        )

    def people(self) -> Table:
        """Everybody in the original and in the control, if there is one, with their first row."""
        if self.control is None:
            return self.private_people()
        original, control = self.one_row_each()
        return original.concat(control)

    def private_people(self) -> Table:
        """Everybody in the original, with their first row."""
        if self.units is None:
            return self.original
        return self.original.take(np.unique(self.units.original, return_index=True)[1])


def require_columns(known: Sequence[str], /, **columns: Collection[str] | None) -> None:
    """Raise with all names of columns, by parameter, that are not known."""
    unknown = [
        f"{parameter}: the original has no column {name!r}{suggestion(name, known)}"
        for parameter, names in columns.items()
        for name in names or ()
        if name not in known
    ]
    if unknown:
        raise KnowledgeError("\n".join(unknown))
