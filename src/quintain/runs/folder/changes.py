"""Changes: which keys differ between two versions of the rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from quintain.contests import Edition


def changed_keys(before: Edition, after: Edition) -> list[str]:
    """The keys whose values differ, as an edition file writes them.

    >>> from quintain.contests import load
    >>> before, after = load("tiny"), load("tiny", overrides={"repeats": 9, "title": "New"})
    >>> changed_keys(before, after)
    ['repeats', 'title']
    """
    versions = [json.loads(edition.to_bytes()) for edition in (before, after)]
    for version in versions:
        version.pop("made_with", None)
    only = before.track[0].id if len(before.track) == len(after.track) == 1 else None
    keys = (key.removeprefix(f"track.{only}.") for key in _differences(*versions))
    return sorted(dict.fromkeys(keys))


def _differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """The paths at which two trees of plain values differ."""
    if before == after:
        return
    pair = _named(before), _named(after)
    if pair[0] is None or pair[1] is None:
        yield path
        return
    for key in dict.fromkeys([*pair[0], *pair[1]]):
        inner = f"{path}.{key}" if path else str(key)
        yield from _differences(pair[0].get(key), pair[1].get(key), inner)


def _named(value: Any) -> Mapping[str, Any] | None:
    """The parts of a table, or of a list of tables by their ids; None for any other value."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, list) and all(isinstance(one, Mapping) and "id" in one for one in value):
        return {str(one["id"]): one for one in value}
    return None
