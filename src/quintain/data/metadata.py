"""Metadata: read the schemas that other tools write: SDV, Frictionless and Croissant.

They say what kind of column it is, but rarely which values it may have. The other domains then come
from the given data. That is right for public data and wrong for private data, so the result names
the columns that it concerns.

References
----------
MLCommons (2024), Croissant format specification, version 1.0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from quintain.data.column import Column, ColumnKind, KindName, find_kind
from quintain.data.schema import Schema
from quintain.errors import DataError, Faults
from quintain.registry import parameter_faults

DAY, SECOND = "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True)
class ForeignColumn:
    """A column as another tool describes it.

    Parameters
    ----------
    values : the categories; empty if the description does not list them.
    low, high : the bounds of a number, as far as they are given.
    required : whether a value must not be missing.
    time_format : how times are written; empty if the description does not say it.
    """

    name: str
    kind: KindName
    values: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    required: bool = False
    role: str = ""
    time_format: str = ""

    @property
    def its_kind(self) -> ColumnKind:
        """What our kind of column says."""
        return find_kind(self.kind)


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
        if foreign.its_kind.listed and not domain:
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

    Raises if it is not a description at all.
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
    numeric = foreign.its_kind.numeric
    facts: dict[str, Any] = {
        "name": foreign.name,
        "kind": foreign.kind,
        "low": foreign.low if numeric else None,
        "high": foreign.high if numeric else None,
        "role": foreign.role,
        "time_format": foreign.time_format or DAY,
        **known,
    }
    kind, bounds = find_kind(facts["kind"]), (facts["low"], facts["high"])
    # An integer without bounds has no code that could stand for a missing value.
    room = not kind.identifying and (not kind.whole or None not in bounds)
    facts.setdefault("nullable", room and not foreign.required)
    try:
        return Column(**facts)
    except ValidationError as problem:
        for fault in parameter_faults(Column, problem):
            faults.add(fault.message, column=foreign.name)
        return None


# --- what each tool writes ---


def kind_of(
    name: str, written: object, kinds: Mapping[str, KindName], faults: Faults
) -> KindName | None:
    """Our kind for the type of another tool; an unknown type is a fault."""
    kind = kinds.get(str(written))
    if kind is None:
        available = ", ".join(sorted(kinds))
        message = f"unknown kind of column; available: {available}"
        faults.add(message, column=name, got=str(written))
    return kind


_SDV_KINDS: dict[str, KindName] = {
    "numerical": "real",
    "categorical": "category",
    "boolean": "category",
    "datetime": "time",
    "id": "id",
}


def is_sdv(content: dict[str, Any]) -> bool:
    """Whether a JSON document is SDV metadata."""
    return "METADATA_SPEC_VERSION" in content


def sdv_columns(content: dict[str, Any], faults: Faults) -> list[ForeignColumn]:
    """The columns of the only table."""
    tables = content.get("tables")
    if isinstance(tables, dict):
        if len(tables) != 1:
            faults.add(f"describes {len(tables)} tables; give one", column="tables")
            return []
        content = next(iter(tables.values()))
    columns = []
    for name, facts in content.get("columns", {}).items():
        sdtype = facts.get("sdtype")
        personal = sdtype not in _SDV_KINDS and facts.get("pii")
        kind: KindName | None = "id" if personal else kind_of(name, sdtype, _SDV_KINDS, faults)
        if kind is not None:
            columns.append(
                ForeignColumn(
                    name,
                    kind,
                    values=("True", "False") if sdtype == "boolean" else (),
                    role="person" if name == content.get("primary_key") else "",
                    time_format=facts.get("datetime_format", ""),
                )
            )
    return columns


_FRICTIONLESS_KINDS: dict[str, KindName] = {
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
    columns = (_frictionless_column(facts, key, faults) for facts in content.get("fields", []))
    return [column for column in columns if column is not None]


def _frictionless_column(facts: dict[str, Any], key: Any, faults: Faults) -> ForeignColumn | None:
    name, written = str(facts["name"]), facts.get("type", "string")
    limits = facts.get("constraints", {})
    kind = kind_of(name, written, _FRICTIONLESS_KINDS, faults)
    if kind is None:
        return None
    if find_kind(kind).listed and limits.get("unique"):
        kind = "id"
    numeric, words = find_kind(kind).numeric, find_kind(kind).listed
    listed = tuple(map(str, limits.get("enum", ())))
    form = _TIME_FORMATS.get(written, "")
    if str(facts.get("format", "")).startswith("%"):
        form = facts["format"]
    return ForeignColumn(
        name,
        kind,
        values=(("true", "false") if written == "boolean" else listed) if words else (),
        low=limits.get("minimum") if numeric else None,
        high=limits.get("maximum") if numeric else None,
        required=bool(limits.get("required", False)),
        role="person" if key in (name, [name]) else "",
        time_format=form,
    )


_CROISSANT_KINDS: dict[str, KindName] = {
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
    sets = items_under(content, "recordSet")
    tables = [entry for entry in sets if not items_under(entry, "data") and any(_fields(entry))]
    if len(tables) != 1:
        faults.add(
            f"describes {len(tables)} record sets with columns; give one", column="recordSet"
        )
        return []
    keys = [last_name(key) for key in references_of(tables[0].get("key"))]
    columns = []
    for name, field in _fields(tables[0]):
        written = _data_type(field)
        kind = kind_of(name, written, _CROISSANT_KINDS, faults)
        if kind is None:
            continue
        values = ("true", "false") if written == "Boolean" else _enumerated_values(field, sets)
        columns.append(
            ForeignColumn(
                name,
                kind,
                values=values if find_kind(kind).listed else (),
                role="person" if last_name(str(field.get("@id", name))) in keys else "",
            )
        )
    return columns


def items_under(table: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """What stands under a key of Croissant, one or several."""
    value = table.get(key, table.get(f"cr:{key}", []))
    return list(value) if isinstance(value, list) else [value]


def _fields(record_set: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The fields with the names of their columns in the file."""
    for field in items_under(record_set, "field"):
        source = field.get("source", {})
        extract = source.get("extract", {}) if isinstance(source, dict) else {}
        name = extract.get("column") or field.get("name") or last_name(str(field.get("@id", "")))
        if name:
            yield str(name), field


