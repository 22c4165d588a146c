"""Reading: files outside any edition folder, by the rules of an edition or by a schema."""

from __future__ import annotations

from pathlib import Path

from quintain.contests import Track
from quintain.data import Data, Schema
from quintain.data.files import file_content
from quintain.data.files.apart import cells_apart
from quintain.data.learning.files import learn_file
from quintain.data.own_files.reading import column_names, read_own
from quintain.data.own_files.schema_file import describe, is_ours, read_schema_file
from quintain.data.readable import Readable
from quintain.errors import DataError, Faults

LEARNED = (
    "the columns were learned from the file: its smallest and largest numbers and every value that "
    "occurs. A release reveals them, and no claim covers that. Write what is public with quintain "
    "schema learn, and give it with --schema"
)


def track_schema(track: Track) -> Schema:
    """The columns of a track's data, as its files write them."""
    return track.files.spelled(track.dataset.data_schema())


def population_schema(path: Path, track: Track) -> Schema:
    """The columns of a file with the population of a track, which may lack the ids."""
    schema = track_schema(track)
    if not track.files.header or set(schema.names) <= set(column_names(path)):
        return schema
    return schema.private


def cells_of(path: Path, schema: Schema, track: Track, faults: Faults) -> Readable | None:
    """The readable cells of a file in the format of a track; notes every fault."""
    file_faults = Faults(path.name)
    form, cells = track.files, None
    try:
        content = file_content(path)
        cells = cells_apart(
            content, path.name, schema, header=form.header, strict=form.strict, faults=file_faults
        )
    except DataError as error:
        file_faults.extend(error.faults)
    faults.extend(file_faults)
    return cells


def schema_of(path: Path, schema: Path | None) -> tuple[Schema, str]:
    """The columns of somebody's own file, and what the owner should know about them.

    Parameters
    ----------
    schema : a schema file of ours or of another tool; by default the schema is learned.
    """
    if schema is None:
        return learn_file(path).schema, LEARNED
    if is_ours(schema):
        return read_schema_file(schema), ""
    columns, learned = describe(schema, path)
    return columns, LEARNED if learned else ""


def read_part_of(path: Path, schema: Schema) -> Data:
    """The records of a file in those columns of a schema that the file has."""
    names = column_names(path)
    return read_own(path, schema.select([name for name in schema.names if name in names]))
