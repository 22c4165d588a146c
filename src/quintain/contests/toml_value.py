"""TOML value: write a value as an edition file has it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any


def toml_value(value: Any) -> str:
    """A value as TOML on one line; keys with None are left out, because TOML has no null.

    >>> toml_value({"use": "rr", "keep": 0.9, "columns": ["a\\\\b"], "hot": True})
    '{ use = "rr", keep = 0.9, columns = ["a\\\\\\\\b"], hot = true }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, Mapping):
        given = {key: item for key, item in value.items() if item is not None}
        pairs = ", ".join(f"{key} = {toml_value(item)}" for key, item in given.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, Collection):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return str(value)
