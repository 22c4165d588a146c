"""Plain: an edition as the plain values of its JSON file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from quintain.registry import Part


def plain(value: Any) -> Any:
    """A value for JSON: parts become their specs, models their fields, times texts."""
    if isinstance(value, Part):
        return value.spec()
    if isinstance(value, BaseModel):
        names = [*type(value).model_fields, *(value.model_extra or {})]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime) else value
