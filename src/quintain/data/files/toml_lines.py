"""Lines: the line of each key in a TOML file, so that a fault can name it.

The standard parser gives values without positions. This module reads the text again, line by line,
and looks only for tables and keys. A value on several lines has the line on which it starts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

KeyPath = tuple[str | int, ...]
"""The keys that lead to a place in an edition file; a number counts the tables of an array."""

_TABLE = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")
_WORD = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_STEP = re.compile(_WORD)
_ITEM = re.compile(r"^\s*\{")
_OPENS = re.compile(r"^\s*\[\s*(#.*)?$")
"""An array whose items, inline tables, follow on lines of their own."""
_KEY = re.compile(rf"^\s*({_WORD}(?:\s*\.\s*{_WORD})*)\s*=")


def key_lines(text: str) -> dict[KeyPath, int]:
    """The line number of every table and key, under its path.

    >>> lines = key_lines('id = "a"\\n[[team]]\\nid = "x"\\n[[team]]\\nid = "y"')
    >>> lines["team", 1, "id"]
    5
    """
    lines: dict[KeyPath, int] = {}
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
    array: KeyPath = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if array and (item := _ITEM.match(line)) is not None:
            counts[array] = counts.get(array, -1) + 1
            _add(lines, (*array, counts[array]), line[item.end() - 1 :], number)
            continue
        head = _TABLE.match(line)
        if head is not None:
            table = _resolve(_steps(head[2]), counts, repeated=head[1] == "[[")
            lines.setdefault(table, number)
            continue
        key = _KEY.match(line)
        if key is not None:
            path = (*table, *_steps(key[1]))
            _add(lines, path, line[key.end() :], number)
            array = path if _OPENS.match(line[key.end() :]) else ()
    return lines


def _add(lines: dict[KeyPath, int], path: KeyPath, value: str, number: int) -> None:
    """Note the line of a key or item, and of the keys of an inline table that follows."""
    lines.setdefault(path, number)
    for inner in re.findall(r"[{,]\s*([A-Za-z0-9_-]+)\s*=", value):
        lines.setdefault((*path, inner), number)


def line_of(lines: dict[KeyPath, int], path: KeyPath) -> tuple[int, int]:
    """How many steps of a path the file contains, and the line of the last of them."""
    while path:
        if path in lines:
            return len(path), lines[path]
        path = path[:-1]
    return 0, 0


def character_position(text: str, line: int, value: str, character: int) -> tuple[int, int] | None:
    """The line and column of a character of a value, whose key is on a line of the file.

    None if the file spells the value in another way, as with escaped characters.

    >>> character_position('[[board]]\\nformula = "1 + x"', 2, "1 + x", 5)
    (2, 16)
    """
    lines = text.split("\n")
    if not value or not 1 <= line <= len(lines):
        return None
    start = sum(len(before) + 1 for before in lines[: line - 1])
    end = start + len(lines[line - 1])
    several = '"""' in lines[line - 1] or "'''" in lines[line - 1]
    at = text.find(value, start, None if several else end)
    if at < 0:
        return None
    place = at + character - 1
    return text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)


def _steps(text: str) -> tuple[str, ...]:
    return tuple(step.strip("\"'") for step in _STEP.findall(text))


def _resolve(steps: tuple[str, ...], counts: dict[KeyPath, int], *, repeated: bool) -> KeyPath:
    """The path of a table header; under an array of tables it means the latest element."""
    path: KeyPath = ()
    for depth, step in enumerate(steps):
        path = (*path, step)
        last = depth == len(steps) - 1
        if last and repeated:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def key_paths(table: Mapping[str, Any], at: KeyPath = ()) -> Iterator[KeyPath]:
    """The path of every key in nested tables and arrays of tables."""
    for key, value in table.items():
        yield (*at, key)
        items = enumerate(value) if isinstance(value, list | tuple) else [(None, value)]
        for number, item in items:
            if isinstance(item, Mapping):
                place: KeyPath = (*at, key) if number is None else (*at, key, number)
                yield place
                yield from key_paths(item, place)
