"""Drafts: a worker writes a draft into its folder, looks for faults in it, and tries it out."""

from __future__ import annotations

import math
import shutil
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from quintain.jobs.files import write_file
from quintain.journal.database_store import DatabaseStore
from quintain.journal.state import begins
from quintain.kit.kit import kit_bytes
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import make_root
from quintain.runs.lint import lint_folder
from quintain.runs.organising.join import Joining, join
from quintain.runs.organising.prepare import prepare
from quintain_host.database.contests import HostedEdition, RegisteredTeam
from quintain_host.organising.drafts import files_of, preview_folder, temporary_folder, write_draft
from quintain_host.site import Site
from quintain_host.work.handler import HandlerTask, handler

PRETEND = "pretend-team"
"""The team of a preview."""


def read_draft(task: HandlerTask) -> tuple[HostedEdition, dict[str, str]]:
    """The edition of a job, and the hashes of its data files by name."""
    with task.site.database.reading() as session:
        row = session.get_one(HostedEdition, task.claim.edition)
        return row, {file.name: file.digest for file in files_of(session, row.id)}


def write_folder(task: HandlerTask) -> None:
    """Write the folder of a draft, as long as its journal is empty.

    What an earlier attempt left there is removed: nobody has committed to it.
    """
    row, files = read_draft(task)
    if DatabaseStore(task.site.database.engine, row.id).size():
        return
    root = task.site.edition_root(row.id)
    unready = root.with_name(f".{row.id}.unready")
    for place in (unready, root):
        shutil.rmtree(place, ignore_errors=True)
    make_root(unready)
    write_draft(task.site, unready, row.toml, files)
    unready.rename(root)  # pages look at the folder as soon as it is there


def make_live(task: HandlerTask) -> Any:
    """What belongs to the first event of a contest: it is not a draft any more."""
    shown = {"visible": True} if task.claim.arguments.get("visible") else {}

    def settle(session: Session, _event: int) -> None:
        change = update(HostedEdition).where(HostedEdition.id == task.claim.edition)
        session.execute(change.values(state="live", **shown))

    return settle


def register_named(session: Session, task: HandlerTask, folder: Folder) -> None:
    """Teams that the rules name are teams of the site, too; organisers invite their members."""
    for entrant in folder.state().roster.entrants:
        if (
            entrant.built_in
            or session.get(RegisteredTeam, (task.claim.edition, entrant.id)) is not None
        ):
            continue
        session.add(
            RegisteredTeam(
                edition=task.claim.edition,
                id=entrant.id,
                name=entrant.name or entrant.id,
                state="joined",
                competing=entrant.competing,
                created=task.site.clock.now(),
            )
        )


@handler("lint")
def lint(task: HandlerTask) -> dict[str, Any]:
    """Find faults that real contests had, before the launch."""
    row, files = read_draft(task)
    return {"toml": row.toml, "files": files, "findings": find_faults(task)}


def find_faults(task: HandlerTask) -> list[dict[str, Any]]:
    """The findings about the edition of a job, as plain values."""
    row, files = read_draft(task)
    now, teams = task.site.clock.now(), _teams_of_one_person(task.site, row)
    if row.state != "draft":
        findings = list(lint_folder(task.site.folder(row.id), now=now, teams=teams))
    else:
        with temporary_folder(task.site, row.toml, files) as place:
            findings = list(lint_folder(Folder(place), now=now, teams=teams))
    return [asdict(finding) for finding in findings]


def _teams_of_one_person(site: Site, row: HostedEdition) -> float:
    """How many teams one person can register; an account has one, and open sites give many."""
    if row.registration != "open" or site.settings.accounts != "open":
        return 1
    return math.inf if row.max_teams is None else row.max_teams


@handler("preview")
def preview(task: HandlerTask) -> dict[str, Any]:
    """Prepare a copy of a draft with other keys, let a pretend team join, and make its kit."""
    row, files = read_draft(task)
    place = task.site.preview(row.id)
    shutil.rmtree(place, ignore_errors=True)
    root = preview_folder(task.site, row.id)
    make_root(root)
    write_draft(task.site, root, row.toml, files)
    folder, now = Folder(root), task.site.clock.now()
    if not prepare(folder, now=now):
        prepare(folder, beacon="preview", now=now)
    join(folder, [Joining(PRETEND, "A pretend team")], now=now)
    opening = _opening(folder, now)
    write_file(place / "kit.zip", kit_bytes(folder, PRETEND, now=opening))
    return {"team": PRETEND}


def _opening(folder: Folder, now: datetime) -> datetime:
    """When the first prepared round begins, so that the kit has its data."""
    starts = [
        begins(track) for track in folder.edition().track if track.id in folder.state().prepared
    ]
    dated = [start for start in starts if start is not None]
    return max([now, *([min(dated)] if dated else [])])
