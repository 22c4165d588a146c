"""Names of columns that differ from those of the original in capitals, spaces or punctuation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa

from quintain.data.arrow_arrays import numbers_of
from quintain.data.learning.decisions import ID_NAME
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.links import PEOPLE_WORDS, thing_named
from quintain.data.learning.matching.match import RELEASE, Match
from quintain.data.learning.matching.texts import fold
from quintain.errors import DataError

_SHORT_ID = re.compile(r"(?i)[a-z]?id|psn")
"""Names such as ``pid``, which are too short to have a word for people."""


def match_names(
    tables: Sequence[InputTable], as_written: Collection[str] = (), owner: str | None = None
) -> tuple[list[InputTable], list[Match]]:
    """The tables with the names of the first one where theirs are spelled otherwise.

    Parameters
    ----------
    as_written : columns of the first table that are to be found by their very name.
    owner : the column that says whose row it is; a release may call it otherwise.

    >>> import pyarrow as pa
    >>> original = InputTable.of(pa.table({"birth-day": [1, 2]}), "original")
    >>> release = InputTable.of(pa.table({"Birth Day": [1, 2]}), "release")
    >>> matched, matches = match_names([original, release])
    >>> matched[1].names(), matches[0].says
    (['birth-day'], "The release has the column 'birth-day' under the name 'Birth Day'.")
    """
    first, *others = tables
    matched, matches = [first], []
    try:
        names = {table.role: table.names() for table in tables}
    except DataError:  # learning tells the faults of all tables together
        return list(tables), []
    for table in others:
        renamed = spelled_otherwise(names[first.role], names[table.role])
        renamed = {name: own for name, own in renamed.items() if name not in as_written}
        matched.append(table.rename(renamed) if renamed else table)
        for name, own in renamed.items():
            says = f"The {table.role} has the column {name!r} under the name {own!r}."
            matches.append(Match(name, "name", says, 1.0, 0.0))
        if table.role == RELEASE and owner in names[first.role] and owner not in as_written:
            matched[-1], owners = match_owner(first, matched[-1], owner)
            matches += owners
    return matched, matches


def spelled_otherwise(names: Sequence[str], others: Sequence[str]) -> dict[str, str]:
    """For each name that others lack, the only other name that is the same after folding.

    >>> spelled_otherwise(["a-b", "c", "d"], ["A B", "c", "D ", "d."])
    {'a-b': 'A B'}
    """
    lacking, free = set(names) - set(others), [own for own in others if own not in names]
    folded = {fold(own): own for own in free}
    times = Counter([*(fold(name) for name in lacking), *map(fold, free)])
    return {
        name: folded[fold(name)]
        for name in names
        if name in lacking and fold(name) in folded and times[fold(name)] == 2
    }


def match_owner(
    original: InputTable, release: InputTable, owner: str
) -> tuple[InputTable, list[Match]]:
    """The release with its column of pseudonyms under the name of the column that names people.

    A release often calls it otherwise. It is the only column that the original lacks and whose name
    is one of people or of ids. A number of the row is none, unless its name speaks of people.

    >>> import pyarrow as pa
    >>> original = InputTable.of(pa.table({"patient": ["a"], "code": [1]}), "original")
    >>> release = InputTable.of(pa.table({"pseudonym": ["x"], "code": [1]}), "release")
    >>> match_owner(original, release, "patient")[0].names()
    ['patient', 'code']
    """
    names = release.names()
    new = [name for name in names if name not in original.names() and _may_name_people(name)]
    if owner in names or len(new) != 1:
        return release, []
    if not _speaks_of_people(new[0]) and numbers_rows(release.cells(new[0])):
        return release, []
    says = (
        f"The release has no column {owner!r}. Its column {new[0]!r} is taken for it: the original "
        "has no such column, and no other new one looks like a name of people."
    )
    renamed = release.rename({**release.own_names, owner: new[0]})
    return renamed, [Match(owner, "name", says, 1.0, 0.0)]


def _may_name_people(name: str) -> bool:
    return ID_NAME.fullmatch(name) is not None or _speaks_of_people(name)


def _speaks_of_people(name: str) -> bool:
    return bool(_SHORT_ID.fullmatch(name) or PEOPLE_WORDS & set(thing_named(name)[-1:]))


def numbers_rows(cells: pa.ChunkedArray) -> bool:
    """Whether the cells are whole numbers without gaps, each of them once.

    >>> numbers_rows(pa.chunked_array([["3", "1", "2"]]))
    True
    >>> numbers_rows(pa.chunked_array([["1", "1", "2"]]))
    False
    """
    try:
        numbers = np.sort(numbers_of(cells.cast(pa.int64()).drop_null()))
    except pa.ArrowException:
        return False
    return len(numbers) == len(cells) and bool((np.diff(numbers) == 1).all())
