"""Frictionless table schemas, and data packages with one resource."""

from __future__ import annotations

from typing import Any

from quintain.data.metadata.foreign_column import DAY, SECOND, ForeignColumn, kind_of
from quintain.data.schema import Kind
from quintain.errors import Faults

_KINDS: dict[str, Kind] = {
    "string": "category",
    "boolean": "category",
    "integer": "integer",
    "year": "integer",
    "number": "real",
    "date": "time",
    "datetime": "time",
}
_TIME_FORMATS = {"date": DAY, "datetime": SECOND}


def is_frictionless(content: dict[str, Any]) -> bool:
    """Whether a JSON document is a table schema or a data package."""
    return "fields" in content or "resources" in content


def frictionless_columns(content: dict[str, Any], faults: Faults) -> list[ForeignColumn]:
    """The fields of the schema."""
    if "resources" in content:
        resources = content["resources"]
        if len(resources) != 1:
            faults.add(f"describes {len(resources)} resources; give one", column="resources")
            return []
        content = resources[0].get("schema", {})
    key = content.get("primaryKey")
    columns = (_column(facts, key, faults) for facts in content.get("fields", []))
    return [column for column in columns if column is not None]


def _column(facts: dict[str, Any], key: Any, faults: Faults) -> ForeignColumn | None:
    name, written = str(facts["name"]), facts.get("type", "string")
    limits = facts.get("constraints", {})
    kind = kind_of(name, written, _KINDS, faults)
    if kind is None:
        return None
    if kind == "category" and limits.get("unique"):
        kind = "id"
    numeric = kind in ("integer", "real")
    listed = tuple(map(str, limits.get("enum", ())))
    form = _TIME_FORMATS.get(written, "")
    if str(facts.get("format", "")).startswith("%"):
        form = facts["format"]
    return ForeignColumn(
        name,
        kind,
        values=(("true", "false") if written == "boolean" else listed)
        if kind == "category"
        else (),
        low=limits.get("minimum") if numeric else None,
        high=limits.get("maximum") if numeric else None,
        required=bool(limits.get("required", False)),
        role="person" if key in (name, [name]) else "",
        time_format=form,
    )
