"""Table rows: the rows of a table as lines of JSON that mean the same in every database."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, DateTime, LargeBinary, Table, func, select, text

_BATCH = 500


def write_rows(connection: Connection, table: Table) -> Iterator[bytes]:
    """The rows of a table in the order of its key, one line each."""
    query = select(table).order_by(*table.primary_key)
    streamed = connection.execution_options(yield_per=_BATCH)
    for row in streamed.execute(query):
        values = {name: _written(value) for name, value in row._mapping.items()}
        yield json.dumps(values, ensure_ascii=False).encode() + b"\n"


def read_rows(connection: Connection, table: Table, lines: Iterator[bytes]) -> int:
    """Insert rows into an empty table; returns how many."""
    count, batch = 0, []
    for line in lines:
        values = json.loads(line)
        batch.append({name: _read(table.columns[name], value) for name, value in values.items()})
        count += 1
        if len(batch) == _BATCH:
            connection.execute(table.insert(), batch)
            batch = []
    if batch:
        connection.execute(table.insert(), batch)
    return count


def set_counters(connection: Connection, table: Table) -> None:
    """Let the next number of PostgreSQL be one that is free; SQLite finds it by itself."""
    if connection.dialect.name != "postgresql":
        return
    for column in table.primary_key:
        named = text("SELECT pg_get_serial_sequence(:table, :column)")
        sequence = connection.scalar(named, {"table": f'"{table.name}"', "column": column.name})
        if sequence is None:
            continue
        last = connection.scalar(select(func.max(column)))
        if last is not None:
            connection.execute(select(func.setval(sequence, last)))


def _written(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value


def _read(column: Column[Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column.type, DateTime):
        return datetime.fromisoformat(value)
    if isinstance(column.type, LargeBinary):
        return base64.b64decode(value, validate=True)
    return value
