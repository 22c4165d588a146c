"""Tables of a release that have other names than in the original, or whose columns have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from quintain.data.learning.input_table import InputTable
from quintain.data.learning.matching.match import RELEASE, Match
from quintain.data.learning.matching.names import match_names, spelled_otherwise
from quintain.data.learning.matching.texts import fold
from quintain.data.people_schema import PeopleSchema


def match_release(
    schema: PeopleSchema, original: Mapping[str, InputTable], release: Mapping[str, InputTable]
) -> tuple[dict[str, InputTable], list[Match]]:
    """The tables of a release under the names of the original, as are their columns.

    Names may differ in capitals and punctuation. That of a table may have more letters before or
    behind it, such as ``visits_public``. That of the column with the pseudonyms may be another one.

    >>> import pyarrow as pa
    >>> from quintain.data.people_schema import TableSchema
    >>> schema = PeopleSchema(tables=(TableSchema(name="visits", columns=(), reference="who"),))
    >>> original = {"visits": InputTable.of(pa.table({"who": ["eve"], "day": [3]}))}
    >>> release = {"VISITS-2": InputTable.of(pa.table({"pseudonym": ["x"], "Day": [3]}))}
    >>> matched, matches = match_release(schema, original, release)
    >>> [(name, table.names()) for name, table in matched.items()]
    [('visits', ['who', 'day'])]
    >>> [match.column for match in matches]
    ['table visits', 'visits.day', 'visits.who']
    """
    called = dict(_called_otherwise([table.name for table in schema.tables], list(release)))
    given = {own: name for name, own in called.items()}
    matches = [
        Match(
            f"table {name}",
            "name",
            f"The release has the table {name!r} under the name {own!r}.",
            1.0,
            0.0,
        )
        for name, own in called.items()
    ]
    matched = {given.get(own, own): table for own, table in release.items()}
    for table in schema.tables:
        if table.name not in matched or table.name not in original:
            continue
        here = replace(original[table.name], role="original")
        there = replace(matched[table.name], role=RELEASE)
        for owner in (table.reference, table.key):
            (_, named), more = match_names([here, there], owner=owner)
            if owner == table.key and owner in named.names() and not _names_rows(named, owner):
                continue
            there = named
            matches += [replace(own, column=f"{table.name}.{own.column}") for own in more]
        matched[table.name] = replace(there, role=matched[table.name].role)
    return matched, matches


def _names_rows(table: InputTable, key: str) -> bool:
    """Whether each row has another name in a column."""
    cells = table.cells(key)
    return len(cells.unique()) == len(cells)


def _called_otherwise(names: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each name that others lack, with the only other one that is or has it after folding."""
    same = spelled_otherwise(names, others)
    yield from same.items()
    free = [own for own in others if own not in names and own not in same.values()]
    lacking = [name for name in names if name not in others and name not in same]
    pairs = [(name, own) for name in lacking for own in free if fold(name) in fold(own)]
    times = Counter(part for pair in pairs for part in pair)
    yield from (pair for pair in pairs if times[pair[0]] == times[pair[1]] == 1)
