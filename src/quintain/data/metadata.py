"""Metadata: read the schemas that other tools write, SDV metadata and Frictionless table schemas.

SDV metadata say what kind of column it is, but not which values it may have. The domains then come
from the given data. That is right for public data and wrong for private data, so the result names
the columns that it concerns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from quintain.data.schema import Column, Kind, Schema
from quintain.errors import DataError, Faults
from quintain.registry import parameter_faults

_SDV: dict[str, Kind] = {
    "numerical": "real",
    "categorical": "category",
    "boolean": "category",
    "datetime": "time",
    "id": "id",
}
_FRICTIONLESS: dict[str, Kind] = {
    "string": "category",
    "boolean": "category",
    "integer": "integer",
    "year": "integer",
    "number": "real",
    "date": "time",
    "datetime": "time",
}
_TIME_FORMATS = {"date": "%Y-%m-%d", "datetime": "%Y-%m-%dT%H:%M:%SZ"}


@dataclass(frozen=True, slots=True)
class ForeignSchema:
    """A schema that another tool wrote.

    ``learned`` names the columns whose domain is not in the file and was learned from the data.
    """

    schema: Schema
    learned: tuple[str, ...]


def read_metadata(path: Path, values: Mapping[str, Sequence[Any]] | None = None) -> ForeignSchema:
    """Read SDV metadata (V1 or single-table V1) or a Frictionless schema or data package.

    Parameters
    ----------
    values : columns of public data, for the domains that the file does not give.
    """
    faults = Faults(path.name)
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as problem:
        faults.add(f"is not a readable JSON file: {problem}")
        raise DataError(faults.findings) from None
    try:
        result = _read(content, values or {}, faults)
    except (AttributeError, TypeError, KeyError, IndexError):
        faults.add("is not shaped like SDV metadata or a Frictionless table schema")
        result = None
    faults.raise_if_any(DataError)
    assert result is not None  # no schema without a fault
    return result


def _read(content: Any, known: Mapping[str, Sequence[Any]], faults: Faults) -> ForeignSchema | None:
    if isinstance(content, dict) and "METADATA_SPEC_VERSION" in content:
        return _sdv(content, known, faults)
    if isinstance(content, dict) and ("fields" in content or "resources" in content):
        return _frictionless(content, known, faults)
    faults.add("is neither SDV metadata nor a Frictionless table schema")
    return None


def _sdv(
    content: dict[str, Any], values: Mapping[str, Sequence[Any]], faults: Faults
) -> ForeignSchema | None:
    tables = content.get("tables")
    if isinstance(tables, dict):
        if len(tables) != 1:
            faults.add(f"describes {len(tables)} tables; give one", column="tables")
            return None
        content = next(iter(tables.values()))
    columns, learned = [], []
    for name, facts in content.get("columns", {}).items():
        sdtype = facts.get("sdtype")
        kind = _SDV.get(sdtype, "id" if facts.get("pii") else None)
        if kind is None:
            faults.add(_unknown_kind(_SDV), column=name, got=str(sdtype))
            continue
        domain = ("True", "False") if sdtype == "boolean" else ()
        form = facts.get("datetime_format", "%Y-%m-%d")
        role = "person" if name == content.get("primary_key") else ""
        column = _column(name, kind, domain, {}, values, faults, form=form, role=role)
        if column is not None:
            columns.append(column)
            if kind == "category" and not domain:
                learned.append(name)
    return _schema(columns, learned, faults)


def _frictionless(
    content: dict[str, Any], values: Mapping[str, Sequence[Any]], faults: Faults
) -> ForeignSchema | None:
    if "resources" in content:
        resources = content["resources"]
        if len(resources) != 1:
            faults.add(f"describes {len(resources)} resources; give one", column="resources")
            return None
        content = resources[0].get("schema", {})
    key = content.get("primaryKey")
    columns, learned = [], []
    for facts in content.get("fields", []):
        name, kind = str(facts["name"]), _FRICTIONLESS.get(facts.get("type", "string"))
        limits = facts.get("constraints", {})
        if kind is None:
            faults.add(_unknown_kind(_FRICTIONLESS), column=name, got=str(facts.get("type")))
            continue
        if kind == "category" and limits.get("unique"):
            kind = "id"
        boolean = facts.get("type") == "boolean"
        domain = ("true", "false") if boolean else tuple(map(str, limits.get("enum", ())))
        form = _TIME_FORMATS.get(facts.get("type", ""), "%Y-%m-%d")
        if str(facts.get("format", "")).startswith("%"):
            form = facts["format"]
        role = "person" if key in (name, [name]) else ""
        column = _column(name, kind, domain, limits, values, faults, form=form, role=role)
        if column is not None:
            columns.append(column)
            if kind == "category" and not domain:
                learned.append(name)
    return _schema(columns, learned, faults)


def _unknown_kind(kinds: Mapping[str, Kind]) -> str:
    return f"unknown kind of column; available: {', '.join(sorted(kinds))}"


def _column(
    name: str,
    kind: Kind,
    domain: tuple[str, ...],
    limits: Mapping[str, Any],
    values: Mapping[str, Sequence[Any]],
    faults: Faults,
    *,
    form: str,
    role: str,
) -> Column | None:
    if kind == "category" and not domain:
        domain = tuple(sorted({str(v) for v in values.get(name, ()) if v is not None and v == v}))
        if not domain:
            faults.add("the file does not list its values; give the data as well", column=name)
            return None
    numeric = kind in ("integer", "real")
    low, high = (limits.get(bound) if numeric else None for bound in ("minimum", "maximum"))
    # An integer without bounds has no code that could stand for a missing value.
    room = kind != "id" and (kind != "integer" or None not in (low, high))
    try:
        return Column(
            name=name,
            kind=kind,
            values=domain if kind == "category" else (),
            low=low,
            high=high,
            nullable=room and not limits.get("required", False),
            role=role,
            time_format=form,
        )
    except ValidationError as problem:
        for fault in parameter_faults(Column, problem):
            faults.add(fault.message, column=name)
        return None


def _schema(columns: list[Column], learned: list[str], faults: Faults) -> ForeignSchema | None:
    if not columns:
        faults.add("has no columns")
        return None
    return ForeignSchema(Schema(columns=tuple(columns)), tuple(learned))
