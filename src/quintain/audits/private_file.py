"""Private file: the file that an audit of a sanitizer runs on, with its hash."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

from quintain.audits.games.records import CallCells, PeopleToLearn, Records, StatedRecords
from quintain.audits.results import AuditedInput
from quintain.data import Data, Schema
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import Learned, LearnedSchema, learn
from quintain.data.people_files import has_tables, read_people, unstated_columns
from quintain.data.trees import Trees
from quintain.jobs.files import file_digest
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.adapters.adapter import with_cells


@dataclass(frozen=True, slots=True)
class PrivateFile:
    """The records of a file.

    Parameters
    ----------
    unstated : the columns whose domains nobody stated, so that they come from the cells.
    facts : which file it was.
    records : the cells, from which each call learns anew.
    """

    data: Data
    unstated: tuple[str, ...]
    facts: AuditedInput
    records: Records


def read_private(
    path: Path,
    schema: Path | None = None,
    *,
    header: bool | None = None,
    sanitizer: Sanitizer | None = None,
) -> PrivateFile:
    """Read the file with the private table.

    Parameters
    ----------
    sanitizer : what reads it; one of another maker may want the cells as they are.
    schema : a schema file of ours or of another tool; by default the schema is learned.
    header : whether the first row has the column names; None if nobody said it.
    """
    if has_tables(path):
        return _read_people(path, schema)
    table = InputTable.of(path, header=header)
    learned = learn(table, stated=schema)
    data = learned.read(table)
    facts = AuditedInput(
        role="original",
        name=path.name,
        rows=len(data),
        columns=len(data.schema.names),
        sha256=file_digest(path),
    )
    records = private_records(table, learned, data, schema, sanitizer)
    return PrivateFile(data, learned.unstated, facts, records)


def _read_people(path: Path, schema: Path | None) -> PrivateFile:
    """Everybody in a folder or an archive with several tables."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LearnedSchema)  # every call of the game is told it again
        people = Trees.of(read_people(path, schema=schema))
    facts = AuditedInput(
        role="original",
        name=path.name,
        rows=len(people),
        columns=len(people.schema.names),
        sha256=file_digest(path) if path.is_file() else people.digest(),
    )
    records = private_people(people, learned=schema is None)
    return PrivateFile(people, unstated_columns(schema, people.schema), facts, records)


def private_people(people: Trees, *, learned: bool) -> Records:
    """People with several tables as a call reads them."""
    return PeopleToLearn(people) if learned else StatedRecords(people)


def private_records(
    table: InputTable,
    learned: Learned,
    data: Data,
    stated: Schema | Learned | Path | None,
    sanitizer: Sanitizer | None = None,
) -> Records:
    """The private records as a call reads them: their cells, if anything is learned from them."""
    if table.data is not None:
        return StatedRecords(data, learned.unstated)
    if not learned.unstated:
        whole = data if sanitizer is None else with_cells(sanitizer, data, table.read_cells)
        return StatedRecords(whole, learned.unstated)
    return CallCells.of(table, stated)
