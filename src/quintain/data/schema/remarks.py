"""Remarks: what a schema file says to the people who edit it, and to nobody else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def without_remarks(table: Any, *keys: str) -> Any:
    """A table without the keys that are remarks; anything else comes back unchanged.

    >>> without_remarks({"name": "age", "note": "whole numbers"}, "note")
    {'name': 'age'}
    """
    if not isinstance(table, Mapping) or not any(key in table for key in keys):
        return table
    return {key: value for key, value in table.items() if key not in keys}
