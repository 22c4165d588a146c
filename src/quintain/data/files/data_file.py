"""Data files: read and write CSV and Parquet files, and safetensors files of models.

A file is not trusted until every cell is checked against a schema. The same data always give the
same bytes.
"""

from __future__ import annotations

from pathlib import Path

from quintain.data.files.csv_cells import read_csv
from quintain.data.files.formats import endings, format_of, writer_of, wrong_ending
from quintain.data.files.limits import DEFAULT_LIMITS, NO_LIMITS, Limits
from quintain.data.files.model_cells import is_model_file, read_model
from quintain.data.readable import Readable
from quintain.data.schema import Schema
from quintain.data.shape import Data
from quintain.errors import DataError, Fault, Faults
from quintain.jobs.files import write_new
from quintain.wording.languages import tell


def read(
    path: Path | str,
    schema: Schema,
    *,
    header: bool = True,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Data:
    """Read a CSV or Parquet file of your own; raises with every fault in it.

    It is read in this process. For a file from somebody you do not know, use
    :func:`quintain.data.files.subprocess_reader.read_apart`.

    Parameters
    ----------
    header : whether a CSV file starts with a line of column names.
    strict : refuse a byte order mark and carriage returns, as the file format of a contest may.
    """
    name, faults = Path(path).name, Faults(Path(path).name)
    content = file_content(Path(path), limits)
    data = read_bytes(
        content, name, schema, header=header, strict=strict, limits=limits, faults=faults
    )
    faults.raise_if_any(DataError)
    assert data is not None  # no data without a fault
    return data


def read_trusted(path: Path, schema: Schema, *, header: bool = True) -> Data:
    """Read a file that this program wrote, however large it is."""
    return read(path, schema, header=header, limits=NO_LIMITS)


def file_content(path: Path, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """The content of a file; raises if it is too large or cannot be read."""
    try:
        size = path.stat().st_size
        if size > limits.file_bytes:
            message = tell("%(n)s bytes; the limit is %(most)s", n=size, most=limits.file_bytes)
            raise DataError([Fault(message, path.name)])
        return path.read_bytes()
    except OSError as problem:
        message = tell("cannot be read: %(problem)s", problem=problem.strerror)
        raise DataError([Fault(message, path.name)]) from None


def read_bytes(
    content: bytes,
    name: str,
    schema: Schema,
    *,
    faults: Faults,
    header: bool = True,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Data | None:
    """Data from the content of a file; notes faults, and returns None if there are any."""
    cells = read_cells(
        content, name, schema, faults=faults, header=header, strict=strict, limits=limits
    )
    if cells is None or not cells.check_links(faults) or faults:
        return None
    return cells.data()


def read_cells(
    content: bytes,
    name: str,
    schema: Schema,
    *,
    faults: Faults,
    header: bool = True,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Readable | None:
    """The readable cells of the content of a file; notes every fault.

    The result is None if the file is not a table with the columns of the schema.
    """
    reader = format_of(name).cells
    if reader is not None:
        return reader(content, schema, limits, faults)
    if schema.model is not None and is_model_file(content):
        return read_model(content, schema, limits, faults)
    return read_csv(content, schema, header, strict, limits, faults)


def write(data: Data, path: Path | str, *, header: bool = True, replace: bool = False) -> None:
    """Write a CSV file, or what the end of the name says: .parquet, or .safetensors of a model.

    Raises if the name promises another format. A file that is there stays, unless ``replace``.
    """
    path = Path(path)
    message = wrong_ending(path, *endings(), *endings(models=True))
    if message is not None:
        raise DataError([Fault(message, str(path))])
    write_new(path, to_bytes(data, path.suffix.lower(), header=header), replace=replace)


def to_bytes(data: Data, suffix: str, *, header: bool = True) -> bytes:
    """The content of a data file; the same data always give the same bytes."""
    return writer_of(suffix)(data, header)
