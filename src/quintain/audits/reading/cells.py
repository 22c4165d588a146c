"""Cells: what an audit reads of a table as it was given, and how it names that table."""

from __future__ import annotations

import hashlib
import json

import pyarrow as pa

from quintain.audits.results import AuditedInput
from quintain.data import Table
from quintain.data.learning.input_table import InputTable
from quintain.jobs.files import file_digest


def readable_columns(source: InputTable) -> dict[str, pa.ChunkedArray]:
    """The cells of all columns as texts, without nested ones."""
    out = {}
    for name in source.names():
        try:
            out[name] = source.cells(name)
        except pa.ArrowException:  # nested cells are no texts
            continue
    return out


def describe_table(table: InputTable, records: Table, columns: int | None = None) -> AuditedInput:
    """The entry in the audit: name, size and hash; ``columns`` if the file has others, too."""
    return AuditedInput(
        role=table.role,
        name=table.name,
        rows=len(records),
        columns=len(records.schema.names) if columns is None else columns,
        sha256=records.digest() if table.path is None else file_digest(table.path),
    )


def describe_cells(table: InputTable) -> AuditedInput:
    """The entry of a table of which no column became a record."""
    cells = readable_columns(table)
    texts = json.dumps({name: own.to_pylist() for name, own in cells.items()}).encode()
    return AuditedInput(
        role=table.role,
        name=table.name,
        rows=max(map(len, cells.values()), default=0),
        columns=len(table.names()),
        sha256=hashlib.sha256(texts).hexdigest() if table.path is None else file_digest(table.path),
    )
