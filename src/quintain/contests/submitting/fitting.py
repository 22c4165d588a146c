"""Fitting: check that what teams hand in fits the rest of a track.

Like other references, this reads the plain tables, so that its faults are reported with all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from quintain.contests.lines import KeyPath
from quintain.contests.submitting.artefact import Artefact

CARD = "card.json"
"""The file beside a release that states its methods and its claim."""


def hand_in_faults(track: Mapping[str, Any], at: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """Everything about submissions that does not fit the phases or the file names of a track."""
    phases = _tables(track, "phase")
    files = _table(track, "files")
    releases = [phase for phase in phases if phase.get("submit") == "release"]
    as_files = [phase for phase in releases if phase.get("contract") is None]
    several = track.get("samples", 1) != 1
    if (several and as_files != releases) or (several and not releases):
        yield (*at, "samples"), "samples is for tracks in which teams submit releases as files"
    if not several and "{sample}" in str(files.get("release") or ""):
        yield (*at, "files", "release"), "the name has {sample}, but samples is 1"
    if _table(track, "feedback").get("releases", "none") != "none" and not as_files:
        message = "releases is for tracks in which teams submit releases as files"
        yield (*at, "feedback", "releases"), message
    for number, phase in enumerate(phases):
        if phase.get("submit") == "guess":
            names = [str(files.get("guess") or "{task}.csv")]
        else:
            names = [str(files.get("release") or "release.csv"), CARD]
        for place, table in enumerate(_tables(phase, "artefact")):
            artefact = _artefact(table)
            if artefact is not None and any(map(artefact.fits, names)):
                where = (*at, "phase", number, "artefact", place, "file")
                yield where, f"{artefact.file!r} could be another file of the same submission"


def _artefact(table: Mapping[str, Any]) -> Artefact | None:
    """The artefact of a table; None if it has a fault, which another check reports."""
    try:
        return Artefact.model_validate(table)
    except ValidationError:
        return None


def _tables(table: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = table.get(name, ())
    return [item for item in value if isinstance(item, Mapping)] if _is_list(value) else []


def _table(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = table.get(name)
    return value if isinstance(value, Mapping) else {}


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)
