"""People from files: a folder or a zip archive of tables, one file, or several data frames."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from quintain.data.files.data_file import to_bytes
from quintain.data.files.limits import DEFAULT_LIMITS, Limits
from quintain.data.kinds import is_data
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import LearnedSchema
from quintain.data.learning.people import learn_people
from quintain.data.outside import Outside
from quintain.data.own_files.database import open_database
from quintain.data.own_files.declared import declared_links
from quintain.data.own_files.folder import is_folder, open_folder
from quintain.data.people import People
from quintain.data.people_schema import PeopleSchema
from quintain.data.people_shape import as_trees
from quintain.data.schema import Schema
from quintain.data.sources.database_address import address_name, is_address
from quintain.data.trees import Trees
from quintain.errors import DataError, Faults
from quintain.jobs.files import require_new, write_new
from quintain.registry import parameter_faults
from quintain.wording.languages import tell

SCHEMA_FILE = "schema.json"
"""The name of the schema that is written beside the tables."""


def has_tables(source: Any) -> bool:
    """Whether something may have several tables: a folder, an archive, a database, or a mapping."""
    if isinstance(source, str | PathLike):
        return is_address(source) or is_folder(Path(source))
    return isinstance(source, Mapping)


def own_schema(source: Any) -> PeopleSchema | None:
    """The schema of data that have several tables; None for everything else."""
    if not is_data(source) or source.schema.tables is None:
        return None
    return as_trees(source).people.schema


def source_name(source: str | PathLike[str]) -> str:
    """What a folder, an archive or a database is called, without folders above and passwords."""
    return (
        address_name(source)
        if isinstance(source, str) and is_address(source)
        else Path(source).name
    )


@contextmanager
def open_tables(
    source: Any, *, header: bool | None = None, limits: Limits = DEFAULT_LIMITS
) -> Iterator[Mapping[str, InputTable]]:
    """The tables of a folder, a zip archive, a database, a file, or of data frames by name.

    The table of a single file has the name of the file, and that of a single frame is ``rows``.
    What an archive has exists until the end. Keys and references come with the tables where a
    database, or a description in the folder, states them.
    """
    if isinstance(source, str) and is_address(source):
        with open_database(source) as read:
            yield {
                name: replace(InputTable.of(table, name), links=links)
                for name, (table, links) in read.items()
            }
        return
    if isinstance(source, str | PathLike) and is_folder(Path(source)):
        with open_folder(Path(source), limits) as files:
            folder = next(iter(files.values())).parent
            links = declared_links(folder)
            yield {
                name: replace(InputTable.of(file, name, header=header), links=links.get(name))
                for name, file in files.items()
            }
        return
    if isinstance(source, str | PathLike):
        name = Path(source).stem
        yield {name: InputTable.of(source, name, header=header)}
        return
    if own_schema(source) is not None:
        source = as_trees(source).to_tables()
    given = source if isinstance(source, Mapping) else {"rows": source}
    yield {name: InputTable.of(table, name) for name, table in given.items()}


def read_people(
    source: Any,
    *,
    schema: PeopleSchema | str | PathLike[str] | None = None,
    person: str | None = None,
    header: bool | None = None,
    limits: Limits = DEFAULT_LIMITS,
    outside: Outside = "refuse",
) -> People:
    """Everybody in a folder, a zip archive, a file or data frames, each with all their rows.

    Without a schema, keys, references and the order are learned, and a warning names the tables
    that are left out. Raises with every fault of all tables.

    Parameters
    ----------
    source : the path of a folder or of a zip archive with one CSV, Parquet or Excel file per table,
        the path of one file, a data frame, or data frames by the name of their table.
    schema : what the tables are, or a file that says it (quintain.schema/2).
    person : the column that names people, if there is no schema.
    header : whether the first rows of files have the names of the columns.
    limits : how large an archive may be.
    outside : with "clip", cells that a schema does not allow are moved, and rows that lead to
        nobody are left out.

    >>> import pyarrow as pa
    >>> patients = pa.table({"patient_id": ["a", "b", "c"], "sex": ["f", "m", "f"]})
    >>> visits = pa.table({"patient_id": ["b", "a", "b"], "day": [9, 5, 3]})
    >>> people = read_people({"patients": patients, "visits": visits})
    >>> people.size, people.tables["visits"].index().rows(1).tolist()
    (3, [2, 0])
    """
    with open_tables(source, header=header, limits=limits) as tables:
        if schema is None:
            learned = learn_people(tables, person)
            if learned.warning:
                warnings.warn(learned.warning, LearnedSchema, stacklevel=2)
            return People.read(learned.schema, tables)
        if not isinstance(schema, PeopleSchema):
            schema = read_people_schema(Path(schema))
        return People.read(schema, tables, outside=outside)


def is_of_people(path: Path) -> bool:
    """Whether a file is a schema of several tables (quintain.schema/2)."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and isinstance(content.get("tables"), list)


def read_people_schema(path: Path) -> PeopleSchema:
    """The schema of people in a file (quintain.schema/2); raises with every fault in it."""
    faults = Faults(path.name)
    try:
        return PeopleSchema.model_validate_json(path.read_bytes())
    except ValidationError as problem:
        for fault in parameter_faults(PeopleSchema, problem):
            faults.add(fault.message, column=fault.column, got=fault.got)
    except OSError as problem:
        faults.add(tell("cannot be read: %(problem)s", problem=problem.strerror))
    raise DataError(faults.findings, faults.total)


def unstated_columns(stated: Any, schema: Schema) -> tuple[str, ...]:
    """The columns of several tables whose domains nobody stated, by their names in one flat file.

    Parameters
    ----------
    stated : a schema of people, the path of a file with one, or None if the schema was learned. A
        file may still have marks of what was learned when it was written.
    schema : the columns of the flat file.
    """
    if stated is None:
        return tuple(column.name for column in schema.attributes)
    return () if isinstance(stated, PeopleSchema) else marked_columns(Path(stated).read_bytes())


def marked_columns(content: str | bytes) -> tuple[str, ...]:
    """The columns of a file (quintain.schema/2) whose lines say that their domain was learned."""
    return tuple(
        f"{table['name']}.{column['name']}"
        for table in json.loads(content)["tables"]
        for column in table["columns"]
        if column.get("learned") is True
    )


def people_bytes(trees: Trees) -> dict[str, bytes]:
    """The content of a folder of people: one CSV file per table, and the schema, by their names.

    :func:`read_people` reads the same people from it. Rows get new keys; people keep theirs.
    """
    text = trees.people.schema.model_dump_json(indent=2, exclude_defaults=True)
    tables = {f"{name}.csv": to_bytes(table, ".csv") for name, table in trees.to_tables().items()}
    return tables | {SCHEMA_FILE: f"{text}\n".encode()}


def write_people(trees: Trees, folder: Path | str, *, replace: bool = False) -> None:
    """Write the files of people into a folder; all or, if one is there, none unless ``replace``."""
    files = {Path(folder) / name: content for name, content in people_bytes(trees).items()}
    for path in files:
        require_new(path, replace=replace)
    for path, content in files.items():
        write_new(path, content, replace=replace)
