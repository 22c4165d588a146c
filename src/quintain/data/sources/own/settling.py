"""Settling: the parameters of a data set, completed with what lies beside the edition file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from quintain.data.own_files.schema_file import read_schema_file
from quintain.errors import DataError, Faults
from quintain.jobs.files import file_digest

_FILES = {"path": "sha256", "test": "test_sha256"}
"""The parameters that name a data file, and those with its checksum."""


def settle_table(
    table: Mapping[str, Any], folders: Sequence[Path]
) -> tuple[dict[str, Any], dict[str, Path]]:
    """The table with schema and checksums, and the places of the data files; raises with faults."""
    whole, places, faults = dict(table), dict[str, Path](), Faults()
    for key, digest in _FILES.items():
        file = _find(key, table, folders, faults)
        if file is None:
            continue
        if places.get(file.name, file) != file:
            faults.add(f"another file has the name {file.name}; rename one of them", column=key)
        places[file.name] = file
        whole[key], actual = file.name, file_digest(str(file))
        expected = table.get(digest, actual)
        if actual != expected:
            faults.add(f"SHA-256 is {actual}, expected {expected}", column=key, got=file.name)
        whole[digest] = actual
    schema = table.get("schema")
    if isinstance(schema, str):
        described = _find("schema", table, folders, faults)
        if described is not None:
            _add_schema(whole, described, faults)
    faults.raise_if_any(DataError)
    return whole, places


def _find(
    key: str, table: Mapping[str, Any], folders: Sequence[Path], faults: Faults
) -> Path | None:
    """The file that a parameter names, in the first folder that has it."""
    name = table.get(key)
    if not isinstance(name, str) or not name:
        return None
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    faults.add(f"file not found in {folders[0].resolve()}", column=key, got=name)
    return None


def _add_schema(whole: dict[str, Any], described: Path, faults: Faults) -> None:
    try:
        whole["schema"] = read_schema_file(described).model_dump(mode="json")
    except DataError as error:
        faults.extend(error.faults)
