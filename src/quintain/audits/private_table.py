"""Private table: the file that a sanitizer audit runs on, with its hash."""

from __future__ import annotations

from pathlib import Path

from quintain.audits.release_audit import AuditedInput
from quintain.data import Data
from quintain.data.learning.files import learn_file
from quintain.data.own_files.reading import read_own
from quintain.data.own_files.schema_file import describe, is_ours, read_schema_file
from quintain.jobs.files import file_digest


def read_private(path: Path, schema: Path | None = None) -> tuple[Data, AuditedInput]:
    """The records of a file, and the facts that say which file it was.

    Parameters
    ----------
    schema : a schema file of ours or of another tool; by default the schema is learned.
    """
    if schema is None:
        columns = learn_file(path).schema
    elif is_ours(schema):
        columns = read_schema_file(schema)
    else:
        columns, _ = describe(schema, path)
    data = read_own(path, columns)
    facts = AuditedInput(
        role="original",
        name=path.name,
        rows=len(data),
        columns=len(columns.names),
        sha256=file_digest(path),
    )
    return data, facts
