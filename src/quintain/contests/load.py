"""Load: read edition files with includes and overrides, and report every fault with its line."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from quintain.contests.edition import Edition, Track
from quintain.contests.fields import PartFaults
from quintain.contests.lines import KeyPath, key_lines, key_paths, line_of
from quintain.contests.made_with import MadeWith
from quintain.contests.references import reference_faults
from quintain.data.files.foreign import recognised
from quintain.errors import EditionError, Fault, Faults
from quintain.registry import fault_of
from quintain.suggestion import suggestion

TRACK_KEYS = frozenset(Track.model_fields) - {"id", "title"}
SET_BY_LOADING = "made_with"
"""The key that only the fixed rules have: it records how the edition file was read."""
TOP_KEYS = tuple(
    key
    for key in (*Edition.model_fields, *sorted(TRACK_KEYS), "include", "profile", "quick")
    if key != SET_BY_LOADING
)
"""Every key that may stand at the top of an edition file."""
OVERRIDES = "overrides"
"""What messages name instead of a file, if the fault is in an override."""

WRITTEN_FILE = "edition.toml"
"""The edition file of a folder."""

FROZEN_FILE = "public/edition.json"
"""The fixed rules in a prepared folder, or in a participant's kit."""


@dataclass
class _File:
    """One edition file among those that make up an edition."""

    name: str
    lines: dict[KeyPath, int] = field(default_factory=dict)


def builtin_names() -> list[str]:
    """The names of the editions that come with quintain."""
    folder = resources.files("quintain.contests") / "editions"
    return sorted(
        f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")
    )


def builtin_text(name: str) -> str:
    """The text of the file of a built-in edition."""
    if name not in builtin_names():
        known = suggestion(name, builtin_names())
        raise EditionError([Fault(f"unknown edition{known}", name)])
    return (resources.files("quintain.contests") / "editions" / f"{name}.toml").read_text("utf-8")


