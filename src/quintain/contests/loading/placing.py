"""Placing: the sentence of a fault in an edition, with the file and the line of its key."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic_core import ErrorDetails

from quintain.contests.edition import Edition
from quintain.data.files.toml_lines import KeyPath, character_position, line_of
from quintain.errors import Fault, FaultyValue
from quintain.registry import fault_of

OVERRIDES = "overrides"
"""What messages name instead of a file, if the fault is in an override."""


@dataclass
class EditionFile:
    """One edition file among those that make up an edition.

    Parameters
    ----------
    lines : the line of every key.
    text : what the file contains, to find a character inside a value.
    folder : where files lie that the edition names; None for fixed rules, which name none.
    """

    name: str
    lines: dict[KeyPath, int] = field(default_factory=dict)
    folder: Path | None = None
    text: str = ""


def real_errors(items: list[ErrorDetails]) -> list[ErrorDetails]:
    """The errors that do not follow from others: with bad items, a list is not too short."""
    places = [item["loc"] for item in items]

    def follows(item: ErrorDetails) -> bool:
        inside = any(p[: len(item["loc"])] == item["loc"] and p != item["loc"] for p in places)
        return item["type"] == "too_short" and inside

    return [item for item in items if not follows(item)]


def explain(
    item: ErrorDetails,
    files: list[EditionFile],
    top_keys: Sequence[str],
    spoiled: Collection[KeyPath],
) -> list[Fault]:
    """The faults of one pydantic error, each with its file and line.

    ``spoiled`` lists keys of parts that have a fault already.
    """
    path = tuple(item["loc"])
    carried = item.get("ctx", {}).get("error")
    if isinstance(carried, FaultyValue):
        places = [(fault, _steps(fault.column)) for fault in carried.faults]
        return [
            place_fault(fault, (*path, *steps), files)
            for fault, steps in places
            if (*path, *steps[:1]) not in spoiled
        ]
    model: Any = Edition
    for step in path[:-1]:
        model = _inner(model, step)
    keys = top_keys if len(path) == 1 else tuple(getattr(model, "model_fields", ()))
    return [place_fault(fault_of(item, keys, "key"), path, files)]


def _inner(model: Any, step: str | int) -> Any:
    fields = getattr(model, "model_fields", {})
    if isinstance(step, int) or step not in fields:
        return model
    kind = fields[step].annotation
    return next((a for a in getattr(kind, "__args__", ()) if isinstance(a, type)), kind)


def _steps(column: str | None) -> KeyPath:
    steps = column.split(".") if column else ()
    return tuple(int(step) if step.isdecimal() else step for step in steps)


def place_fault(fault: Fault, path: KeyPath, files: list[EditionFile]) -> Fault:
    """The fault with the file and line of its key; included files come later in the list."""
    best: tuple[int, int, EditionFile, KeyPath] = (0, 0, files[0], path)
    for keys in _ways_to_write(path):
        for file in sorted(files, key=lambda file: file.name != OVERRIDES):
            depth, line = line_of(file.lines, keys)
            if depth > best[0]:
                best = (depth, line, file, keys)
            if depth and any(isinstance(step, int) for step in keys[: depth + 1]):
                break  # an array replaces that of an included file, so the fault is not there
    _, line, file, keys = best
    shown = ".".join(str(step) for step in keys)
    fault = replace(fault, file=Path(file.name).name, line=line or None, column=shown)
    return fault if fault.character is None else _at_character(fault, file.text)


def _at_character(fault: Fault, text: str) -> Fault:
    """The fault with line and column in the file, if the value stands there as it is."""
    position = character_position(text, fault.line or 0, fault.got or "", fault.character or 1)
    if position is None:
        return fault
    line, column = position
    message = f"column {column}: {fault.message}"
    return replace(fault, message=message, line=line, got=None, character=None)


def _ways_to_write(path: KeyPath) -> list[KeyPath]:
    """The paths under which a file may have a key: a track's key may be at the top of the file."""
    bare = tuple(
        step
        for place, step in enumerate(path)
        if step != "measure" and not (step == "rule" and path[place - 2] in ("board", "overall"))
    )
    ways = [bare, bare[2:]] if len(bare) > 2 and bare[0] == "track" else [bare]
    return ways + [(*way[:-1], "grid", way[-1]) for way in ways if "sanitizer" in way]
