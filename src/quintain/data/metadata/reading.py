"""Reading: the schema behind a description, with the domains that the description lacks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from quintain.data.metadata.croissant import croissant_columns, is_croissant
from quintain.data.metadata.foreign_column import DAY, ForeignColumn
from quintain.data.metadata.frictionless import frictionless_columns, is_frictionless
from quintain.data.metadata.sdv import is_sdv, sdv_columns
from quintain.data.schema import Column, Schema
from quintain.errors import DataError, Faults
from quintain.registry import parameter_faults

_KNOWN = ("SDV metadata", "a Frictionless table schema", "Croissant")
_Reader = Callable[[dict[str, Any], Faults], list[ForeignColumn]]
_FORMATS: tuple[tuple[Callable[[dict[str, Any]], bool], _Reader], ...] = (
    (is_sdv, sdv_columns),
    (is_croissant, croissant_columns),
    (is_frictionless, frictionless_columns),
)


@dataclass(frozen=True, slots=True)
class ForeignSchema:
    """A schema that another tool wrote.

    ``learned`` names the columns whose domain is not in the file and was learned from the data.
    """

    schema: Schema
    learned: tuple[str, ...]


def read_metadata(path: Path, values: Mapping[str, Sequence[Any]] | None = None) -> ForeignSchema:
    """Read SDV metadata (V1 or single-table V1), a Frictionless schema or package, or Croissant.

    Parameters
    ----------
    values : columns of public data, for the domains that the file does not give.
    """
    faults, known = Faults(path.name), values or {}
    columns, learned = [], []
    for foreign in foreign_columns(path, faults):
        domain = foreign.values
        if foreign.kind == "category" and not domain:
            given = known.get(foreign.name, ())
            domain = tuple(sorted({str(v) for v in given if v is not None and v == v}))
            learned.append(foreign.name)
            if not domain:
                message = "the file does not list its values; give the data as well"
                faults.add(message, column=foreign.name)
                continue
        column = column_of(foreign, faults, values=domain)
        if column is not None:
            columns.append(column)
    faults.raise_if_any(DataError)
    return ForeignSchema(Schema(columns=tuple(columns)), tuple(learned))


def foreign_columns(path: Path, faults: Faults) -> list[ForeignColumn]:
    """What a description says about columns; notes what is wrong with single columns.

    Raises if it is no description at all.
    """
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as problem:
        faults.add(f"is not a readable JSON file: {problem}")
        raise DataError(faults.findings) from None
    table = content if isinstance(content, dict) else {}
    reader = next((reader for fits, reader in _FORMATS if fits(table)), None)
    if reader is None:
        faults.add(f"is neither {', nor '.join(_KNOWN)}")
        raise DataError(faults.findings)
    try:
        columns = reader(table, faults)
    except (AttributeError, TypeError, KeyError, IndexError):
        faults.add(f"is not shaped like {' or '.join(_KNOWN)}")
        raise DataError(faults.findings) from None
    if not columns:
        if not faults:
            faults.add("has no columns")
        raise DataError(faults.findings)
    return columns


def column_of(foreign: ForeignColumn, faults: Faults, **known: Any) -> Column | None:
    """Our column for a foreign one; ``known`` are further facts. None if they contradict."""
    numeric = foreign.kind in ("integer", "real")
    facts: dict[str, Any] = {
        "name": foreign.name,
        "kind": foreign.kind,
        "low": foreign.low if numeric else None,
        "high": foreign.high if numeric else None,
        "role": foreign.role,
        "time_format": foreign.time_format or DAY,
        **known,
    }
    kind, bounds = facts["kind"], (facts["low"], facts["high"])
    # An integer without bounds has no code that could stand for a missing value.
    room = kind != "id" and (kind != "integer" or None not in bounds)
    facts.setdefault("nullable", room and not foreign.required)
    try:
        return Column(**facts)
    except ValidationError as problem:
        for fault in parameter_faults(Column, problem):
            faults.add(fault.message, column=foreign.name)
        return None
