"""Rewriting: change some keys of an edition file, and leave the rest of its text as it is.

People write edition files by hand, and forms write them as well. A form must not lose what it does
not know: comments, the order of keys, and tables that it cannot show.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from typing import Any

from quintain.contests.plain import toml_value
from quintain.data.files.toml_lines import key_lines

_HEADING = re.compile(r"^\s*\[")
_EMPTY = re.compile(r"^\s*(#.*)?$")


def change_keys(text: str, changes: Mapping[str, Any]) -> str:
    """The text of an edition file with other values for some of its keys at the top.

    A key whose new value is None is taken out. Comments and all other keys stay. Only if the text
    is written in a way that cannot be cut, it is written anew, and its comments are lost.

    >>> print(change_keys('# Ours\\nid = "a" # short\\n[goal]\\nuse = "x"\\n', {"goal": "y"}))
    # Ours
    id = "a" # short
    goal = "y"
    <BLANKLINE>
    """
    wanted = {**tomllib.loads(text), **changes}
    wanted = {key: value for key, value in wanted.items() if value is not None}
    given = {key: value for key, value in changes.items() if value is not None}
    changed = _cut_and_put(text, changes, given)
    try:
        if tomllib.loads(changed) == wanted:
            return changed
    except tomllib.TOMLDecodeError:
        pass  # what looked like a key was a part of a longer text
    return "\n".join(map(_assignment, wanted, wanted.values())) + "\n"


def _cut_and_put(text: str, keys: Collection[str], given: Mapping[str, Any]) -> str:
    """The lines without some keys, whose new values stand where the old ones stood, or last."""
    lines = text.removesuffix("\n").split("\n") if text else []
    owners = _owners(text, len(lines))
    first_table = next((i for i, line in enumerate(lines) if _HEADING.match(line)), len(lines))
    while first_table and _EMPTY.match(lines[first_table - 1]):
        first_table -= 1
    out: list[str] = []
    left = dict(given)
    for place, line in enumerate([*lines, None]):
        if place == first_table:
            out += [
                _assignment(key, left.pop(key)) for key in list(left) if key not in owners[:place]
            ]
        if line is None:
            continue
        owner = owners[place]
        if owner not in keys:
            out.append(line)
        elif owner in left and place < first_table:
            out.append(_assignment(owner, left.pop(owner)))
    return "\n".join(out) + "\n"


def _owners(text: str, count: int) -> list[str]:
    """For each line the key at the top to which it belongs; empty for comments between keys."""
    starts: dict[int, str] = {}
    for path, number in key_lines(text).items():
        starts.setdefault(number - 1, str(path[0]))
    lines, owners, current = text.split("\n"), [""] * count, ""
    for place in range(count):
        current = starts.get(place, current)
        owners[place] = current
    for place in reversed(range(count)):
        following = place + 1 == count or place + 1 in starts or not owners[place + 1]
        if place not in starts and following and _EMPTY.match(lines[place]):
            owners[place] = ""
    return owners


def _assignment(key: str, value: Any) -> str:
    """A key with its value; tables of a list have a line each."""
    if isinstance(value, list | tuple) and value and all(isinstance(v, Mapping) for v in value):
        rows = "".join(f"  {toml_value(row)},\n" for row in value)
        return f"{key} = [\n{rows}]"
    return f"{key} = {toml_value(value)}"
