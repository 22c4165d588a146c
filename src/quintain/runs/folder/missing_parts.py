"""Missing parts: those that fixed rules name, usually from a plugin that is not loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quintain.errors import PartError
from quintain.registry import find


def missing_parts(rules: Any) -> list[str]:
    """The ids of all parts in the tables of an edition that are not registered.

    >>> missing_parts({"goal": {"use": "goal/membership-v1"}, "attack": {"use": "attack/mine-v1"}})
    ['attack/mine-v1']
    """
    return [id for id in dict.fromkeys(_named(rules)) if not _is_registered(id)]


def _named(tables: Any) -> Iterator[str]:
    if isinstance(tables, Mapping):
        use = tables.get("use")
        if isinstance(use, str) and "/" in use:
            yield use
        for value in tables.values():
            yield from _named(value)
    elif isinstance(tables, list | tuple):
        for value in tables:
            yield from _named(value)


def _is_registered(id: str) -> bool:
    try:
        find(id.partition("/")[0], id)
    except PartError:
        return False
    return True
