"""Match: how the cells of a release and of the other tables become comparable, and the evidence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from quintain.data.arrays import Array, Rows
from quintain.data.codec import format_texts, missing_cells
from quintain.data.table import Table

How = Literal["name", "spelling", "prefix", "date", "unit", "codes"]
"""What a release changed: a name, a spelling, the length of codes, dates, units, or all values."""

RELEASE = "release"
"""The role of the table that may be written otherwise than the others."""

LEAST_OVERLAP = 0.5
"""Below this share of cells in common, a match is rather an accident."""


@dataclass(frozen=True, slots=True)
class Match:
    """One thing that a release writes otherwise, and why the audit thinks so.

    Parameters
    ----------
    column : the name of the column in the original.
    says : the match with its evidence, in a sentence.
    cells, as_written : the share of released cells with a value that the original or the control
        has, after the match and before it. For the name of a column, 1 and 0.
    coarser : whether the match makes the original and the control coarser than they are.
    """

    column: str
    how: How
    says: str
    cells: float
    as_written: float
    coarser: bool = False


class Rewriting(ABC):
    """What a match makes of the cells of a table."""

    @abstractmethod
    def contents(self, read: Table, name: str, role: str) -> Array:
        """The cells of a column under the common column; ``read`` has them as the table does."""


@dataclass(frozen=True, slots=True)
class Relabelled(Rewriting):
    """Texts that stand for values of the common category.

    Parameters
    ----------
    codes : for the release, and for the other tables, the code of each text; others are missing.
    """

    release: Mapping[str, int]
    others: Mapping[str, int]

    def contents(self, read: Table, name: str, role: str) -> Array:
        """The codes of the texts."""
        texts, cells = distinct_texts(read, name)
        codes = self.release if role == RELEASE else self.others
        return np.array([codes.get(text, -1) for text in texts] + [-1])[cells]


def distinct_texts(table: Table, name: str) -> tuple[list[str], Rows]:
    """The different texts of a column, and for each cell the place of its text; -1 if missing.

    >>> from quintain.data import Column, Schema
    >>> schema = Schema(columns=(Column(name="size", kind="real", nullable=True),))
    >>> distinct_texts(Table.of(schema, {"size": [2.0, None, 1.5]}), "size")
    (['1.5', '2'], array([ 1, -1,  0]))
    """
    column = table.schema[name]
    values, cells = np.unique(table.columns[name], return_inverse=True)
    present = ~missing_cells(column, values)
    texts = format_texts(column, values[present])
    if column.fractional:
        texts = [text.removesuffix(".0") for text in texts]
    places = np.where(present, np.cumsum(present) - 1, -1)
    return texts, places[cells.reshape(-1)]


def count_texts(tables: Sequence[Table], name: str) -> Counter[str]:
    """How many cells of all tables have each text."""
    counts: Counter[str] = Counter()
    for table in tables:
        texts, cells = distinct_texts(table, name)
        numbers = np.bincount(cells[cells >= 0], minlength=len(texts))
        counts.update(dict(zip(texts, numbers.tolist(), strict=True)))
    return counts


def share_known(released: Mapping[str, int], known: Mapping[str, int]) -> float:
    """The share of released cells with a text that others have.

    >>> share_known({"a": 3, "b": 1}, {"a": 5})
    0.75
    """
    total = sum(released.values())
    return sum(count for text, count in released.items() if text in known) / max(1, total)


def overlap(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """The share of cells that two tables have in common, value by value.

    >>> overlap({"a": 3, "b": 1}, {"a": 5, "c": 5})
    0.5
    """
    total, others = max(1, sum(one.values())), max(1, sum(other.values()))
    return sum(
        min(count / total, other[text] / others) for text, count in one.items() if text in other
    )


def percent(share: float) -> str:
    """A share in percent for a sentence; 100 % is said only of everything.

    >>> percent(0.9996), percent(1), percent(0.126)
    ('99.9 %', '100 %', '13 %')
    """
    if 0.99 < share < 1:
        return f"{min(99.9, 100 * share):.1f} %"
    return f"{100 * share:.0f} %"
