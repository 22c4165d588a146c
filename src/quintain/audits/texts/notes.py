"""Notes: the columns of free text of an audit, and the people who are in them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from quintain.audits.texts.passages import Repeated, find_repeated
from quintain.audits.texts.words import NumberedWords, join_texts, number_words
from quintain.data.arrays import Rows
from quintain.data.learning.decisions import decide
from quintain.data.learning.facts import typed_facts
from quintain.data.learning.input_table import InputTable


@dataclass(frozen=True, slots=True, eq=False)
class Notes:
    """The cells of all columns of free text.

    Parameters
    ----------
    columns : the names of the columns.
    cells : by the role of a table, the cells of each of these columns.
    """

    columns: tuple[str, ...]
    cells: Mapping[str, tuple[pa.ChunkedArray, ...]] = field(repr=False)

    @classmethod
    def read(cls, sources: Sequence[InputTable], left_out: Collection[str]) -> Notes | None:
        """Those columns that are left out and have sentences in the original; None if none has."""
        shared = [set(source.names()) for source in sources]
        cells = {
            name: texts
            for name in left_out
            if all(name in names for names in shared) and (texts := _sentences(sources, name))
        }
        if not cells:
            return None
        by_role = zip(*cells.values(), strict=True)
        roles = [source.role for source in sources]
        return cls(tuple(cells), dict(zip(roles, by_role, strict=True)))

    def rows(self, role: str) -> int:
        """How many rows a table has."""
        return len(self.cells[role][0])

    def texts(self, role: str, rows: Rows | None = None) -> pa.Array:
        """The texts of a table, one column after another; of some rows if they are named."""
        columns = self.cells[role]
        if rows is None:
            return join_texts(columns)
        return join_texts([column.take(pa.array(rows)) for column in columns])


def _sentences(sources: Sequence[InputTable], name: str) -> tuple[pa.ChunkedArray, ...]:
    """The cells of a column in each table, if those of the first are sentences."""
    try:
        first = sources[0].cells(name)
        if not decide(typed_facts(name, first)).free_text:
            return ()
        return (first, *(source.cells(name) for source in sources[1:]))
    except pa.ArrowException:  # nested cells are no texts
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class SearchedNotes:
    """What a release repeats of the notes of people.

    Parameters
    ----------
    words : the words of all notes, those of the people first.
    people : how many people each table has, in the order in which they are numbered.
    rows : for each text of people its row in its table.
    """

    words: NumberedWords
    repeated: Repeated
    people: tuple[int, ...]
    rows: Rows


def search_notes(
    people: Sequence[pa.Array], units: Sequence[Rows], released: pa.Array
) -> SearchedNotes:
    """Look for the words of people in released texts.

    Parameters
    ----------
    people : the texts of each table of people, one column after another.
    units : for each table the number of the person of each row.

    >>> notes = pa.array([f"patient number {i} likes green tea from Ky{i}oto" for i in range(9)])
    >>> found = search_notes([notes], [np.arange(9)], notes.slice(3, 1))
    >>> found.people, np.flatnonzero(found.repeated.names).tolist()
    ((9,), [3])
    """
    persons: list[Rows] = []
    counts: list[int] = []
    for texts, unit in zip(people, units, strict=True):
        _, number = np.unique(unit, return_inverse=True)
        columns = len(texts) // max(1, len(unit))
        persons.append(np.tile(number + sum(counts), columns))
        counts.append(int(number.max(initial=-1)) + 1)
    rows = [
        np.arange(len(own)) % max(1, len(unit)) for own, unit in zip(persons, units, strict=True)
    ]
    words = number_words(pa.concat_arrays([*people, released.cast(people[0].type)]))
    repeated = find_repeated(words, np.concatenate(persons), sum(counts))
    return SearchedNotes(words, repeated, tuple(counts), np.concatenate(rows))
