"""Fixed rules: read an edition again from its rules, which may name parts of a plugin."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from quintain.contests import Edition
from quintain.errors import FolderError, PartError
from quintain.registry import find


@lru_cache(maxsize=16)
def read_rules(content: bytes) -> Edition:
    """An edition from its fixed rules; an error names the parts that no plugin has loaded."""
    tables = json.loads(content)
    try:
        return Edition.model_validate(tables)
    except ValidationError:
        missing = missing_parts(tables)
        if not missing:
            raise
        raise FolderError(
            f"the rules name parts that are not installed: {', '.join(missing)}; load the plugin "
            "they come from: quintain --plugin FILE ..."
        ) from None


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
