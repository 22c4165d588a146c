"""Load: read edition files with includes and overrides, and report every fault with its line."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from quintain.contests.edition import Edition, MadeWith, Track
from quintain.contests.file_names import FROZEN_FILE, WRITTEN_FILE
from quintain.contests.loading.asking import asking_faults
from quintain.contests.loading.organiser_data import settle
from quintain.contests.loading.placing import (
    OVERRIDES,
    EditionFile,
    explain,
    place_fault,
    real_errors,
)
from quintain.contests.loading.references import legible, reference_faults
from quintain.data.files.foreign import file_kind
from quintain.data.files.toml_lines import key_lines, key_paths
from quintain.errors import EditionError, Fault, Faults
from quintain.wording.suggestion import suggestion

TRACK_KEYS = frozenset(Track.model_fields) - {"id", "title"}
SET_BY_LOADING = "made_with"
"""The key that only the fixed rules have: it records how the edition file was read."""
TOP_KEYS = tuple(
    key
    for key in (*Edition.model_fields, *sorted(TRACK_KEYS), "include", "profile", "quick")
    if key != SET_BY_LOADING
)
"""Every key that may stand at the top of an edition file."""


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
    files: list[EditionFile] = []
    table = _read(source, Path(), files, ())
    for key in ("profile", "quick"):
        if not isinstance(table.get(key, {}), Mapping):
            message = f"expected a table, [{'profile.NAME' if key == 'profile' else key}]"
            raise EditionError([Fault(message, files[0].name, files[0].lines.get((key,)), key)])
    profiles, small = table.pop("profile", {}), table.pop("quick", {})
    if profile is not None:
        if profile not in profiles:
            known = suggestion(profile, profiles) or "; the edition has no profiles"
            raise EditionError([Fault(f"unknown profile {profile!r}{known}", files[0].name)])
        table = merge(table, profiles[profile])
    table = merge(table, small) if quick else table
    _refuse_lost(overrides, files[0], EditionFile(OVERRIDES))
    files.append(EditionFile(OVERRIDES, dict.fromkeys(key_paths(overrides), 0), Path()))
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


def validate(table: Mapping[str, Any], files: list[EditionFile] | None = None) -> Edition:
    """Make an edition from tables; raises with every fault."""
    known = files or [EditionFile("edition")]
    folders = [file.folder for file in known if file.folder is not None]
    frozen = any(file.name.endswith(".json") for file in known)
    settled = settle(with_tracks(table), [] if frozen else folders)
    faults = Faults(known[0].name)
    for path, fault in settled.faults:
        faults.extend([fault if fault.file else place_fault(fault, path, known)])
    edition = None
    try:
        edition = Edition.model_validate(settled.table)
    except ValidationError as error:
        for item in real_errors(error.errors()):
            faults.extend(explain(item, known, TOP_KEYS, settled.spoiled))
    tables = legible(settled.table)
    for path, fault in (*reference_faults(tables), *asking_faults(tables)):
        faults.extend([place_fault(fault, path, known)])
    faults.extend(_set_by_hand(known))
    own = Path(known[0].name).name
    unique = sorted(dict.fromkeys(faults.findings), key=lambda f: (f.file != own, f.line or 0))
    if unique or edition is None:
        raise EditionError(unique)
    return settled.locate_files(edition)


def _set_by_hand(files: list[EditionFile]) -> Iterator[Fault]:
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
    source: str | Path, beside: Path, files: list[EditionFile], seen: tuple[tuple[str, str], ...]
) -> dict[str, Any]:
    name, text, folder = _find(source, beside)
    if (name, text) in seen:  # a file may have the name of the built-in edition that it includes
        path = " -> ".join((*(before for before, _ in seen), name))
        raise EditionError([Fault(f"includes itself: {path}", name)])
    frozen = name.endswith(".json")
    file = EditionFile(name) if frozen else EditionFile(name, key_lines(text), folder, text)
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
        line = int(at[1]) if at else len(text.splitlines())  # else: at the end of the document
        raise EditionError([Fault(message, name, line)]) from None
    include = table.pop("include", None)
    if include is None:
        return table
    if not isinstance(include, str):
        message = "include must be the name of one edition"
        raise EditionError([Fault(message, name, file.lines[("include",)])])
    place = len(files)
    included = _read(include, folder, files, (*seen, (name, text)))
    _refuse_lost(table, files[place], file)
    return merge(included, table)


def _refuse_lost(changes: Mapping[str, Any], base: EditionFile, file: EditionFile) -> None:
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
    kind = file_kind(content)
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
