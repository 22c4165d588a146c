"""Reading: files outside any edition folder, by the rules of an edition or by a schema."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from quintain.contests import Track
from quintain.data import Data, Schema
from quintain.data.files import file_content
from quintain.data.files.subprocess_reader import cells_apart
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.data.outside import Outside
from quintain.data.own_files.reading import column_names
from quintain.data.readable import Readable
from quintain.errors import DataError, Faults
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.mechanism import DomainSource
from quintain.sanitizers.outside import read_private

LEARNED = (
    "the domains were learned from the file: its smallest and largest numbers and every value that "
    "occurs. A release reveals them, and no claim covers that. Write what is public with quintain "
    "schema learn, and give it with --schema"
)
OTHERWISE = (
    "to use such a column, write the schema with quintain schema learn, give the column another "
    "kind there, and give the schema with --schema"
)


def track_schema(track: Track) -> Schema:
    """The columns of a track's data, as its files write them."""
    return track.files.spell_deleted(track.dataset.data_schema())


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
        if cells is not None:
            cells.check_links(file_faults)
    except DataError as error:
        file_faults.extend(error.faults)
    faults.extend(file_faults)
    return cells


@dataclass(frozen=True, slots=True)
class OwnTable:
    """The records of somebody's own file.

    Parameters
    ----------
    unstated : the columns whose domains nobody stated, so that they come from the cells.
    kinds_stated : whether somebody stated columns and kinds.
    left_out : a sentence about the columns that are not used; empty if there are none.
    table : the file.
    outside : what became of cells that a stated schema does not allow; None if none is stated.
    """

    data: Data
    unstated: tuple[str, ...]
    kinds_stated: bool
    left_out: str
    table: InputTable
    outside: Outside | None


def read_own_table(
    path: Path,
    sanitizer: Sanitizer,
    schema: Path | None,
    header: bool | None = None,
    unit: str | None = None,
    domain: DomainSource | None = None,
    outside: Outside | None = None,
) -> OwnTable:
    """Read somebody's own file for a sanitizer.

    Parameters
    ----------
    schema : a schema file of ours or of another tool; by default the schema is learned. A line of
        ours that is still marked as learned states no domain, and a file of ours may leave columns
        to be learned.
    header : whether the first row has the column names; None if nobody said it.
    unit : the column that says whose row it is; it is read as an id.
    """
    table = InputTable.of(path, header=header)
    learned = learn(table, stated=schema, unit=unit)
    whole = learned.stated is not None
    left_out = "" if whole else learned.tell_left_out("published", OTHERWISE, but=unit)
    data, way = read_private(sanitizer, table, learned, outside=outside, domain=domain, unit=unit)
    stated = None if schema is None else way
    return OwnTable(data, learned.unstated, learned.kinds_stated, left_out, table, stated)
