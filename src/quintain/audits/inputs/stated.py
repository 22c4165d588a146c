"""Stated columns: a schema that the user gives, ours or of another tool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quintain.audits.inputs.source import Role, Source
from quintain.data import Learned, Schema
from quintain.data.learning.decisions import Decision
from quintain.data.own_files.schema_file import describe, is_ours, read_schema_file
from quintain.errors import DataError, Fault

_REASON = "the schema says so"


def stated_decisions(
    sources: Sequence[Source], schema: Schema | Learned | Path
) -> dict[Role, dict[str, Decision]]:
    """What the schema says about the columns of each table."""
    if isinstance(schema, Path) and not is_ours(schema):
        return _described(sources, schema)
    if isinstance(schema, Path):
        schema = read_schema_file(schema)
    columns = (schema.schema if isinstance(schema, Learned) else schema).columns
    made: dict[Role, dict[str, Decision]] = {}
    for source in sources:
        names = source.names()
        known = {one.name: Decision(one.name, one, _REASON) for one in columns}
        made[source.role] = {
            name: known.get(name, Decision(name, None, "the schema does not have it"))
            for name in names
        }
    return made


def _described(sources: Sequence[Source], path: Path) -> dict[Role, dict[str, Decision]]:
    """Metadata of another tool leave domains open; each file completes them with its own."""
    made: dict[Role, dict[str, Decision]] = {}
    faults: list[Fault] = []
    for source in sources:
        if source.path is None:
            message = "metadata of other tools describe files; give files, or schema=Schema(...)"
            raise DataError([Fault(message, path.name)])
        try:
            schema, _ = describe(path, source.path, partly=True)
        except DataError as error:
            faults += error.faults
            continue
        made[source.role] = {one.name: Decision(one.name, one, _REASON) for one in schema.columns}
    if faults:
        raise DataError(dict.fromkeys(faults))
    return made
