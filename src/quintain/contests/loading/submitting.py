"""What teams submit: check that it fits the phases and the file names of a track."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from quintain.contests.lines import KeyPath
from quintain.contests.loading.plain_tables import Mistakes, table_of, tables_of
from quintain.contests.submitting.artefact import Artefact
from quintain.contests.submitting.file_format import CARD


def submission_faults(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    """Everything about submissions that does not fit the phases or the file names of a track."""
    phases = tables_of(track, "phase")
    files = table_of(track, "files")
    releases = [phase for phase in phases if phase.get("submit") == "release"]
    as_files = [phase for phase in releases if phase.get("contract") is None]
    several = track.get("samples", 1) != 1
    if (several and as_files != releases) or (several and not releases):
        yield (*at, "samples"), "samples is for tracks in which teams submit releases as files"
    if not several and "{sample}" in str(files.get("release") or ""):
        yield (*at, "files", "release"), "the name has {sample}, but samples is 1"
    if table_of(track, "feedback").get("releases", "none") != "none" and not as_files:
        message = "releases is for tracks in which teams submit releases as files"
        yield (*at, "feedback", "releases"), message
    for number, phase in enumerate(phases):
        if phase.get("submit") == "guess":
            names = [str(files.get("guess") or "{task}.csv")]
        else:
            names = [str(files.get("release") or "release.csv"), CARD]
        for place, table in enumerate(tables_of(phase, "artefact")):
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
