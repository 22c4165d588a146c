"""Neighbours: pairs of data that differ by one person, made so that a fault would show.

Everybody else is fixed in both, so nothing but this person and the noise differs between runs. Some
pairs leave a real person out who stands out; others add a person who is made up: with values that
nobody has, or with cells of another kind than the rest of a column.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from quintain.attacks.exposed import most_exposed
from quintain.audits.games.players import Neighbours, most_alone, rarest_record
from quintain.audits.games.published import SoughtPerson
from quintain.audits.games.records import CallCells, Records, StatedRecords, rows_by_person
from quintain.data import Data, Table, as_table, shape_of
from quintain.data.arrays import Rows
from quintain.data.codec import missing_cells
from quintain.data.columns import Columns

REAL = 4
"""How many real people are left out, one per pair."""
CROWD = 2000
"""Of more people than this, those who stand out are looked for among so many random ones."""
NEW_WORD = "a value of nobody else"
FAR = 1000.0
"""A made-up person is so many widths of a column beyond everybody else."""


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourPair:
    """Two data sets that differ by one person.

    Parameters
    ----------
    name : who the person is, in words.
    without, with_it : the data without the person, and with them.
    person : what attackers look for.
    """

    name: str
    without: Records
    with_it: Records
    person: SoughtPerson


def make_pairs(
    records: Records, data: Data, neighbours: Neighbours, *, rng: np.random.Generator
) -> list[NeighbourPair]:
    """The pairs of a game.

    Parameters
    ----------
    records : the private records as their owner has them.
    data : the same records as a call reads them.
    """
    if data.schema.tables is None and shape_of(data).row_is_person:
        table = as_table(data)
        return list(_pairs_of_table(records, table, neighbours, rng))
    return list(_pairs_of_people(records, data, neighbours, rng))


def _pairs_of_table(
    records: Records, table: Table, neighbours: Neighbours, rng: np.random.Generator
) -> Iterator[NeighbourPair]:
    crowd = np.arange(len(table))
    if len(table) > CROWD:
        crowd = np.sort(rng.choice(len(table), CROWD, replace=False))
    alone = most_alone(table, REAL // 2)
    exposed = [row for row in crowd[most_exposed(table.take(crowd), REAL)] if row not in alone]
    real = np.array([*alone, *exposed][:REAL], np.int64)
    rest = np.setdiff1d(np.arange(len(table)), real)
    yield from _made_up(records, table, rest, neighbours, rng)
    for row in real.tolist():
        # Another real person stands in the place of one who is replaced.
        yield _real_pair(
            records, row, int(rng.choice(rest)), neighbours, SoughtPerson.of(table, row)
        )


def _real_pair(
    records: Records, row: int, stand_in: int, neighbours: Neighbours, person: SoughtPerson
) -> NeighbourPair:
    every = np.arange(len(records))
    if neighbours == "replace":
        without = np.where(every == row, stand_in, every)
        return NeighbourPair(
            f"row {row}", records.take(without), records, SoughtPerson(person.cells, row)
        )
    with_it = np.append(every[every != row], row)
    return NeighbourPair(
        f"row {row}", records.take(every[every != row]), records.take(with_it), person
    )


def _made_up(
    records: Records,
    table: Table,
    rest: Rows,
    neighbours: Neighbours,
    rng: np.random.Generator,
) -> Iterator[NeighbourPair]:
    """Pairs with a person who does not exist."""
    leaver = int(rng.choice(rest))
    stay = np.arange(len(records))
    if neighbours == "replace":
        stay = stay[stay != leaver]
        without = records.take(np.append(stay, leaver))
    else:
        without = records
    others, slot = records.take(stay), len(stay) if neighbours == "replace" else -1
    yield _among_equals(records, table, neighbours)
    if isinstance(others, CallCells):
        for name, cells in _odd_cells(others, table).items():
            added = others.add(cells)
            read = added.read().data
            person = SoughtPerson.of(as_table(read), len(read) - 1, slot)
            yield NeighbourPair(name, without, added, person)
    if isinstance(others, StatedRecords):
        made = table.concat(rarest_record(table))
        place = len(table)
        data = made.take(np.append(stay, place))
        yield NeighbourPair(
            "a made-up person with the rarest values",
            without,
            StatedRecords(data, others.unstated),
            SoughtPerson.of(made, place, slot),
        )


def _among_equals(records: Records, table: Table, neighbours: Neighbours) -> NeighbourPair:
    """One person beside many copies of another who has other values: nobody hides anybody.

    A claim is about all data, so the game may choose them. Where everybody has both of two common
    values, drawn rows hide one person more; where nobody else has their values, they cannot.
    """
    usual, odd = _most_different(table)
    crowd = np.full(len(table), usual)
    person = SoughtPerson.of(table, odd, len(crowd) - 1 if neighbours == "replace" else -1)
    stay = crowd[1:] if neighbours == "replace" else crowd
    with_it = records.take(np.append(stay, odd))
    return NeighbourPair("one person among equals", records.take(crowd), with_it, person)


def _most_different(table: Table) -> tuple[int, int]:
    """A person with common values, and one who differs from them in most columns."""
    commonness = np.zeros(len(table))
    for column in table.schema.columns:
        _, places, counts = np.unique(
            table.columns[column.name], return_inverse=True, return_counts=True
        )
        commonness += np.log(counts[places.ravel()])
    usual = int(commonness.argmax())
    differs = np.zeros(len(table))
    for column in table.schema.columns:
        cells = table.columns[column.name]
        differs += cells != cells[usual]
    return usual, int(np.lexsort((commonness, -differs))[0])


def _odd_cells(cells: CallCells, table: Table) -> dict[str, dict[str, Any]]:
    """The cells of made-up people: with new values, with other kinds, and with words."""
    usual = {name: cells.table.column(name)[0].as_py() for name in cells.table.column_names}
    extreme, kinds, words = dict(usual), dict(usual), dict(usual)
    for name in cells.table.column_names:
        column = cells.table.column(name)
        empty = _is_empty(column)
        if empty:
            kinds[name] = words[name] = _cell(cells, "positive")
        if name not in table.schema:
            continue
        learned = table.schema[name]
        if learned.listed:
            extreme[name] = NEW_WORD
        elif learned.numeric:
            low, high = (float(bound or 0) for bound in learned.bounds)
            beyond = high + FAR * max(1.0, high - low)
            number = int(beyond) if learned.whole else beyond
            extreme[name] = _cell(cells, number)
            fraction = float(np.floor((low + high) / 2)) + 0.5
            if learned.whole:
                kinds[name] = _cell(cells, fraction)
            if cells.written or not _is_number(column.type):
                words[name] = _cell(cells, "refused by the person")
    made = {
        "a made-up person with values of nobody else": extreme,
        "a made-up person with cells of other kinds": kinds,
        "a made-up person with words among numbers": words,
    }
    return {name: own for name, own in made.items() if own != usual}


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _is_empty(column: pa.ChunkedArray) -> bool:
    return column.null_count == len(column) or (
        pa.types.is_string(column.type) and set(column.unique().to_pylist()) <= {"", None}
    )


def _cell(cells: CallCells, value: Any) -> Any:
    """A value as the cells of a column have it: text files have texts."""
    if not cells.written:
        return value
    return f"{value:g}" if isinstance(value, float) else str(value)


# --- people with several rows, or with several tables ---


def _pairs_of_people(
    records: Records, data: Data, neighbours: Neighbours, rng: np.random.Generator
) -> Iterator[NeighbourPair]:
    crowd = np.arange(len(data))
    if len(data) > CROWD:
        crowd = np.sort(rng.choice(len(data), CROWD, replace=False))
    outstanding = crowd[_most_unlike(data, crowd)][:REAL]
    others = np.setdiff1d(np.arange(len(data)), outstanding)
    if isinstance(records, StatedRecords) and data.schema.tables is None:
        made = _with_made_up_person(data, int(rng.choice(others)))
        if made is not None:
            rows, added = made
            without, with_it = np.arange(len(data)), np.arange(len(added))
            if neighbours == "replace":
                with_it = with_it[1:]
            yield NeighbourPair(
                "a made-up person at values of nobody else",
                records.take(without),
                StatedRecords(added.take(with_it), records.unstated),
                SoughtPerson.of(rows, len(rows) - 1),
            )
    for person in outstanding.tolist():
        first = rows_of(data.take([person]))
        seen = SoughtPerson.of(first, 0) if len(first) else SoughtPerson({})
        yield _real_pair(records, person, int(rng.choice(others)), neighbours, seen)


def rows_of(data: Data) -> Columns:
    """The rows of some people; of several tables, those of the first."""
    if data.schema.tables is not None:
        from quintain.data import as_trees

        return next(iter(as_trees(data).to_tables().values()))
    return shape_of(data).to_rows(data)


def _most_unlike(data: Data, crowd: Rows) -> Rows:
    """The people, those first who have most values of nobody else, and then most rows."""
    tables = rows_by_person(data)
    common = [{name: _times(cells) for name, cells in table.items()} for table in tables]
    alone = []
    for person in crowd.tolist():
        own = rows_by_person(data.take([person]))
        rare = rows = 0
        for table, counts in zip(own, common, strict=True):
            for name, cells in table.items():
                rare += sum(counts[name].get(v, 0) <= times for v, times in _times(cells).items())
                rows += len(cells)
        alone.append((-rare, -rows))
    order = sorted(range(len(crowd)), key=alone.__getitem__)
    return np.array(order, np.int64)


def _times(cells: Any) -> dict[Any, int]:
    """How often each value occurs."""
    values, counts = np.unique(cells, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def _with_made_up_person(data: Data, model: int) -> tuple[Columns, Data] | None:
    """The data with one person more, who has one row of another one with values of nobody else."""
    shape, schema = shape_of(data), data.schema
    every = shape.to_rows(data)
    row = shape.to_rows(data.take([model])).take([0])
    contents = {}
    for column in schema.columns:
        cells, own = every.columns[column.name], row.columns[column.name]
        if column.identifying:
            own = _new_name(cells)
        elif not column.listed:
            own = _new_value(cells[~missing_cells(column, cells)], own)
        contents[column.name] = np.concatenate([cells, own.astype(cells.dtype)])
    rows = type(every)(schema, contents)
    try:
        return rows, shape.from_rows(rows)
    except Exception:  # a shape may demand more of its rows than we know
        return None


def _new_name(cells: Any) -> Any:
    if cells.dtype.kind == "U":
        return np.array(["quintain-person"[: max(1, cells.dtype.itemsize // 4)]])
    return np.array([cells.max() + 1]) if len(cells) else np.array([0])


def _new_value(known: Any, own: Any) -> Any:
    """A whole number between two that occur, in the widest gap."""
    values = np.unique(known)
    gaps = np.diff(values)
    if not len(gaps) or gaps.max() < 2:
        return own
    place = int(gaps.argmax())
    return np.array([values[place] + gaps[place] // 2])
