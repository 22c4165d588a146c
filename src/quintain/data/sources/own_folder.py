"""Own folder: several tables of the organisers' own about the same people."""

from __future__ import annotations

from pathlib import Path

from quintain.commitment import sha256
from quintain.data.learning.people import learn_people
from quintain.data.own_files.folder import is_folder, open_folder
from quintain.data.own_files.reading import column_names
from quintain.data.people_files import (
    is_of_people,
    marked_columns,
    open_tables,
    read_people,
    read_people_schema,
)
from quintain.data.people_schema import PeopleSchema
from quintain.data.schema import Schema
from quintain.data.trees import Trees
from quintain.errors import DataError, Fault
from quintain.jobs.files import file_digest


def read_folder(path: Path, schema: Schema, header: bool | None = None) -> Trees:
    """Everybody in a folder or zip archive, by the schema of the flat file.

    Raises with every fault of all tables.
    """
    people = read_people(path, schema=PeopleSchema.of_flat(schema), header=header)
    return Trees.of(people, schema.title)


def data_digest(path: Path) -> str:
    """The SHA-256 of a data file; that of a folder is about the names and contents of its tables.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "visits.csv").write_text("who,day")
    ...     data_digest(Path(folder))[:8]
    'ce5abd76'
    """
    if not path.is_dir():
        return file_digest(str(path))
    with open_folder(path) as tables:
        lines = [f"{file_digest(str(file))}  {file.name}\n" for file in tables.values()]
    return sha256("".join(lines).encode())


def folder_columns(path: Path, schema: Schema, header: bool | None = None) -> list[str]:
    """The columns of all tables but keys and references, each with the name of its table."""
    links = {table.name: table.links for table in schema.tables or ()}
    with open_folder(path) as tables:
        return [
            f"{table}.{name}"
            for table, file in tables.items()
            for name in column_names(file, header=header)
            if name not in links.get(table, ())
        ]


def folder_schema(
    path: Path, described: Path | None, header: bool | None = None
) -> tuple[Schema, tuple[str, ...]]:
    """The schema of the flat file, and the columns whose domains come from the tables.

    Parameters
    ----------
    described : a schema of people (quintain.schema/2); without it, the schema is learned.
    """
    if described is None:
        with open_tables(path, header=header) as tables:
            learned = learn_people(tables)
        return learned.schema.flat(), marked_columns(learned.to_json())
    schema = read_people_schema(described)
    return schema.flat(), marked_columns(described.read_bytes())


def describes_folder(path: Path, described: Path | None) -> bool:
    """Whether a path is a folder or archive of tables; raises if the schema is for one table."""
    if not is_folder(path):
        return False
    if described is not None and not is_of_people(described):
        message = "describes one table; a folder needs a schema of people (quintain.schema/2)"
        raise DataError([Fault(message, described.name)])
    return True
