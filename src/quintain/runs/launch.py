"""Launch: checks for the day a contest opens."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from datetime import datetime

from quintain.contests import load
from quintain.contests.redaction import redact_names, withheld
from quintain.errors import EditionError, Refused
from quintain.runs.finding import Finding
from quintain.runs.folder import paths
from quintain.runs.folder.changes import changed_keys
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.privacy import exposed
from quintain.runs.schedule import (
    missing_phases,
    overlapping_rounds,
    phases_out_of_order,
    phases_over,
    phases_without_dates,
)

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
    """Find what keeps teams out: no team, no phase, phases that are over or out of order.

    Once a team has submitted, the contest is launched, and these checks come too late.
    """
    if next(folder.journal().submissions(), None) is not None:
        return
    edition = folder.edition()
    if not edition.team:
        yield Finding(
            "warning",
            "no-team",
            "the edition has no [[team]]",
            "nobody can submit anything until a team joins",
        )
    yield from missing_phases(edition)
    yield from phases_over(edition, now)
    yield from phases_without_dates(edition)
    yield from phases_out_of_order(edition)
    yield from overlapping_rounds(edition)


def world_readable_secrets(folder: Folder) -> Iterator[Finding]:
    """Find private files that other users of this machine can read."""
    hides_rules = any(withheld(track) for track in folder.edition().track)
    names = [name for name in exposed(folder.root) if name != paths.EDITION or hides_rules]
    if names:
        places = " ".join(shlex.quote(str(folder.at(name))) for name in names)
        yield Finding(
            "stop",
            "world-readable-secrets",
            f"other users of this machine can read {', '.join(names)}",
            f"anyone with an account here needs no attack; close them: chmod -R go= {places}",
        )


def ignored_changes(folder: Folder) -> Iterator[Finding]:
    """Find changes of the edition file that came after the rules were frozen."""
    written = folder.at(paths.EDITION)
    if not folder.prepared or not written.is_file():
        return
    joined = {f"team.{team.id}" for team in folder.edition().team}
    try:
        keys = changed_keys(folder.rules(), redact_names(load(written)))
        changed = [key for key in keys if key not in joined]
    except EditionError as error:
        changed = [f"line {fault.line}" for fault in error.faults if fault.line] or ["the file"]
    if changed:
        yield Finding(
            "stop",
            "ignored-changes",
            f"the rules are fixed: your change of {', '.join(changed)} in {paths.EDITION} has no "
            "effect",
            "teams are judged by the fixed rules; use quintain amend (for a team, quintain team "
            "add), or undo the change",
        )