def _data_type(field: dict[str, Any]) -> str:
    """The name of the type without its vocabulary; of several types, the first that is known."""
    given = field.get("dataType", "Text")
    names = [
        re.split(r"[:/#]", str(name))[-1]
        for name in (given if isinstance(given, list) else [given])
    ]
    return next((name for name in names if name in _CROISSANT_KINDS), names[0] if names else "Text")


def _enumerated_values(field: dict[str, Any], sets: list[dict[str, Any]]) -> tuple[str, ...]:
    """The values of the record set that a field refers to, if they are in the description."""
    for target in references_of(field.get("references")):
        for record_set in sets:
            named = str(record_set.get("@id", record_set.get("name", "")))
            rows = items_under(record_set, "data")
            if rows and target.rpartition("/")[0] == named:
                values = [row.get(target, row.get(last_name(target))) for row in rows]
                return tuple(str(value) for value in values if value is not None)
    return ()


def references_of(given: Any) -> list[str]:
    """The ids that a value refers to, in any of the forms of JSON-LD."""
    if isinstance(given, list):
        return [name for item in given for name in references_of(item)]
    if isinstance(given, dict):
        return references_of(given.get("@id", given.get("field")))
    return [] if given is None else [str(given)]


def last_name(name: str) -> str:
    """The last part of an id such as ``patients/patient_id``."""
    return name.rpartition("/")[2]


_KNOWN = ("SDV metadata", "a Frictionless table schema", "Croissant")


_Reader = Callable[[dict[str, Any], Faults], list[ForeignColumn]]


_FORMATS: tuple[tuple[Callable[[dict[str, Any]], bool], _Reader], ...] = (
    (is_sdv, sdv_columns),
    (is_croissant, croissant_columns),
    (is_frictionless, frictionless_columns),
)
