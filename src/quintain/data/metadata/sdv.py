"""SDV metadata, of a single table or of several."""

from __future__ import annotations

from typing import Any

from quintain.data.metadata.foreign_column import ForeignColumn, kind_of
from quintain.data.schema import Kind
from quintain.errors import Faults

_KINDS: dict[str, Kind] = {
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
        personal = sdtype not in _KINDS and facts.get("pii")
        kind: Kind | None = "id" if personal else kind_of(name, sdtype, _KINDS, faults)
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
