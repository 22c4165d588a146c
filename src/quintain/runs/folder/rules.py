"""The rules of a folder: fixed before anything else, and published as far as they may be.

Rules that say more than attackers may know are published without those parts. The full rules are
then among the secret files, under the same commitment, and are revealed with them. Every version of
the rules stays in the folder, because a submission is judged by the rules of its time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from quintain.contests import Edition
from quintain.contests.redaction import redact, redact_names
from quintain.errors import FolderError, PartError
from quintain.registry import find, left_out
from quintain.runs.folder import paths
from quintain.runs.folder.organiser_data import organiser_data_files
from quintain.runs.folder.paths import make_root, write

# Fixed rules: read an edition again from its rules, which may name parts of a plugin.


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
        reasons = "".join(f"; {reason}" for reason in left_out())
        raise FolderError(
            f"the rules name parts that are not installed: {', '.join(missing)}{reasons}; load the "
            "plugin they come from: quintain --plugin FILE ..."
        ) from None


def missing_parts(rules: Any) -> list[str]:
    """The ids of all parts in the tables of an edition that are not registered.

    >>> missing_parts({"goal": {"use": "goal/membership-v1"}, "attack": {"use": "attack/mine-v1"}})
    ['attack/mine-v1']
    """
    return [id for id in dict.fromkeys(_named_parts(rules)) if not _is_registered(id)]


def _named_parts(tables: Any) -> Iterator[str]:
    if isinstance(tables, Mapping):
        use = tables.get("use")
        if isinstance(use, str) and "/" in use:
            yield use
        for value in tables.values():
            yield from _named_parts(value)
    elif isinstance(tables, list | tuple):
        for value in tables:
            yield from _named_parts(value)


def _is_registered(id: str) -> bool:
    try:
        find(id.partition("/")[0], id)
    except PartError:
        return False
    return True


# Changes: which keys differ between two versions of the rules.


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
    pair = _name_items(before), _name_items(after)
    if pair[0] is None or pair[1] is None:
        yield path
        return
    for key in dict.fromkeys([*pair[0], *pair[1]]):
        inner = f"{path}.{key}" if path else str(key)
        yield from _differences(pair[0].get(key), pair[1].get(key), inner)


def _name_items(value: Any) -> Mapping[str, Any] | None:
    """The parts of a table, or of a list of tables by their ids; None for any other value."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, list) and all(
        isinstance(item, Mapping) and "id" in item for item in value
    ):
        return {str(item["id"]): item for item in value}
    return None


def write_rules(root: Path, edition: Edition, version: int = 1) -> None:
    """Write the rules that are valid from now on, and what everybody may read of them."""
    make_root(root)
    for path, content in rules_files(redact_names(edition), version).items():
        write(root, path, content, durable=True)


def are_those_of(rules: Edition, edition: Edition) -> bool:
    """Whether the rules of a folder, which may lack names, are those of an edition."""
    known = (edition, redact_names(edition))
    return rules.to_bytes() in [earlier.to_bytes() for earlier in known]


def rules_files(edition: Edition, version: int) -> dict[str, bytes]:
    """The files of a version of the rules, given the full rules.

    In the order of writing: the copy that makes a folder a prepared one comes last.
    """
    shown, files = redact(edition), {}
    if shown is not edition:
        files[paths.rules(version, paths.SECRET)] = edition.to_bytes()
    return {**files, paths.rules(version): shown.to_bytes(), paths.RULES: shown.to_bytes()}


def committed_rules(edition: Edition, version: int) -> list[str]:
    """The files of a version that a commitment covers."""
    files = [name for name in rules_files(edition, version) if name != paths.RULES]
    files += organiser_data_files(edition, version)
    return [*files, paths.SEEDS, paths.PUBLIC_KEY] if version == 1 else files


def write_public_key(root: Path, key: str) -> None:
    """Write the public key of all signatures; the first commitment covers it."""
    write(root, paths.PUBLIC_KEY, f"{key}\n".encode(), durable=True)
