"""Plain tables: read the tables of an edition before anybody knows whether they are right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quintain.contests.fields import MEASURED
from quintain.contests.lines import KeyPath
from quintain.errors import Fault, Rejected
from quintain.registry import Part, build

Mistakes = Iterator[tuple[KeyPath, str | Fault]]
_RESERVED = {"measure": MEASURED, "ranking": ("id", "title", "ties")}


def tables_of(table: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The tables of an array; what is no table counts as an empty one."""
    value = table.get(name, ())
    items = value if isinstance(value, list | tuple) else ()
    return [item if isinstance(item, Mapping) else {} for item in items]


def table_of(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The table under a key; what is no table counts as an empty one."""
    value = table.get(name)
    return value if isinstance(value, Mapping) else {}


def part_in(family: str, table: object) -> Part | None:
    """The part that a table describes; None if it cannot be built, which another check reports."""
    if isinstance(table, Mapping):
        nested = table.get("measure" if family == "measure" else "rule")
        skip = _RESERVED.get(family, ())
        table = nested or {key: value for key, value in table.items() if key not in skip}
    if not isinstance(table, str | Mapping):
        return None
    try:
        return build(family, table)
    except Rejected:
        return None


def repeated_ids(table: Mapping[str, Any], name: str, at: KeyPath) -> Mistakes:
    """A fault for every id that two tables of an array have."""
    seen: set[Any] = set()
    for number, item in enumerate(tables_of(table, name)):
        given = item.get("id")
        if isinstance(given, str) and given in seen:
            yield (*at, name, number, "id"), f"the id {given!r} appears twice under [[{name}]]"
        seen.add(given)
