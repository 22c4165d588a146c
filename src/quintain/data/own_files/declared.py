"""Declared links: keys and references that a database or a description of tables states.

Files do not say which rows belong together. What stands beside them may: the foreign keys of a
Frictionless data package, the relationships of SDV metadata, the references of Croissant.

References
----------
Frictionless Data, Table Schema and Data Package (version 1). SDV, multi-table metadata. MLCommons
(2024), Croissant format specification, version 1.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from quintain.data.metadata import items_under, last_name, references_of

_LARGEST = 20_000_000
"""Bytes: a larger JSON file is data, not a description."""


@dataclass(frozen=True, slots=True)
class DeclaredLinks:
    """What somebody states about one table.

    Parameters
    ----------
    source : who states it, for reasons: "datapackage.json", "the database".
    key : the column that names its rows.
    references : for each column that names rows of another table that table and its key.
    """

    source: str
    key: str | None = None
    references: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def declared_links(folder: Path) -> dict[str, DeclaredLinks]:
    """What the descriptions in a folder say about its tables, by the names of their files.

    Other JSON files, and what is not shaped as these tools shape it, say nothing.
    """
    links: dict[str, DeclaredLinks] = {}
    for file in descriptions(folder):
        content = json.loads(file.read_bytes())
        for reader in (_frictionless, _sdv, _croissant):
            try:
                links |= dict(reader(content, file.name))
            except (AttributeError, TypeError, KeyError, IndexError):
                continue
    return links


def descriptions(folder: Path) -> list[Path]:
    """The JSON files of a folder that can be read."""
    files = []
    for file in sorted(folder.glob("*.json")):
        try:
            if file.stat().st_size <= _LARGEST and isinstance(json.loads(file.read_bytes()), dict):
                files.append(file)
        except (OSError, ValueError):
            continue
    return files


_Declared = Iterator[tuple[str, DeclaredLinks]]


def _frictionless(content: dict[str, Any], source: str) -> _Declared:
    """The primary and foreign keys of one column each, by resource."""
    resources = content.get("resources", [])
    files = {resource["name"]: _stem(resource) for resource in resources}
    for resource in resources:
        schema = resource.get("schema", {})
        references = {}
        for foreign in schema.get("foreignKeys", []):
            columns, there = (
                _one(part) for part in (foreign["fields"], foreign["reference"]["fields"])
            )
            table = foreign["reference"].get("resource") or resource["name"]
            if columns and there and table != resource["name"]:
                references[columns] = (files[table], there)
        key = _one(schema.get("primaryKey"))
        yield files[resource["name"]], DeclaredLinks(source, key, references)


def _stem(resource: dict[str, Any]) -> str:
    """The name of the file of a resource, without its ending; else its own name."""
    path = resource.get("path")
    path = path[0] if isinstance(path, list) and path else path
    return PurePosixPath(path).stem if isinstance(path, str) else str(resource["name"])


def _one(columns: Any) -> str | None:
    """The only column of a key; None for a key of several columns."""
    if isinstance(columns, list):
        return str(columns[0]) if len(columns) == 1 else None
    return None if columns is None else str(columns)


def _sdv(content: dict[str, Any], source: str) -> _Declared:
    """The primary keys and the relationships; before version 1, references stood in the fields."""
    tables = content["tables"]
    references: dict[str, dict[str, tuple[str, str]]] = {name: {} for name in tables}
    for link in content.get("relationships", []):
        above = link["parent_table_name"], link["parent_primary_key"]
        references[link["child_table_name"]][link["child_foreign_key"]] = above
    for name, table in tables.items():
        for column, facts in table.get("fields", {}).items():
            if "ref" in facts:
                references[name][column] = (facts["ref"]["table"], facts["ref"]["field"])
        yield name, DeclaredLinks(source, table.get("primary_key"), references[name])


def _croissant(content: dict[str, Any], source: str) -> _Declared:
    """The keys of record sets, and the fields that refer to fields of others."""
    sets = items_under(content, "recordSet")
    names = {str(entry.get("@id", entry.get("name", ""))): entry for entry in sets}
    files = {name: _file_of(entry, content) or name for name, entry in names.items()}
    for name, entry in names.items():
        references = {}
        for place in items_under(entry, "field"):
            column = _column_of(place)
            for target in references_of(place.get("references")):
                table, _, _ = target.rpartition("/")
                if table in names and table != name and not items_under(names[table], "data"):
                    fields = items_under(names[table], "field")
                    named = {str(own.get("@id", "")): _column_of(own) for own in fields}
                    references[column] = (files[table], named.get(target, last_name(target)))
        keys = [last_name(key) for key in references_of(entry.get("key"))]
        yield files[name], DeclaredLinks(source, _one(keys) if keys else None, references)


def _column_of(entry: dict[str, Any]) -> str:
    """The column of the file in which a field is."""
    source = entry.get("source", {})
    extract = source.get("extract", {}) if isinstance(source, dict) else {}
    return str(extract.get("column") or entry.get("name") or last_name(str(entry.get("@id", ""))))


def _file_of(entry: dict[str, Any], content: dict[str, Any]) -> str:
    """The name of the file of a record set, without its ending; empty if it has none."""
    for place in items_under(entry, "field"):
        source = place.get("source", {})
        objects = references_of(source.get("fileObject")) if isinstance(source, dict) else []
        for file in items_under(content, "distribution"):
            if file.get("@id") in objects:
                return PurePosixPath(str(file.get("contentUrl", file["@id"]))).stem
    return ""