def load(
    source: str | Path,
    *,
    profile: str | None = None,
    quick: bool = False,
    overrides: Mapping[str, Any] = {},
) -> Edition:
    """Load an edition by its built-in name or its path; raises with every fault in it.

    Parameters
    ----------
    profile : apply the overrides in the edition's own ``[profile.NAME]`` table.
    quick : apply the overrides in the edition's own ``[quick]`` table.
    overrides : further changes, as nested tables.
    """
    files: list[_File] = []
    table = _read(source, Path(), files, ())
    profiles, small = table.pop("profile", {}), table.pop("quick", {})
    if profile is not None:
        if profile not in profiles:
            known = suggestion(profile, profiles) or "; the edition has no profiles"
            raise EditionError([Fault(f"unknown profile {profile!r}{known}", files[0].name)])
        table = merge(table, profiles[profile])
    table = merge(table, small) if quick else table
    _refuse_lost(overrides, files[0], _File(OVERRIDES))
    files.append(_File(OVERRIDES, dict.fromkeys(key_paths(overrides), 0)))
    edition = validate(merge(table, overrides), files)
    if profile is None and not quick and not overrides:
        return edition
    made_with = MadeWith.of(profile, quick, overrides)
    return edition.model_copy(update={"made_with": made_with})


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Merge tables key by key; every other value, also an array, replaces the one before.

    Arrays under ``add`` are appended to the arrays of the same name.

    >>> merge({"team": [1], "board": [2]}, {"add": {"team": [3]}, "board": [4]})
    {'team': [1, 3], 'board': [4]}
    """
    out = dict(base)
    for key, value in over.items():
        if key == "add" and isinstance(value, Mapping):
            out |= {name: [*out.get(name, ()), *more] for name, more in value.items()}
            continue
        both = isinstance(value, Mapping) and isinstance(out.get(key), Mapping)
        # A different part: the parameters of the first part do not apply to it.
        other = both and "use" in value and value["use"] != out[key].get("use")
        out[key] = merge(out[key], value) if both and not other else value
    return out


def validate(table: Mapping[str, Any], files: list[_File] | None = None) -> Edition:
    """Make an edition from tables; raises with every fault."""
    known = files or [_File("edition")]
    plain = with_tracks(table)
    faults = Faults(known[0].name)
    edition = None
    try:
        edition = Edition.model_validate(plain)
    except ValidationError as error:
        for item in _real_errors(error.errors()):
            faults.extend(_explain(item, known))
    for path, message in reference_faults(plain):
        faults.extend([_placed(Fault(message), path, known)])
    faults.extend(_set_by_hand(known))
    own = Path(known[0].name).name
    unique = sorted(dict.fromkeys(faults.findings), key=lambda f: (f.file != own, f.line or 0))
    if unique or edition is None:
        raise EditionError(unique)
    return edition


def _set_by_hand(files: list[_File]) -> Iterator[Fault]:
    """A fault for each file that claims how it was read; fixed rules, which may, have no lines."""
    for file in files:
        paths = [path for path in file.lines if SET_BY_LOADING in path]
        if paths:
            shown = paths[0][: paths[0].index(SET_BY_LOADING) + 1]
            yield Fault(
                "is recorded when an edition is read and cannot be set; delete it",
                Path(file.name).name,
                file.lines[paths[0]] or None,
                ".".join(str(step) for step in shown),
            )


def with_tracks(table: Mapping[str, Any]) -> dict[str, Any]:
    """Copy the keys at the top of the file to every track that does not set them itself."""
    shared = {key: value for key, value in table.items() if key in TRACK_KEYS}
    tracks = table.get("track", [{"id": "main"}])
    out = {key: value for key, value in table.items() if key not in TRACK_KEYS}
    if isinstance(tracks, list | tuple):
        out["track"] = [merge(shared, t) if isinstance(t, Mapping) else t for t in tracks]
    return out


def _read(
    source: str | Path, beside: Path, files: list[_File], seen: tuple[str, ...]
) -> dict[str, Any]:
    name, text, folder = _find(source, beside)
    if name in seen:
        raise EditionError([Fault(f"includes itself: {' -> '.join((*seen, name))}", name)])
    frozen = name.endswith(".json")
    file = _File(name, {} if frozen else key_lines(text))
    files.append(file)
    try:
        if frozen:
            return dict(json.loads(text))
        table = tomllib.loads(text)
    except (json.JSONDecodeError, TypeError) as error:
        raise EditionError([Fault(f"is not JSON: {error}", name)]) from None
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"\(at line (\d+)", str(error))
        message = f"is not TOML: {re.sub(r' [(]at .*', '', str(error))}"
        raise EditionError([Fault(message, name, int(at[1]) if at else None)]) from None
    include = table.pop("include", None)
    if include is None:
        return table
    if not isinstance(include, str):
        message = "include must be the name of one edition"
        raise EditionError([Fault(message, name, file.lines[("include",)])])
    place = len(files)
    included = _read(include, folder, files, (*seen, name))
    _refuse_lost(table, files[place], file)
    return merge(included, table)


def _refuse_lost(changes: Mapping[str, Any], base: _File, file: _File) -> None:
    """Refuse keys at the top that fixed rules would hide: those set every key of every track."""
    if not base.name.endswith(".json"):
        return
    faults = Faults(file.name)
    for key in (key for key in changes if key in TRACK_KEYS):
        message = f"has no effect: {base.name} sets it in every track; start from the edition file"
        faults.add(message, line=file.lines.get((key,)), column=key)
    faults.raise_if_any(EditionError)


def _text(path: Path) -> str:
    """The text of an edition file; a file of another kind is refused by its name."""
    content = path.read_bytes()
    kind = recognised(content)
    if kind is not None:
        raise EditionError([Fault(f"is {kind}; expected an edition file in TOML", str(path))])
    try:
        return content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise EditionError([Fault("is not UTF-8", str(path))]) from None


def _find(source: str | Path, beside: Path) -> tuple[str, str, Path]:
    """The name and the text of an edition, and the folder in which its includes are searched."""
    bundled = resources.files("quintain.contests") / "editions" / f"{source}.toml"
    # First: a run folder that is called like the edition it played must not take its place.
    if re.fullmatch(r"(include/)?[a-z0-9-]+", str(source)) and bundled.is_file():
        return f"{source}.toml", bundled.read_text("utf-8"), Path()
    path = beside / source
    if path.is_dir():
        written = path / WRITTEN_FILE
        path = written if written.is_file() else path / FROZEN_FILE
    if path.is_file():
        return str(path), _text(path), path.parent
    known = suggestion(str(source), builtin_names())
    message = f"is neither an edition file nor a built-in edition{known}"
    raise EditionError([Fault(message, str(source))])


def _real_errors(items: list[ErrorDetails]) -> list[ErrorDetails]:
    """The errors that do not follow from others: with bad items, a list is not too short."""
    places = [item["loc"] for item in items]

    def follows(item: ErrorDetails) -> bool:
        inside = any(p[: len(item["loc"])] == item["loc"] and p != item["loc"] for p in places)
        return item["type"] == "too_short" and inside

    return [item for item in items if not follows(item)]


def _explain(item: ErrorDetails, files: list[_File]) -> list[Fault]:
    """The faults of one pydantic error, each with its file and line."""
    path = tuple(item["loc"])
    carried = item.get("ctx", {}).get("error")
    if isinstance(carried, PartFaults):
        return [_placed(fault, (*path, *_steps(fault.column)), files) for fault in carried.faults]
    model: Any = Edition
    for step in path[:-1]:
        model = _inner(model, step)
    keys = TOP_KEYS if len(path) == 1 else tuple(getattr(model, "model_fields", ()))
    return [_placed(fault_of(item, keys, "key"), path, files)]


def _inner(model: Any, step: str | int) -> Any:
    fields = getattr(model, "model_fields", {})
    if isinstance(step, int) or step not in fields:
        return model
    kind = fields[step].annotation
    return next((a for a in getattr(kind, "__args__", ()) if isinstance(a, type)), kind)


def _steps(column: str | None) -> tuple[str, ...]:
    return tuple(column.split(".")) if column else ()


def _placed(fault: Fault, path: KeyPath, files: list[_File]) -> Fault:
    """The fault with the file and line of its key; included files come later in the list."""
    best: tuple[int, int, str, KeyPath] = (0, 0, files[0].name, path)
    for keys in _ways_to_write(path):
        for file in sorted(files, key=lambda file: file.name != OVERRIDES):
            depth, line = line_of(file.lines, keys)
            if depth > best[0]:
                best = (depth, line, file.name, keys)
    _, line, name, keys = best
    shown = ".".join(str(step) for step in keys)
    return Fault(fault.message, Path(name).name, line or None, shown, fault.got)


def _ways_to_write(path: KeyPath) -> list[KeyPath]:
    """The paths under which a file may have a key: a track's key may be at the top of the file."""
    bare = tuple(step for step in path if step != "measure")
    ways = [bare, bare[2:]] if len(bare) > 2 and bare[0] == "track" else [bare]
    return ways + [(*way[:-1], "grid", way[-1]) for way in ways if "sanitizer" in way]
