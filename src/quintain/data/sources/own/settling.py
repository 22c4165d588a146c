"""Settling: the parameters of a data set, completed with what lies beside the edition file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.data.learning.stated import is_ours, marked_columns, read_schema_file
from quintain.data.schema import Schema
from quintain.errors import DataError, Faults
from quintain.jobs.files import FileCache, Identity, file_digest, identity

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
    if isinstance(table.get("schema"), str | None):
        described = _find("schema", table, folders, faults)
        data = places.get(str(whole.get("path")))
        if described is not None or (data is not None and table.get("schema") is None):
            _add_schema(whole, data, described, faults)
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


def _add_schema(
    whole: dict[str, Any], data: Path | None, described: Path | None, faults: Faults
) -> None:
    """Add the described schema, completed with what can be learned from the data."""
    try:
        if described is not None and is_ours(described):
            schema, learned = read_schema_file(described), marked_columns(described)
        elif data is None:
            return  # its absence is a fault already
        else:
            described_by = None if described is None else identity(described)
            schema, learned = _SCHEMAS(data, described, described_by, whole.get("header"))
    except DataError as error:
        faults.extend(error.faults)
        return
    whole["schema"] = schema.model_dump(mode="json")
    if learned:
        whole["learned"] = list(learned)


def _read_schema(
    data: Path, described: Path | None, _: Identity | None, header: bool | None
) -> tuple[Schema, tuple[str, ...]]:
    learned = learn(InputTable.of(data, header=header), stated=described)
    return learned.schema, learned.learned


_SCHEMAS = FileCache(_read_schema, 8)
"""The schemas of the last few data files: a command loads its edition several times."""
