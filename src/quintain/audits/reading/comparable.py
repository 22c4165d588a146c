"""Comparable columns: which columns attacks can hold beside each other, and why not the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from quintain.audits.checks.identities import IdentitySearch, search_identities
from quintain.audits.reading.cells import describe_cells, readable_columns
from quintain.audits.reading.coverage import Coverage
from quintain.audits.results import AuditedInput, NotComputed
from quintain.audits.texts.notes import Notes
from quintain.data import Table
from quintain.data.arrays import Array, Mask
from quintain.data.learning.input_table import InputTable
from quintain.errors import DataError, Fault

_FOREIGN = 0.5
"""If more of a column's released cells than this have unknown values, it cannot be compared."""
_WORTH_SAYING = 0.05
CONSTANT = "it has the same value everywhere"
SUPPRESSED = "it has the same value in every row of the release, so it says nothing about anybody"


def no_column(name: str, reason: str) -> NotComputed:
    """Say that a column is left out, and why."""
    return NotComputed(what=f"the column {name!r}", reason=reason)


def comparable(
    tables: Mapping[str, Table], notes: Notes | None = None
) -> tuple[list[str], list[NotComputed], list[str]]:
    """Leave out columns that never vary, and those whose released values nobody else has.

    A released column that has one value of the original in every row is compared: the release may
    be about the people alone who have it.
    """
    kept, left_out, limits = [], [], []
    for column in tables["original"].schema.columns:
        name, cells = column.name, [table.columns[column.name] for table in tables.values()]
        if _constant(cells):
            left_out.append(no_column(name, CONSTANT))
            continue
        if _is_suppressed(tables, name):
            left_out.append(no_column(name, SUPPRESSED))
            continue
        share, example = 0.0, ""
        if column.listed:
            share, example = _unknown_share(tables, name)
        words = f"{share:.0%} of its released cells have values such as {example!r}, which "
        words += "neither the original nor the control has"
        if share > _FOREIGN:
            left_out.append(no_column(name, f"{words}: are they generalised or in codes?"))
            continue
        if share > _WORTH_SAYING:
            limits.append(f"The column {name!r} is compared as it is written, but {words}.")
        kept.append(name)
    if not kept:
        raise nothing_to_compare(left_out, notes=notes)
    return kept, left_out, limits


class NothingToCompare(DataError):
    """The tables have no column that attacks can compare.

    Parameters
    ----------
    notes : the free texts that they have nevertheless; None if there are none.
    sources : the tables.
    """

    def __init__(
        self,
        faults: Sequence[Fault],
        notes: Notes | None = None,
        sources: Sequence[InputTable] = (),
    ) -> None:
        super().__init__(faults)
        self.notes = notes
        self.sources = sources

    def search_identities(self) -> IdentitySearch:
        """Look for the people in all columns of the release."""
        return search_identities(*(readable_columns(source) for source in self.sources))

    def coverage(self, identities: IdentitySearch) -> Coverage:
        """No column is compared; texts and identities were looked for."""
        searched = () if self.notes is None else self.notes.columns
        names = self.sources[1].names()
        return Coverage(
            0,
            tuple(name for name in names if name not in searched),
            identities.proofs,
            identities.notes,
            tuple(name for name in searched if name in names),
            looked=identities.limits(),
        )

    def describe(self) -> tuple[AuditedInput, ...]:
        """The tables with their hashes."""
        return tuple(describe_cells(source) for source in self.sources)


def nothing_to_compare(
    left_out: Sequence[NotComputed], *, renamed: bool = False, notes: Notes | None = None
) -> NothingToCompare:
    """The reasons, each once with its columns, and what to do if columns have new names."""
    columns: dict[str, list[str]] = {}
    for left in left_out:
        columns.setdefault(left.reason, []).append(left.what)
    reasons = "; ".join(
        ", ".join((*of[:20], *(["..."] if len(of) > 20 else []))) + f": {reason}"
        for reason, of in columns.items()
    )
    advice = (
        ". Columns are compared by their names: if the release has them under other names, give "
        "them the names of the original"
    )
    message = f"there is no column that the audit can compare. {reasons}{advice * renamed}"
    return NothingToCompare([Fault(message)], notes)


def _constant(cells: Sequence[Array]) -> bool:
    return all(bool(_equal(own, cells[0][:1]).all()) for own in cells)


def _equal(cells: Array, value: Array) -> Mask:
    """Which cells have a value; missing numbers are equal."""
    return np.asarray((cells == value) | ((cells != cells) & (value != value)))


def _is_suppressed(tables: Mapping[str, Table], name: str) -> bool:
    """Whether all released cells have one value, which nobody in the other tables has."""
    released = tables["release"].columns[name]
    if not len(released) or not _constant([released]):
        return False
    others = [table.columns[name] for role, table in tables.items() if role != "release"]
    return not any(bool(_equal(own, released[:1]).any()) for own in others)


def _unknown_share(tables: Mapping[str, Table], name: str) -> tuple[float, str]:
    """The share of released cells with a value that only the release has, and such a value."""
    values = tables["original"].schema[name].values
    known = np.zeros(len(values) + 1, bool)
    for role, table in tables.items():
        if role != "release":
            known[table.columns[name]] = True
    known[-1] = True  # a missing cell has the code -1
    released = tables["release"].columns[name]
    strange = ~known[released]
    if not strange.any():
        return 0.0, ""
    return float(strange.mean()), values[int(released[strange][0])]
