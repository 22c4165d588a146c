"""Schema files: the columns of a table, described by us or by another tool."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from quintain.data.schema import Schema
from quintain.errors import DataError, Faults
from quintain.registry import parameter_faults


def read_schema_file(path: Path) -> Schema:
    """The schema in a file; raises with every fault in it."""
    faults = Faults(path.name)
    try:
        return Schema.model_validate_json(path.read_bytes())
    except ValidationError as problem:
        for fault in parameter_faults(Schema, problem):
            faults.add(fault.message, column=fault.column, got=fault.got)
    except OSError as problem:
        faults.add(f"cannot be read: {problem.strerror}")
    raise DataError(faults.findings, faults.total)
