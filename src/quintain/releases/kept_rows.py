"""Kept rows: the rules of a release in which row i stands for row i of the original."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Column, Data, Transactions
from quintain.data.arrays import Array, Codes, Mask, Rows, distinct
from quintain.data.codec import format_texts, missing_cells
from quintain.errors import Faults
from quintain.kernels.purchases import column_of, encode_values
from quintain.registry import register
from quintain.releases.rule import Rule
from quintain.wording.languages import tell

_LONGEST = 64
"""The largest number of characters of a pseudonym."""


@register("kept-rows-v1")
class KeptRows(Rule):
    """Requires that row i of the release stands for row i of the original, in the same month.

    The release has as many rows as the original, in the same order. A deleted row has no person.
    A person has one pseudonym per month. Year and month of a row stay the same. A row that is not
    deleted has no empty cell.

    >>> from quintain.errors import Faults, SubmissionError
    >>> from quintain.releases import KeptRows
    >>> from quintain.testing.examples import example
    >>> original, faults = example("transactions", rows=10), Faults("release.csv")
    >>> KeptRows().check(original, original.take(range(9)), faults)
    >>> faults.raise_if_any(SubmissionError)
    Traceback (most recent call last):
    ...
    quintain.errors.SubmissionError: release.csv: has 9 rows; expected 10, as many as the original

    Parameters
    ----------
    kept : more than this share of the rows must not be deleted.
    everybody : whether each person must keep at least one row; if not, a release in which somebody
        has no row left gets a warning.
    own_items : whether only items that somebody bought in the original may appear.

    References
    ----------
    DARC 2019, rules 6 to 8.
    """

    shapes: ClassVar[tuple[str, ...]] = ("transactions",)
    essential: ClassVar[bool] = True

    kept: Annotated[float, Field(ge=0, lt=1)] = 0.5
    everybody: bool = False
    own_items: bool = False

    def check(self, original: Data, release: Data, faults: Faults) -> None:
        """Note every cell that breaks the rule, with its line and column."""
        self._check(self.see(original), self.see(release), faults)

    def _check(self, original: Transactions, release: Transactions, faults: Faults) -> None:
        if len(original) != len(release):
            faults.add(
                tell(
                    "has %(n)s rows; expected %(expected)s, as many as the original",
                    n=len(release),
                    expected=len(original),
                )
            )
            return
        live = ~release.deleted_rows()
        count = int(live.sum())
        if count <= self.kept * len(original):
            faults.add(
                tell(
                    "keeps %(n)s of %(all)s rows; more than %(kept)s must be kept",
                    n=count,
                    all=len(original),
                    kept=f"{self.kept:.0%}",
                )
            )
        _check_cells(release, live, faults)
        month = month_numbers(original)
        _check_months(release, live, month, faults)
        person, persons = encode_values(original.columns[original.person_column.name])
        cell = person * np.int64(1 + month.max(initial=0)) + month
        _check_pseudonyms(release, live, cell, faults)
        if self.own_items:
            _check_items(original, release, live, faults)
        absent = _absent(person, persons, live) if self.everybody else ""
        if absent:
            faults.add(tell("%(absent)s; each person must keep at least one row", absent=absent))

    def remarks(self, original: Data, release: Data) -> list[str]:
        """Warn that people have no row left, where the rules allow that."""
        before: Transactions = self.see(original)
        after: Transactions = self.see(release)
        person, persons = encode_values(before.columns[before.person_column.name])
        absent = _absent(person, persons, ~after.deleted_rows())
        return [absent] if absent and not self.everybody else []


def _absent(person: Codes, persons: Array, live: Mask) -> str:
    """Say who has no row left; an empty text if nobody."""
    absent = np.setdiff1d(np.arange(len(persons)), person[live])
    if not len(absent):
        return ""
    examples = ", ".join(str(persons[at]) for at in absent[:5]) + (
        " ..." if len(absent) > 5 else ""
    )
    return tell(
        "%(n)s of %(all)s persons have no row left: %(names)s",
        n=len(absent),
        all=len(persons),
        names=examples,
    )


def _check_items(original: Transactions, release: Transactions, live: Mask, faults: Faults) -> None:
    column = column_of(release, "item")
    values = release.columns[column.name]
    sold = np.zeros(len(column.values), bool)
    sold[distinct(original.columns[column.name])] = True
    rows = np.flatnonzero(live & (values >= 0) & ~sold[values])
    message = tell(
        "is not an item of the original; only items that somebody bought there may appear"
    )
    _note(rows, message, release, column, faults)


def month_numbers(data: Transactions) -> Rows:
    """Months since January 1970; the number for a missing time is meaningless."""
    when = data.columns[data.time_column.name].astype("datetime64[s]")
    return when.astype("datetime64[M]").astype(np.int64)


def _check_cells(release: Transactions, live: Mask, faults: Faults) -> None:
    for column in release.schema.columns:
        if not column.identifying:
            rows = np.flatnonzero(live & missing_cells(column, release.columns[column.name]))
            _note(rows, tell("is empty in a row that is not deleted"), release, column, faults)


def _check_months(release: Transactions, live: Mask, month: Rows, faults: Faults) -> None:
    column = release.time_column
    missing = missing_cells(column, release.columns[column.name])
    rows = np.flatnonzero(live & ~missing & (month_numbers(release) != month))
    message = tell("is in another month than in the original; the month must stay the same")
    _note(rows, message, release, column, faults)


def _check_pseudonyms(release: Transactions, live: Mask, cell: Rows, faults: Faults) -> None:
    name = release.person_column.name
    names = release.columns[name].astype(np.str_)
    pseudonym, known = encode_values(names)
    invalid = np.array([text != "" and not _is_valid(text) for text in known.tolist()], bool)
    message = tell(
        "a pseudonym has 1 to %(longest)s printable characters, without spaces or ':'",
        longest=_LONGEST,
    )
    _note(
        np.flatnonzero(live & invalid[pseudonym]), message, release, release.person_column, faults
    )
    rows = np.flatnonzero(live)
    _, first, inverse = np.unique(cell[rows], return_index=True, return_inverse=True)
    other = rows[first[inverse]]
    conflicts = np.flatnonzero(pseudonym[rows] != pseudonym[other])
    listed = conflicts[: faults.room()]
    for row, before in zip(rows[listed], other[listed], strict=True):
        faults.add(
            tell(
                "the same customer is %(name)s on line %(line)s, in the same month; a "
                "customer has one pseudonym per month",
                name=names[before],
                line=faults.line_of(int(before)),
            ),
            line=faults.line_of(int(row)),
            column=name,
            got=str(names[row]),
        )
    faults.count(len(conflicts) - len(listed))


def _is_valid(text: str) -> bool:
    return 0 < len(text) <= _LONGEST and text.isprintable() and not set(text) & set(" :,\"'")


def _note(rows: Rows, message: str, release: Transactions, column: Column, faults: Faults) -> None:
    listed = rows[: faults.room()]
    texts = format_texts(column, release.columns[column.name][listed])
    for row, text in zip(listed.tolist(), texts, strict=True):
        faults.add(message, line=faults.line_of(row), column=column.name, got=text)
    faults.count(len(rows) - len(listed))
