"""Launch: checks for the day a contest opens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from quintain.errors import Refused
from quintain.runs.folder.folder import Folder

Severity = Literal["stop", "warning"]
REHEARSAL = "REHEARSAL: anybody can compute the truth from the seed"
"""What every export of a folder says if its seed is public."""


def rehearsal_note(folder: Folder) -> str:
    """A heading in Markdown for what is handed out; empty unless the seeds are public."""
    if not folder.secrets().test:
        return ""
    return (
        f"# {REHEARSAL}\n\nThis folder was prepared with `--seed`: samples, truths and noise are "
        "public. Use it to practise, never for a live contest or for real data.\n\n"
    )


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to fix before the launch: what it is, and what it would cost."""

    severity: Severity
    check: str
    message: str
    cost: str


def refuse_rehearsal(folder: Folder) -> None:
    """Refuse to give participants a contest whose answers anybody can compute."""
    if folder.secrets().test:
        raise Refused(
            f"{folder.root} was prepared with --seed: anybody can compute its answers, so it is a "
            "rehearsal. Prepare the real contest without --seed, or export this one with "
            "--rehearsal"
        )


def public_seeds(folder: Folder) -> Iterator[Finding]:
    """Find randomness that anybody can repeat."""
    if folder.secrets().test:
        yield Finding(
            "stop",
            "public-seeds",
            "the folder was prepared with --seed: samples, truths and privacy noise can be "
            "computed by anybody",
            "the noise can be subtracted (in 2023 that raised an attack's AUC from .586 to .710), "
            "and every label can be drawn again; prepare without --seed",
        )


def nobody_can_submit(folder: Folder, now: datetime) -> Iterator[Finding]:
    """Find missing teams, and phases that are missing or over, before the first submission."""
    if next(folder.journal().submissions(), None) is not None:
        return
    edition = folder.edition()
    if not edition.team:
        yield Finding(
            "stop", "no-team", "the edition has no [[team]]", "nobody can submit anything"
        )
    for track in edition.track:
        if not track.phase:
            yield Finding(
                "stop",
                "no-phase",
                f"track {track.id} has no [[phase]]",
                "nobody can submit anything",
            )
        for phase in track.phase:
            if phase.closes is not None and phase.closes <= now:
                yield Finding(
                    "stop",
                    "phase-over",
                    f"track {track.id}: phase {phase.id} closed on {phase.closes:%Y-%m-%d}",
                    f"every {phase.submit} would be refused as too late; change the dates",
                )
