"""Names of columns that differ from those of the original in capitals, spaces or punctuation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from quintain.data.learning.input_table import InputTable
from quintain.data.learning.matching.match import Match
from quintain.data.learning.matching.texts import fold
from quintain.errors import DataError


def match_names(
    tables: Sequence[InputTable], as_written: Collection[str] = ()
) -> tuple[list[InputTable], list[Match]]:
    """The tables with the names of the first one where theirs are spelled otherwise.

    Parameters
    ----------
    as_written : columns of the first table that are to be found by their very name.

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
