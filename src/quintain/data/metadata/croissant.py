"""Croissant: JSON-LD descriptions of data sets, as repositories of data sets publish them.

References
----------
MLCommons (2024), Croissant format specification, version 1.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from quintain.data.metadata.foreign_column import ForeignColumn, kind_of
from quintain.data.schema import Kind
from quintain.errors import Faults

_KINDS: dict[str, Kind] = {
    "Text": "category",
    "Boolean": "category",
    "Integer": "integer",
    "Int8": "integer",
    "Int16": "integer",
    "Int32": "integer",
    "Int64": "integer",
    "Float": "real",
    "Float16": "real",
    "Float32": "real",
    "Float64": "real",
    "Number": "real",
    "Date": "time",
    "DateTime": "time",
    "URL": "id",
}


def is_croissant(content: dict[str, Any]) -> bool:
    """Whether a JSON document is a Croissant description."""
    return "@context" in content and ("recordSet" in content or "cr:recordSet" in content)


def croissant_columns(content: dict[str, Any], faults: Faults) -> list[ForeignColumn]:
    """The fields of the only record set that is read from a file."""
    sets = _listed(content, "recordSet")
    tables = [one for one in sets if not _listed(one, "data") and any(_fields(one))]
    if len(tables) != 1:
        faults.add(
            f"describes {len(tables)} record sets with columns; give one", column="recordSet"
        )
        return []
    keys = [_last(key) for key in _references(tables[0].get("key"))]
    columns = []
    for name, field in _fields(tables[0]):
        written = _data_type(field)
        kind = kind_of(name, written, _KINDS, faults)
        if kind is None:
            continue
        values = ("true", "false") if written == "Boolean" else _enumerated(field, sets)
        columns.append(
            ForeignColumn(
                name,
                kind,
                values=values if kind == "category" else (),
                role="person" if _last(str(field.get("@id", name))) in keys else "",
            )
        )
    return columns


def _listed(table: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = table.get(key, table.get(f"cr:{key}", []))
    return list(value) if isinstance(value, list) else [value]


def _fields(record_set: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The fields with the names of their columns in the file."""
    for field in _listed(record_set, "field"):
        source = field.get("source", {})
        extract = source.get("extract", {}) if isinstance(source, dict) else {}
        name = extract.get("column") or field.get("name") or _last(str(field.get("@id", "")))
        if name:
            yield str(name), field


def _data_type(field: dict[str, Any]) -> str:
    """The name of the type without its vocabulary; of several types, the first that is known."""
    given = field.get("dataType", "Text")
    names = [
        re.split(r"[:/#]", str(one))[-1] for one in (given if isinstance(given, list) else [given])
    ]
    return next((name for name in names if name in _KINDS), names[0] if names else "Text")


def _enumerated(field: dict[str, Any], sets: list[dict[str, Any]]) -> tuple[str, ...]:
    """The values of the record set that a field refers to, if they are in the description."""
    for target in _references(field.get("references")):
        for record_set in sets:
            named = str(record_set.get("@id", record_set.get("name", "")))
            rows = _listed(record_set, "data")
            if rows and target.rpartition("/")[0] == named:
                values = [row.get(target, row.get(_last(target))) for row in rows]
                return tuple(str(value) for value in values if value is not None)
    return ()


def _references(given: Any) -> list[str]:
    """The ids that a value refers to, in any of the forms of JSON-LD."""
    if isinstance(given, list):
        return [name for one in given for name in _references(one)]
    if isinstance(given, dict):
        return _references(given.get("@id", given.get("field")))
    return [] if given is None else [str(given)]


def _last(name: str) -> str:
    return name.rpartition("/")[2]
