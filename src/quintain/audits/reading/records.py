"""Records: data of other shapes than tables, by the schema that they have or somebody states."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from quintain.audits.reading.given import AnySchema, bare, schema_of_rows, stated_schema
from quintain.audits.reading.inputs import HeldData
from quintain.audits.results import AuditedInput
from quintain.data import Data, is_data, see
from quintain.data.files.subprocess_reader import read_apart
from quintain.data.frames import from_frame
from quintain.data.own_files.memory import memory_limits
from quintain.data.shape import find_shape
from quintain.data.sources.database_address import require_file
from quintain.errors import DataError, Fault


def read_records(given: Mapping[str, Any], seen_as: str, schema: AnySchema) -> HeldData:
    """Data of all roles, seen in one shape; raises if they are of different shapes.

    Parameters
    ----------
    given : files, frames or data, by role.
    seen_as : the shape in which the audit takes them.
    """
    read = {role: _read(role, table, schema) for role, table in given.items()}
    if len({own.schema.shape for own, _ in read.values()}) > 1:
        raise DataError([Fault("original, release and control must be of the same kind")])
    data = {role: see(own, seen_as) for role, (own, _) in read.items()}
    described = tuple(entry for _, entry in read.values())
    return HeldData(data["original"], data["release"], data.get("control"), described, (), ())


def _read(role: str, given: Any, schema: AnySchema) -> tuple[Data, AuditedInput]:
    """The data, and their entry in the audit: name, size and hash."""
    data = bare(given)
    name: str = role
    content = None
    if not is_data(data) or find_shape(data.schema.shape).row_is_person:
        stated = stated_schema(schema_of_rows(schema))
        if stated is None:
            raise DataError([Fault("needs a schema: series and transactions have one", role)])
        if isinstance(data, str | PathLike):
            path = Path(data)
            require_file(data, role)
            name, content = path.name, path.read_bytes()
            data = read_apart(path, stated, limits=memory_limits())
        else:
            data = from_frame(data, stated)
    digest = data.digest() if content is None else hashlib.sha256(content).hexdigest()
    columns = len(data.schema.columns)
    described = AuditedInput(role=role, name=name, rows=len(data), columns=columns, sha256=digest)
    return data, described
