"""Notes: the columns of free text of an audit, and the people who are in them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.audits.texts.passages import Repeated, find_repeated
from quintain.audits.texts.words import NumberedWords, join_texts, number_words
from quintain.data.arrays import Rows
from quintain.data.learning.decisions import decide
from quintain.data.learning.facts import typed_facts
from quintain.data.learning.input_table import InputTable

_FIRST_CELLS = 1000
_SENTENCE = r"\S+\s+\S+\s+\S+|.{50}"
"""What a column of sentences has in some of its cells: three words, or many letters."""
Columns = Mapping[str, pa.ChunkedArray]
"""The cells of some columns, by name."""


@dataclass(frozen=True, slots=True, eq=False)
class Notes:
    """The cells of all columns of free text.

    Parameters
    ----------
    columns : the names of those of the people.
    cells : by the role of a table, the cells of each of its columns. The release may have more of
        them, and under other names.
    """

    columns: tuple[str, ...]
    cells: Mapping[str, tuple[pa.ChunkedArray, ...]] = field(repr=False)

    @classmethod
    def read(
        cls, original: Columns, release: Sequence[pa.ChunkedArray], control: Columns | None = None
    ) -> Notes | None:
        """The notes of people, and where the release may repeat them; None if there are none.

        Columns that the control lacks are left out, unless it lacks all of them: then they are
        looked for as if there were no control.

        Parameters
        ----------
        original, control : the columns of free text.
        release : likewise, whatever their names are.
        """
        shared = [name for name in original if control is None or name in control]
        if not original or not release:
            return None
        sides = {"original": original}
        if control is not None and shared:
            sides["control"] = control
        names = shared or list(original)
        cells = {role: tuple(side[name] for name in names) for role, side in sides.items()}
        return cls(tuple(names), {**cells, "release": tuple(release)})

    def rows(self, role: str) -> int:
        """How many rows a table has."""
        return len(self.cells[role][0])

    def texts(self, role: str, rows: Rows | None = None) -> pa.Array:
        """The texts of a table, one column after another; of some rows if they are named."""
        columns = self.cells[role]
        if rows is None:
            return join_texts(columns)
        return join_texts([column.take(pa.array(rows)) for column in columns])


def text_columns(source: InputTable, names: Collection[str]) -> dict[str, pa.ChunkedArray]:
    """Those of some columns that are free text: their cells are sentences."""
    texts = {}
    for name in names:
        if name not in source.names():
            continue
        try:
            cells = source.cells(name)
            if _may_be_text(cells) and decide(typed_facts(name, cells)).free_text:
                texts[name] = cells
        except pa.ArrowException:  # nested cells are no texts
            continue
    return texts


def cells_of(source: InputTable, names: Collection[str]) -> dict[str, pa.ChunkedArray]:
    """The cells of those of some columns that a table has."""
    return {name: source.cells(name) for name in names if name in source.names()}


def _may_be_text(cells: pa.ChunkedArray) -> bool:
    """Whether some of the first cells have several words, or very long ones."""
    some = cells.drop_null().slice(0, _FIRST_CELLS)
    return bool(pc.any(pc.match_substring_regex(some, _SENTENCE)).as_py())


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
