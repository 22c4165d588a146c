"""Units: whose row it is, where people have several rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from quintain.data.arrays import Rows, distinct
from quintain.data.learning.decisions import ID_NAME
from quintain.data.learning.input_table import InputTable
from quintain.errors import DataError, Fault
from quintain.suggestion import suggestion

_FEWEST_IDS = 10
"""A column with fewer different values than this is a category, whatever its name is."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """For each row of the original and of the control the number of its person.

    Parameters
    ----------
    control : None if there is no control. Nobody is on both sides.
    """

    original: Rows
    control: Rows | None


def read_units(sources: Sequence[InputTable], unit: str) -> Units:
    """Number the people by the column ``unit``; raises with every fault of both tables."""
    sides = [source for source in sources if source.role != "release"]
    faults = [fault for source in sides for fault in _lacking(source, unit)]
    if faults:
        raise DataError(faults)
    cells = [source.cells(unit) for source in sides]
    numbers = numbered(pa.chunked_array([one for side in cells for one in side.chunks]))
    original, control = np.split(numbers, [len(cells[0])])
    both = len(np.intersect1d(original, control))
    if both:
        raise DataError([Fault(_both(both), sides[1].name, column=unit)])
    return Units(original, control if len(sides) > 1 else None)


def numbered(cells: pa.ChunkedArray) -> Rows:
    """The same number for the same text; rows without a text are units of their own.

    >>> numbered(pa.chunked_array([["b", None, "a"], ["b", " "]])).tolist()
    [0, 3, 1, 0, 4]
    """
    encoded = cells.combine_chunks().dictionary_encode()
    codes: Rows = encoded.indices.fill_null(-1).to_numpy().astype(np.int64)
    words = encoded.dictionary.to_pylist()
    absent = [code for code, word in enumerate(words) if not word.strip()]
    alone = np.flatnonzero((codes < 0) | np.isin(codes, absent))
    codes[alone] = len(words) + np.arange(len(alone))
    return codes


def several_rows(source: InputTable) -> list[str]:
    """A sentence for each column that seems to say whose row it is, with several rows for some."""
    sentences = []
    for name in filter(ID_NAME.fullmatch, source.names()):
        try:
            numbers = numbered(source.cells(name))
        except pa.ArrowException:  # nested cells are no ids
            continue
        ids, rows = len(distinct(numbers)), len(numbers)
        if _FEWEST_IDS <= ids < rows:
            sentences.append(
                f"The column {name!r} has {ids:,} different values in {rows:,} rows. If it says "
                "whose row it is, name it as the unit: otherwise p is too small."
            )
    return sentences


def _lacking(source: InputTable, unit: str) -> list[Fault]:
    names = source.names()
    if unit in names:
        return []
    message = f"the {source.role} has no such column{suggestion(unit, names)}"
    return [Fault(message, source.name, column=unit)]


def _both(count: int) -> str:
    return (
        f"the control has {count:,} people of the original; a control must have other people: "
        "split a table with `quintain audit split --unit`"
    )
