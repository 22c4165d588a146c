"""Plain: the values of an edition as its files write them, in JSON and in TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from quintain.registry import Part


def plain(value: Any) -> Any:
    """A value for JSON: parts become their specs, models their fields, times texts."""
    if isinstance(value, Part):
        return value.spec()
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        values = {name: getattr(value, name) for name in (*fields, *(value.model_extra or {}))}
        return {
            name: plain(item)
            for name, item in values.items()
            # A key that came later is not written as long as nobody uses it: the bytes of older
            # rules must stay, because the secret keys are mixed with them.
            if name not in fields or not _is_left_out(fields[name], item)
        }
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime) else value


def _is_left_out(field: FieldInfo, value: Any) -> bool:
    return field.exclude_if is not None and bool(field.exclude_if(value))


def toml_value(value: Any) -> str:
    """A value as TOML on one line; keys with None are left out, because TOML has no null.

    >>> toml_value({"use": "rr", "keep": 0.9, "columns": ["a\\\\b"], "hot": True})
    '{ use = "rr", keep = 0.9, columns = ["a\\\\\\\\b"], hot = true }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # A text of JSON is one of TOML, but for one character that TOML does not allow.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, Mapping):
        given = {key: item for key, item in value.items() if item is not None}
        pairs = ", ".join(f"{_key(key)} = {toml_value(item)}" for key, item in given.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, Collection):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return str(value)


def _key(name: str) -> str:
    """A key of a table; quoted unless it has plain characters only."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_value(name)
